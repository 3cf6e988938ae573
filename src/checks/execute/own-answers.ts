import { isJsonObject, type Json, ownProperty, sameJson, showJson } from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { descriptorsIn } from '../capabilities/descriptor.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { isServed, statusOf } from '../json/answers.ts';
import { differDistinctively, isDistinctive } from './answer-essence.ts';
import {
  type CallAnswer,
  callAnswer,
  echoesOwn,
  escaped,
  type ObservedFunction,
  observeFunction,
} from './observed-function.ts';

const OK = 200;

/**
 * Compares the answers of calls made together with those of the same calls made alone. Shared state is not a leak: data
 * of another call counts only if it replaces the data of the call itself.
 */
export const ownAnswers = defineCheck(
  'step',
  'own-answers',
  'each of the calls that `concurrent-calls` makes at the same moment gets the answer that it gets alone, and no function repeats the answer to its first call (`use`: first)',
  ({ used }) => {
    const answers = (step: string) => (used[step] ?? []).flatMap(callAnswer);
    const together = answers('together');
    const alone = [...answers('alone'), ...answers('alone-again')];
    if (![...together, ...answers('first')].some(({ value }) => isJsonObject(value)))
      return cannotJudge('no-json-object');
    if (together.length < 2)
      return undecided({
        message: 'too few calls made at the same time were answered with JSON to compare their answers',
        expected: 'at least two',
        received: `${together.length}`,
        advice:
          'Give the check more time with --deadline if it was over; this says nothing about the server.',
      });
    const others = answers('watched');
    const all = { alone, together, first: answers('first'), others };
    const descriptors = (used.capabilities ?? []).flatMap(({ value }) => descriptorsIn(value));
    const called = [...all.first, ...together].map(({ call }) => call.functionName);
    const functions = [...new Set(called)].map((name) =>
      observeFunction(
        name,
        all,
        descriptors.find(({ descriptor }) => ownProperty(descriptor, 'name') === name)?.descriptor,
      ),
    );
    const findings = functions.flatMap((one) => strayAnswers(one, functions, together));
    if (findings.length > 0) return findings;
    if (echoOwnIds(together) || functions.some(showsOwnAnswers)) return passed;
    const served = together.filter(({ exchange }) =>
      isMessage(exchange) ? isServed(exchange) : statusOf(exchange) === OK,
    );
    if (served.length > 0 && !served.some(({ payload }) => isJsonObject(payload)))
      return cannotJudge(together[0]?.call.form === 'A' ? 'no-output' : 'no-result');
    return inapplicable(
      'the answers cannot be matched to their calls: no requestId, no echoed text, and no result that depends on the input',
    );
  },
  {
    reasons: {
      'no-json-object': 'no call was answered with a JSON object',
      'no-output': 'no call was answered with an output that is an object',
      'no-result': 'no call was answered with a result that is an object',
    },
  },
);

function strayAnswers(
  observed: ObservedFunction,
  functions: readonly ObservedFunction[],
  together: readonly CallAnswer[],
): readonly Finding[] {
  const stray = observed.together.flatMap((answer) => {
    const problem =
      strayId(answer, together) ??
      strayText(answer, observed) ??
      strayResult(answer, observed, functions) ??
      strayKeys(answer, observed, functions);
    return problem === null ? [] : [problem];
  });
  if (stray.length > 0) return stray;
  // The first calls of all functions are made at the same time.
  const mixedUp = observed.first === undefined ? null : strayKeys(observed.first, observed, functions);
  return mixedUp === null ? staleAnswer(observed) : [mixedUp];
}

export function strayId(
  { value, call, exchange }: CallAnswer,
  together: readonly CallAnswer[],
): Finding | null {
  const requestId = ownProperty(value, 'requestId');
  if (requestId === undefined || requestId === call.requestId) return null;
  if (!together.some((other) => other.call.requestId !== null && other.call.requestId === requestId))
    return null;
  return failed({
    message: `a call of "${call.functionName}" got the requestId of another call made at the same time`,
    expected: showJson(call.requestId),
    received: showJson(requestId),
    pointer: '/requestId',
    exchangeKey: exchange.request.key,
  });
}

/** Its own text is missing, and a text of another call is in its place. */
function strayText(answer: CallAnswer, { echoes, together }: ObservedFunction): Finding | null {
  for (const { inputPointer, pointer } of echoes) {
    const own = answer.marks.get(inputPointer);
    const found = answer.places.get(pointer);
    if (own === undefined || found === undefined || answer.essenceText.includes(escaped(own))) continue;
    const owner = together.find((other) => {
      const foreign = other.marks.get(inputPointer);
      return foreign !== undefined && foreign !== own && found.includes(foreign);
    });
    if (owner !== undefined)
      return failed({
        message: `a call of "${answer.call.functionName}" got an answer made from the input of another call made at the same time`,
        expected: `an answer made from ${showJson(own)}, as when it is called alone`,
        received: showJson(found),
        pointer: memberOf(answer.value) + pointer,
        exchangeKey: answer.exchange.request.key,
      });
  }
  return null;
}

