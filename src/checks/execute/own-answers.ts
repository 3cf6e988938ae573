import { isJsonObject, type Json, ownProperty, sameJson, showJson } from '../../model/json.ts';
import { type Finding, failed, inapplicable, inconclusive, passed } from '../../model/judgement.ts';
import { descriptorsIn } from '../capabilities/descriptor.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { differTellingly, isTelling } from './answer-essence.ts';
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
 * Compares the answers of calls that were made together with those of the same calls made alone. State is no leak: what
 * an answer says of others counts only where it is in the place of its own.
 */
export const ownAnswers = defineCheck(
  'step',
  'own-answers',
  'calls made together (`use`: together) each get the answer that they get alone (alone, again), and no function goes on answering its first call (first)',
  ({ used }) => {
    const answers = (step: string) => (used[step] ?? []).flatMap(callAnswer);
    const together = answers('together');
    const alone = [...answers('alone'), ...answers('again')];
    if (![...together, ...answers('first')].some(({ value }) => isJsonObject(value)))
      return cannotJudge('no-json-object');
    if (together.length < 2)
      return inconclusive({
        message: 'too few calls made at the same time were answered with JSON to compare their answers',
        expected: 'two at least',
        received: `${together.length}`,
      });
    const others = [...answers('read'), ...answers('repeated')];
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
    const served = together.filter(({ exchange }) => exchange.response.status === OK);
    if (served.length > 0 && !served.some(({ payload }) => isJsonObject(payload)))
      return cannotJudge(together[0]?.call.form === 'A' ? 'no-output' : 'no-result');
    return inapplicable(
      'the calls cannot be told apart: no requestId, no text that comes back, and no result that follows from the input',
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
  // Functions are called for the first time at the same moment.
  const mixedUp = observed.first === undefined ? null : strayKeys(observed.first, observed, functions);
  return mixedUp === null ? staleAnswer(observed) : [mixedUp];
}

function strayId({ value, call, exchange }: CallAnswer, together: readonly CallAnswer[]): Finding | null {
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

/** Its own text is nowhere, and in the place where it comes back is that of another call. */
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

function memberOf(value: Json): string {
  const member = ['output', 'result', 'error'].find((name) => ownProperty(value, name) !== undefined);
  return member === undefined ? '' : `/${member}`;
}

/** Its result is not the one that its input has alone, and is that of another input or function. */
function strayResult(
  { call, payload, essence, essenceText, exchange, inputText }: CallAnswer,
  { alone, repeatable }: ObservedFunction,
  functions: readonly ObservedFunction[],
): Finding | null {
  const own = alone.find((other) => other.inputText === inputText);
  if (!repeatable || payload === undefined || own?.payload === undefined) return null;
  if (own.essenceText === essenceText || !differTellingly(essence, own.essence)) return null;
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

/** It has just the keys of another function, and some that its own answers never have. */
function strayKeys(
  { call, payload, essence, essenceText, exchange }: CallAnswer,
  { ownKeys }: ObservedFunction,
  functions: readonly ObservedFunction[],
): Finding | null {
  const keys = keysOf(payload);
  if (ownKeys === null || keys === null || keys.every((key) => ownKeys.has(key))) return null;
  const owner = functions.find((other) => {
    if (other.name === call.functionName) return false;
    if (keys.length > 1 && sameJson(other.declaredKeys, keys)) return true;
    // One key that both have may be a coincidence; the very answer is none.
    return isTelling(essence) && other.lone.some((answer) => answer.essenceText === essenceText);
  });
  if (owner === undefined) return null;
  return failed({
    message: `a call of "${call.functionName}" got an answer of "${owner.name}", which was called at the same time`,
    expected: `an answer of "${call.functionName}", with ${[...ownKeys].map((key) => JSON.stringify(key)).join(', ')}`,
    received: showJson(payload),
    exchangeKey: exchange.request.key,
  });
}

function keysOf(payload: Json | undefined): readonly string[] | null {
  return isJsonObject(payload) ? Object.keys(payload).sort() : null;
}

const MIN_STALE_INPUTS = 2;

/** The first answer said back a text of its input, and the answer to every other input is that one. */
function staleAnswer({ name, first, alone, together }: ObservedFunction): readonly Finding[] {
  // An example of the server's own may be what it answers when it knows no better.
  if (first?.payload === undefined || first.call.inputSource !== 'assembled') return [];
  const others = [...together, ...alone].filter(({ inputText }) => inputText !== first.inputText);
  const [wrong] = others;
  if (wrong === undefined || !others.every(({ essenceText }) => essenceText === first.essenceText)) return [];
  if (new Set(others.map(({ inputText }) => inputText)).size < MIN_STALE_INPUTS) return [];
  const texts = [...first.places.values()];
  const said = [...first.marks].find(
    ([pointer, mark]) =>
      texts.some((text) => text.includes(mark)) &&
      others.every(({ marks }) => (marks.get(pointer) ?? mark) !== mark),
  );
  if (said === undefined) return [];
  return [
    failed({
      message: `"${name}" goes on answering its first call, whatever the input is`,
      expected: `an answer made from ${showJson(wrong.marks.get(said[0]))}`,
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

/** Two calls of the function got answers that could have been swapped, and were not. */
function showsOwnAnswers({ echoes, together, alone }: ObservedFunction): boolean {
  const echoing = together.filter((answer) => echoes.some((echo) => echoesOwn(answer, echo)));
  if (new Set(echoing.map(({ inputText }) => inputText)).size > 1) return true;
  const pairs = together.flatMap((answer) => {
    const own = alone.find(({ inputText }) => inputText === answer.inputText);
    return answer.payload === undefined || own === undefined ? [] : [{ answer, own }];
  });
  // One that answers by chance shows nothing by answering the same for once.
  if (!pairs.every(({ answer, own }) => answer.essenceText === own.essenceText)) return false;
  return pairs.some(({ answer }) =>
    pairs.some(
      ({ own }) => own.inputText !== answer.inputText && differTellingly(answer.essence, own.essence),
    ),
  );
}
