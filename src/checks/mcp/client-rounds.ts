import { isJsonObject, ownProperty, showJson } from '../../json/json.ts';
import { type Answer, type Exchange, isAnswer } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { answeringMessage, MISSING_CAPABILITY, toolOutcome } from '../../wires/mcp/answer.ts';
import { notGranted } from '../../wires/mcp/client-answers.ts';
import { type Asked, defineCheck } from '../define-check.ts';
import { describeAnswer, statusOf } from '../json/answers.ts';

// How a server of the stateless era takes what a client sends after it asked, and what it does without a client that it
// could ask. The cases are those of the experiment client-rounds.

/** The answers of one tool by case. */
type Rounds = ReadonlyMap<string, Answer>;

/** One finding for each tool; the first that is not inapplicable says more. */
function judgeRounds(
  asked: readonly Asked[],
  whenNone: string,
  judge: (rounds: Rounds, name: string, hasMoreParameters: boolean) => Finding,
): Finding | readonly Finding[] {
  const byTool = new Map<string, Map<string, Answer>>();
  for (const { exchange, call, caseId } of asked) {
    if (call === null || caseId == null || !isAnswer(exchange)) continue;
    const rounds = byTool.get(call.functionName) ?? new Map<string, Answer>();
    rounds.set(caseId, exchange);
    byTool.set(call.functionName, rounds);
  }
  const withMore = new Set(asked.filter(leavesOut).map(({ call }) => call?.functionName));
  const findings = [...byTool].map(([name, rounds]) =>
    judge(rounds, JSON.stringify(name), withMore.has(name)),
  );
  const wrong = findings.filter(({ outcome }) => outcome === 'failed');
  if (wrong.length > 0) return wrong;
  return findings.find(({ outcome }) => outcome === 'passed') ?? findings[0] ?? inapplicable(whenNone);
}

/** Whether a call leaves out a parameter of its tool. */
function leavesOut({ call, item }: Asked): boolean {
  const parameters = ownProperty(ownProperty(item, 'parameters'), 'properties');
  return Object.keys(isJsonObject(parameters) ? parameters : {}).some(
    (name) => ownProperty(call?.input, name) === undefined,
  );
}

const NOT_ASKED = 'no tool that only reads asked for input';
const isQuestion = (answer: Answer | undefined): boolean =>
  answer !== undefined && kindOf(answer) === 'wants-input' && messageKind(answer) === 'result';
const isResult = (answer: Answer | undefined): boolean => answer !== undefined && kindOf(answer) === 'result';
const kindOf = (answer: Answer): string => toolOutcome(answer).kind;
const messageKind = (answer: Answer): string | undefined => answeringMessage(answer)?.message.kind;

function evidence(message: string, expected: string, answer: Answer): Parameters<typeof failed>[0] {
  return { message, expected, received: describeAnswer(answer), exchangeKey: answer.request.key };
}

export const capabilityRequired = defineCheck(
  'step',
  'capability-required',
  'a tool that needs a capability of the client says which with the error -32021, and over HTTP with status 400',
  ({ asked }) =>
    judgeRounds(asked, NOT_ASKED, (rounds, name, hasMoreParameters) => {
      const without = rounds.get('without');
      if (without === undefined || !isQuestion(rounds.get('asked')))
        return inapplicable('no tool asked for input again');
      const message = answeringMessage(without)?.message;
      if (message?.kind === 'error' && message.code === MISSING_CAPABILITY)
        return judgeMissing(without, ownProperty(message.data, 'requiredCapabilities'), name);
      // It may do without, and what it must not ask for is judged elsewhere.
      if (kindOf(without) !== 'refused') return inapplicable(`${name} answers without the capability`);
      // It may ask only for what a client can also give as an argument: then it needs no capability.
      if (hasMoreParameters && isRefusalOfInput(without))
        return inapplicable(`${name} may work without the capability, with an argument that was left out`);
      return failed(
        evidence(
          `${name} refuses a call without capabilities of the client, but does not say that it needs them`,
          'the error -32021 with data.requiredCapabilities',
          without,
        ),
      );
    }),
);

