import { type Json, ownProperty } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { METHOD_NOT_FOUND } from '../../wires/mcp/opening.ts';
import { type Asked, defineCheck } from '../define-check.ts';
import { describeAnswer } from '../json/answers.ts';
import { methodOf } from './received.ts';
import { unjudgedAnswer } from './unjudged-answer.ts';

// What a server offers, by its capabilities or its lists, is requested. Not every refusal is a fault: a prompt may need
// another text, and a resource a network.

const INVALID_PARAMS = -32_602;
/** Up to revision 2025-11-25. */
const RESOURCE_NOT_FOUND = -32_002;

/** Judges the answer to a request for something that the server offers. Only these errors contradict the offer. */
function judgeOffered(
  { exchange }: Asked,
  what: string,
  contradicting: readonly (Json | undefined)[],
  advice: string,
): Finding {
  const unjudged = unjudgedAnswer(exchange, 'a result');
  if (unjudged !== null || !isAnswer(exchange)) return unjudged ?? passed;
  const message = answeringMessage(exchange)?.message;
  // A request for input shows that the server has it.
  if (message?.kind === 'result') return passed;
  const evidence = {
    message: `${what} is refused`,
    expected: 'a result',
    received: describeAnswer(exchange),
    exchangeKey: exchange.request.key,
  };
  return message?.kind === 'error' && contradicting.includes(message.code)
    ? failed(evidence)
    : undecided({ because: 'not-exercised', ...evidence, advice });
}

/** One that was served shows that the server can do it; others may need what a check does not know. */
function oneIsEnough(findings: readonly Finding[], whenNone: string): Finding | readonly Finding[] {
  const wrong = findings.filter(({ outcome }) => outcome === 'failed');
  if (wrong.length > 0) return wrong;
  const [first] = [
    ...findings.filter(({ outcome }) => outcome === 'passed'),
    ...findings.filter(({ outcome }) => outcome === 'undecided'),
    ...findings,
  ];
  return first ?? inapplicable(whenNone);
}

export const promptsServed = defineCheck(
  'step',
  'prompts-served',
  'a listed prompt that requires no argument is not refused as unknown or incomplete; with made-up arguments, a refusal decides nothing',
  ({ asked }) => {
    const findings = asked.map((one) => {
      const name = JSON.stringify(ownProperty(one.item, 'name') ?? null);
      const isComplete = ownProperty(one.item, 'madeUp') === false;
      return judgeOffered(
        one,
        `the listed prompt ${name}`,
        isComplete ? [METHOD_NOT_FOUND, INVALID_PARAMS] : [METHOD_NOT_FOUND],
        isComplete
          ? `Request the prompt ${name} by hand, and see what it needs.`
          : `Request the prompt ${name} by hand, with arguments that it accepts.`,
      );
    });
    return oneIsEnough(findings, 'no prompt was requested');
  },
);

export const resourcesServed = defineCheck(
  'step',
  'resources-served',
  'a listed resource is not refused as unknown',
  ({ asked }) => {
    const findings = asked.map((one) =>
      judgeOffered(
        one,
        `the listed resource ${JSON.stringify(ownProperty(one.item, 'uri') ?? null)}`,
        [METHOD_NOT_FOUND, INVALID_PARAMS, RESOURCE_NOT_FOUND],
        'The resource may need a network, a key (pass its variable with --env), or a tool that is called first.',
      ),
    );
    return oneIsEnough(findings, 'no resource was read');
  },
);

export const capabilityServed = defineCheck(
  'step',
  'capability-served',
  'a request of a capability that the server offers is not refused as an unknown method; with `valid`, it is answered with a result',
  ({ asked, options }) => {
    const isValid = options.valid === true;
    const findings = asked.map((one) => {
      const finding = judgeOffered(
        one,
        `${methodOf(one.exchange)}, which a capability of the server offers,`,
        isValid ? [METHOD_NOT_FOUND, INVALID_PARAMS] : [METHOD_NOT_FOUND],
        'Send the request by hand, and see what the server needs.',
      );
      // A server that refuses what a check made up knows the method.
      return finding.outcome === 'undecided' && !isValid ? passed : finding;
    });
    return oneIsEnough(findings, 'the server was not asked');
  },
  { options: { valid: { doc: 'true: the request is certainly valid.', required: false } } },
);
