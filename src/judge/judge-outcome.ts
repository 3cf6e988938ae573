import type { Asked } from '../checks/define-check.ts';
import { describeAnswer } from '../checks/json/answers.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { showJson } from '../json/json.ts';
import { isGuess, needsNoInput } from '../model/call.ts';
import type { Answer } from '../model/exchange.ts';
import { answeredRounds } from '../model/exchange-key.ts';
import { type Finding, failed, passed, undecided } from '../model/judgement.ts';
import type { AssertionOf, ExpectedOutcome } from '../model/suite.ts';
import { answeringMessage, type ToolOutcome, toolOutcome } from '../wires/mcp/answer.ts';
import { MAX_ROUNDS, notGranted } from '../wires/mcp/client-answers.ts';
import { judgeTurnedAway, type StatusContext } from './judge-answer.ts';

const EXPECTED: Readonly<Record<ExpectedOutcome, string>> = {
  result: 'a result',
  refused: 'an error, or a result with isError',
  answered: 'an answer: a result or an error',
};

/** Judges what an answer of the Model Context Protocol means, as `judgeStatus` judges the status of the contract. */
export function judgeOutcome(
  { is }: AssertionOf<'outcome'>,
  answer: Answer,
  { call, servedPlainly = null }: Pick<Asked, 'call' | 'servedPlainly'>,
  context: StatusContext,
): Finding {
  const expected = EXPECTED[is];
  const turnedAway = answer.kind === 'answered' ? judgeTurnedAway(answer, expected, context) : null;
  if (turnedAway !== null) return turnedAway;
  const outcome = toolOutcome(answer);
  if (is === 'answered' ? outcome.kind !== 'unreadable' : outcome.kind === is) return passed;
  const received = describeAnswer(answer);
  if (call !== null && is === 'refused' && outcome.kind === 'result')
    return failed({
      message:
        call.inputSource === 'made-wrong'
          ? `${JSON.stringify(call.functionName)} accepts an input that is wrong`
          : `a call of ${JSON.stringify(call.functionName)} is not refused`,
      expected,
      received: showJson(jsonBody(answer).value),
    });
  const problem = answeringMessage(answer)?.problem;
  if (outcome.kind === 'unreadable' && problem?.serversFault === false)
    return undecided({ message: problem.message, expected, received: problem.received });
  if (call === null || outcome.kind === 'unreadable')
    return failed({ message: messageOf(outcome, answer), expected, received });
  const name = JSON.stringify(call.functionName);
  const notExercised = (message: string, advice: string): Finding =>
    undecided({ because: 'not-exercised', message, expected, received, advice });
  if (outcome.kind === 'wants-input')
    return notExercised(
      wantsWords(name, outcome, answer),
      outcome.capabilities.length > 0 ? CAPABILITY_ADVICE : ANSWERS_ADVICE,
    );
  const missing = [...new Set(notGranted(answer))];
  if (missing.length > 0)
    return notExercised(
      `${name} refused the call after the client did not give what was asked for (${missing.join(', ')})`,
      ANSWERS_ADVICE,
    );
  const sample = `Set a sample in probity.config.yaml under samples: ${name}.`;
  if (isGuess(call.inputSource))
    return notExercised(`${name} refused an input that was generated from its descriptor`, sample);
  if (call.inputSource === 'example' && context.isRestrained(call.functionName))
    return notExercised(
      `${name} refused the example of its descriptor, which an earlier call may have used up`,
      `Restart the server before the check, or set an input that always succeeds under samples: ${name} in probity.config.yaml.`,
    );
  if (servedPlainly === false && call.input === null)
    return notExercised(
      `${name} refused the call without arguments, and is only known to answer with values for its optional parameters`,
      'If the tool needs one of them, list it under required in its inputSchema.',
    );
  // Earlier calls may have used up, taken or locked what it needs.
  if (servedPlainly === false)
    return notExercised(
      `${name} was answered once, but refuses further calls`,
      `Earlier calls may have used up what it needs. Set several independent inputs under samples: ${name} in probity.config.yaml.`,
    );
  if (needsNoInput(call))
    return notExercised(
      `${name} needs no input by its schema, and refused the call without one`,
      `The tool may need another call first, one of its optional parameters, a network or a key (pass its variable with --env). ${sample}`,
    );
  return failed({ message: `${name} refuses the call`, expected, received });
}

/** Why a call is left at the question of its tool. */
function wantsWords(
  name: string,
  { capabilities }: Extract<ToolOutcome, { kind: 'wants-input' }>,
  { request }: Answer,
): string {
  const rounds = answeredRounds(request.key);
  if (capabilities.length > 0)
    return `${name} needs a client with the capability ${capabilities.join(', ')}, and that of a check is not enough`;
  if (rounds === MAX_ROUNDS) return `${name} still asks for input after ${rounds} answers`;
  return `${name} asks for input before it answers, which the check cannot give`;
}

const CAPABILITY_ADVICE =
  'A check declares elicitation, sampling without tools, and roots: exclude the tool under `mutating: never` in probity.config.yaml, or test it by hand.';
const ANSWERS_ADVICE =
  'Give what it asks for under `answers` in probity.config.yaml (values of forms under elicitation, a text under sampling, or roots), or exclude the tool under `mutating: never`.';

function messageOf(outcome: ToolOutcome, answer: Answer): string {
  if (outcome.kind === 'unreadable')
    return answeringMessage(answer) === undefined
      ? 'no message answers the request'
      : `the answer cannot be read: ${outcome.problem}`;
  return outcome.kind === 'refused' ? 'the request is refused' : 'the request is not refused';
}