function isRefusalOfInput(answer: Answer): boolean {
  const outcome = toolOutcome(answer);
  return outcome.kind === 'refused' && (outcome.by === 'tool' || outcome.code === INVALID_PARAMS);
}

const INVALID_PARAMS = -32_602;
const BAD_REQUEST = 400;

function judgeMissing(answer: Answer, required: Parameters<typeof showJson>[0], name: string): Finding {
  const exchangeKey = answer.request.key;
  if (!isJsonObject(required ?? null) || Object.keys(required as object).length === 0)
    return failed({
      message: `the error -32021 of ${name} does not say which capabilities are missing`,
      expected: 'data.requiredCapabilities, an object with the missing capabilities',
      received: showJson(required),
      pointer: '/error/data/requiredCapabilities',
      exchangeKey,
    });
  const status = statusOf(answer);
  if (status === null || status === BAD_REQUEST) return passed;
  const message = `the error -32021 of ${name} has the status ${status}`;
  return failed({ message, expected: 'status 400', received: `status ${status}`, exchangeKey });
}

export const missingAskedAgain = defineCheck(
  'step',
  'missing-asked-again',
  'a call that lacks the answers which its tool asked for is answered with the question again, or without them',
  ({ asked }) =>
    judgeRounds(asked, NOT_ASKED, (rounds, name) => {
      const missing = rounds.get('missing');
      if (missing === undefined) return inapplicable(NOT_ASKED);
      if (isQuestion(missing) || isResult(missing)) return passed;
      return failed(
        evidence(
          `${name} refuses a call that lacks the answers to its questions`,
          'the questions again (input_required), or a result',
          missing,
        ),
      );
    }),
);

export const unknownAnswersIgnored = defineCheck(
  'step',
  'unknown-answers-ignored',
  'an answer that nobody asked for changes nothing',
  ({ asked }) =>
    judgeRounds(asked, NOT_ASKED, (rounds, name) => {
      const [answered, extra] = [rounds.get('answered'), rounds.get('extra')];
      if (answered === undefined || extra === undefined || kindOf(answered) === 'refused')
        return inapplicable('no call was answered after its questions were answered');
      if (kindOf(extra) !== 'refused') return passed;
      return failed(
        evidence(
          `${name} refuses a call with an answer that it did not ask for`,
          'the same as without it',
          extra,
        ),
      );
    }),
);

export const malformedAnswersRefused = defineCheck(
  'step',
  'malformed-answers-refused',
  'an answer that is a text, and none to the question, is not accepted',
  ({ asked }) =>
    judgeRounds(asked, NOT_ASKED, (rounds, name) => {
      const malformed = rounds.get('malformed');
      if (malformed === undefined) return inapplicable(NOT_ASKED);
      if (!isResult(malformed)) return passed;
      return failed(
        evidence(`${name} accepts a text in the place of an answer to its question`, 'an error', malformed),
      );
    }),
);

export const changedStateRefused = defineCheck(
  'step',
  'changed-state-refused',
  'a call with a requestState that was changed is not answered like the one with its own',
  ({ asked }) =>
    judgeRounds(asked, NOT_ASKED, (rounds, name) => {
      const [answered, tampered] = [rounds.get('answered'), rounds.get('tampered')];
      if (tampered === undefined || answered === undefined)
        return inapplicable('no question has a requestState');
      // After a refusal, a tool need not look at its state.
      if (!isResult(answered) || notGranted(answered as Exchange).length > 0)
        return inapplicable('the check gave no tool what it asked for, so that its state may not matter');
      if (!isResult(tampered)) return passed;
      return failed(
        evidence(
          `${name} accepts a requestState that was changed`,
          'an error, or the question again',
          tampered,
        ),
      );
    }),
);