export function memberOf(value: Json): string {
  const member = ['output', 'result', 'error'].find((name) => ownProperty(value, name) !== undefined);
  return member === undefined ? '' : `/${member}`;
}

/** Its result differs from that of the same call alone, and equals that of another input or function. */
function strayResult(
  { call, payload, essence, essenceText, exchange, inputText }: CallAnswer,
  { alone, repeatable }: ObservedFunction,
  functions: readonly ObservedFunction[],
): Finding | null {
  const own = alone.find((other) => other.inputText === inputText);
  if (!repeatable || payload === undefined || own?.payload === undefined) return null;
  if (own.essenceText === essenceText || !differDistinctively(essence, own.essence)) return null;
  const owner = functions
    .flatMap((other) => (other.repeatable ? other.alone : []))
    .find((other) => other.payload !== undefined && other.essenceText === essenceText);
  if (owner === undefined) return null;
  const ofOther = owner.call.functionName === call.functionName ? '' : ` of "${owner.call.functionName}"`;
  return failed({
    message: `a call of "${call.functionName}" got the result of another call${ofOther} made at the same time`,
    expected: `${showJson(own.payload)}, as when it is called alone`,
    received: showJson(payload),
    exchangeKey: exchange.request.key,
  });
}

/** It has exactly the keys of another function, including some that its own answers never have. */
function strayKeys(
  { call, payload, essence, essenceText, exchange }: CallAnswer,
  { ownKeys }: ObservedFunction,
  functions: readonly ObservedFunction[],
): Finding | null {
  const keys = isJsonObject(payload) ? Object.keys(payload).sort() : null;
  if (ownKeys === null || keys === null || keys.every((key) => ownKeys.has(key))) return null;
  const owner = functions.find((other) => {
    if (other.name === call.functionName) return false;
    if (keys.length > 1 && sameJson(other.declaredKeys, keys)) return true;
    // One shared key may be a coincidence; an identical answer is not.
    return isDistinctive(essence) && other.lone.some((answer) => answer.essenceText === essenceText);
  });
  if (owner === undefined) return null;
  return failed({
    message: `a call of "${call.functionName}" got an answer of "${owner.name}", which was called at the same time`,
    expected: `an answer of "${call.functionName}", with ${[...ownKeys].map((key) => JSON.stringify(key)).join(', ')}`,
    received: showJson(payload),
    exchangeKey: exchange.request.key,
  });
}

const MIN_STALE_INPUTS = 2;

/** The first answer repeats a text of its input, and every other input gets the same answer. */
function staleAnswer({ name, first, alone, together }: ObservedFunction): readonly Finding[] {
  // If the first input is an example of the server, its answer may be the server's default for any input.
  if (first?.payload === undefined || first.call.inputSource !== 'assembled') return [];
  const others = [...together, ...alone].filter(({ inputText }) => inputText !== first.inputText);
  const [wrong] = others;
  if (wrong === undefined || !others.every(({ essenceText }) => essenceText === first.essenceText)) return [];
  if (new Set(others.map(({ inputText }) => inputText)).size < MIN_STALE_INPUTS) return [];
  const texts = [...first.places.values()];
  const echoed = [...first.marks].find(
    ([pointer, mark]) =>
      texts.some((text) => text.includes(mark)) &&
      others.every(({ marks }) => (marks.get(pointer) ?? mark) !== mark),
  );
  if (echoed === undefined) return [];
  return [
    failed({
      message: `"${name}" repeats the answer to its first call, whatever the input is`,
      expected: `an answer made from ${showJson(wrong.marks.get(echoed[0]))}`,
      received: showJson(wrong.payload),
      exchangeKey: wrong.exchange.request.key,
    }),
  ];
}

function echoOwnIds(together: readonly CallAnswer[]): boolean {
  const own = together.filter(
    ({ call, value }) => call.requestId !== null && ownProperty(value, 'requestId') === call.requestId,
  );
  return own.length > 1;
}

/** Two calls of the function got distinguishable answers, each its own. */
function showsOwnAnswers({ echoes, together, alone }: ObservedFunction): boolean {
  const echoing = together.filter((answer) => echoes.some((echo) => echoesOwn(answer, echo)));
  if (new Set(echoing.map(({ inputText }) => inputText)).size > 1) return true;
  const pairs = together.flatMap((answer) => {
    const own = alone.find(({ inputText }) => inputText === answer.inputText);
    return answer.payload === undefined || own === undefined ? [] : [{ answer, own }];
  });
  // A function with random answers proves nothing when two answers happen to be equal.
  if (!pairs.every(({ answer, own }) => answer.essenceText === own.essenceText)) return false;
  return pairs.some(({ answer }) =>
    pairs.some(
      ({ own }) => own.inputText !== answer.inputText && differDistinctively(answer.essence, own.essence),
    ),
  );
}
