import { type Json, ownProperty, showJson } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { wordsIn } from '../../text/words.ts';
import { defineCheck } from '../define-check.ts';
import { type Leaf, leavesOf, valuesByPointer } from '../execute/answer-essence.ts';
import { type ExploredCall, exploredCalls } from './explored-calls.ts';

/**
 * The calls of a pair, one after the other. Each further trial has other values, and is made only if the ones before
 * look mixed up: an answer may be equal to an earlier one by chance.
 */
export const PAIR_TRIALS = [
  ['first', 'second'],
  ['first-again', 'second-again'],
  ['first-third', 'second-third'],
  ['first-fourth', 'second-fourth'],
] as const;
/** The control is the second call without the first one before it. */
export type PairRole = 'control' | (typeof PAIR_TRIALS)[number][number];

export function pairCase(number: number, role: PairRole): string {
  return `pair-${number}-${role}`;
}

const PAIR_CASE = /^pair-(\d+)-(.+)$/;

export const callersApart = defineCheck(
  'step',
  'callers-apart',
  'an answer has no data of an earlier call in the place where its own data belongs, in four trials with different values',
  ({ asked }) => {
    const calls = exploredCalls(asked).filter(({ caseId }) => PAIR_CASE.test(caseId));
    const pairs = groupedBy(
      calls,
      ({ functionName, caseId }) => `${PAIR_CASE.exec(caseId)?.[1]} ${functionName}`,
    );
    if (pairs.size === 0)
      return inapplicable('no pair of calls was made: exploring ended before, or no parameter allows one');
    const found = new Map<string, Borrowed>();
    for (const pair of pairs.values()) {
      const of = (role: PairRole) => pair.find(({ caseId }) => PAIR_CASE.exec(caseId)?.[2] === role);
      const seconds = [of('control'), ...PAIR_TRIALS.map(([, second]) => of(second))];
      const [once = [], ...again] = PAIR_TRIALS.map(([first, second], trial) =>
        borrowed(of('control'), of(first), of(second), seconds[trial]),
      );
      const [shown] = once
        .filter((one) => !showsHistory(one))
        .map(({ inputPointer }) =>
          [once, ...again].map((trial) => trial.find((one) => one.inputPointer === inputPointer)),
        )
        .filter((trials) => trials.every((one) => one !== undefined))
        .map((trials) => trials.toSorted((left, right) => sizeOf(left) - sizeOf(right))[0]);
      if (shown === undefined) continue;
      const before = found.get(shown.second.functionName);
      if (before === undefined || sizeOf(shown) < sizeOf(before)) found.set(shown.second.functionName, shown);
    }
    if (found.size === 0) return passed;
    return [...found.values()].map(({ first, second, pointer, value }) =>
      failed({
        message: `"${second.functionName}" answers with data of an earlier call, whose input was ${first.inputText}`,
        expected: `an answer made from ${second.inputText} alone`,
        received: showJson(value),
        pointer: `/result${pointer}`,
        exchangeKey: second.exchange.request.key,
      }),
    );
  },
);

export interface Borrowed {
  readonly first: ExploredCall;
  readonly second: ExploredCall;
  /** In the result. */
  readonly pointer: string;
  /** In the input. */
  readonly inputPointer: string;
  readonly value: Json;
}

/**
 * Values in the second answer that belong to the first call. Where the second input has such a value itself, the
 * control must repeat its own; where it has none, the first input must have this one. A value that was the same
 * `before` proves nothing.
 */
export function borrowed(
  control: ExploredCall | undefined,
  first: ExploredCall | undefined,
  second: ExploredCall | undefined,
  before = control,
): readonly Borrowed[] {
  if (control === undefined || first === undefined || second === undefined) return [];
  if (![control, first, second].every(({ isServed }) => isServed)) return [];
  const leafMap = (value: Json = null) => valuesByPointer(leavesOf(value));
  const [ofControl, ofFirst, ofBefore] = [control, first, before].map((call) => leafMap(call?.result));
  const [controlInput, firstInput, secondInput] = [control, first, second].map(({ input }) => leafMap(input));
  const found: Borrowed[] = [];
  for (const [pointer, value] of leafMap(second.result)) {
    if (ofFirst?.get(pointer) !== value || ofBefore?.get(pointer) === value) continue;
    for (const inputPointer of new Set([...(firstInput?.keys() ?? []), ...(secondInput?.keys() ?? [])])) {
      const [own, other] = [secondInput?.get(inputPointer), firstInput?.get(inputPointer)];
      const repeats = (leaf: Scalar): Scalar | undefined =>
        repeated(ofControl?.get(pointer), controlInput?.get(inputPointer), leaf);
      const isBorrowed =
        own === undefined
          ? other === value
          : repeats(own) !== undefined &&
            repeats(own) !== value &&
            (other === undefined || repeats(other) === value);
      if (isBorrowed) found.push({ first, second, pointer, inputPointer, value });
    }
  }
  return found;
}

/** Answers that show earlier calls on purpose: recent searches, the city that was asked for last. */
const HISTORY =
  /\b(history|previous|previously|recent|recently|remembers?|remembered|last (\w+ ){0,4}(asked|called|calls?|inputs?|quer(y|ies|ied)|request(ed|s)?|search(ed|es)?|seen|used|viewed))\b/;

function showsHistory({ second, pointer }: Borrowed): boolean {
  const description = ownProperty(second.descriptor, 'description') ?? '';
  return [second.functionName, pointer, String(description)].some((text) =>
    HISTORY.test(wordsIn(text).join(' ')),
  );
}

/** What would be in the place of `value` if the input had `other` instead of `own`; undefined if it does not show. */
function repeated(value: Scalar | undefined, own: Scalar | undefined, other: Scalar): Scalar | undefined {
  if (value === undefined || own === undefined) return undefined;
  if (value === own) return other;
  if (typeof value !== 'string' || typeof own !== 'string' || own === '') return undefined;
  const parts = value.split(own);
  return parts.length === 2 ? parts.join(String(other)) : undefined;
}

type Scalar = Leaf['value'];

function sizeOf({ first, second }: Borrowed): number {
  return first.inputText.length + second.inputText.length;
}
