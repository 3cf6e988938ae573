import { type Json, showJson } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { baseOf, identifies, words, wordsIn } from '../../text/words.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { defineCheck, type JsonAnswer } from '../define-check.ts';
import { statusOf } from '../json/answers.ts';
import { type Leaf, leavesOf, valuesByPointer } from './answer-essence.ts';
import { type CallAnswer, callAnswer } from './observed-function.ts';
import { memberOf, strayId } from './own-answers.ts';

const OK = 200;

/**
 * For functions that create something, whose answers never repeat: what a caller gets may show what others did, but
 * the thing that it created has its own data. Only calls that were made alone show where that is.
 */
export const createdApart = defineCheck(
  'step',
  'created-apart',
  'of two calls that `concurrent-creations` makes at the same moment, none gets the data of the other in the place where calls made alone get their own',
  ({ used }) => {
    const together = createdIn(used['created-together']);
    const alone = groupedBy(createdIn(used['created-alone']), ({ call }) => call.functionName);
    const pairs = [...groupedBy(together, ({ call }) => call.functionName)];
    const findings = pairs.flatMap(([name, answers]) =>
      answers.flatMap(
        (answer) => strayId(answer, together) ?? strayData(answer, answers, alone.get(name) ?? []) ?? [],
      ),
    );
    if (findings.length > 0) return findings;
    if (pairs.some(([, answers]) => answers.length > 1 && answers.every((one) => showsOnlyOwn(one, answers))))
      return passed;
    return inapplicable('no two functions that create something were answered with what their callers sent');
  },
);

function createdIn(answers: readonly JsonAnswer[] = []): readonly CallAnswer[] {
  const isOk = (exchange: Answer): boolean => isMessage(exchange) || statusOf(exchange) === OK;
  return answers
    .flatMap(callAnswer)
    .filter(({ exchange, payload }) => isOk(exchange) && payload !== undefined);
}

/** Whether an answer shows data of another call, and not its own instead. */
export function seemsMixedUp(answer: CallAnswer, others: readonly CallAnswer[]): boolean {
  const leaves = leavesOf(answer.essence);
  return others.some((other) =>
    differences(answer, other).some(
      ({ own, foreign }) => !isShown(own, leaves) && isShown(foreign, leaves.filter(isOutsideLists)),
    ),
  );
}

function showsOnlyOwn(answer: CallAnswer, answers: readonly CallAnswer[]): boolean {
  const leaves = leavesOf(answer.essence);
  const others = answers.filter((other) => other !== answer);
  return others.every((other) =>
    differences(answer, other).some(({ own, foreign }) => isShown(own, leaves) && !isShown(foreign, leaves)),
  );
}

function strayData(
  answer: CallAnswer,
  answers: readonly CallAnswer[],
  alone: readonly CallAnswer[],
): Finding | null {
  if (!createsEachTime(alone)) return null;
  const leaves = leavesOf(answer.essence);
  for (const other of answers) {
    for (const { inputPointer, own, foreign } of differences(answer, other)) {
      if (isShown(own, leaves)) continue;
      const place = leaves
        .filter(isOutsideLists)
        .find(
          (leaf) =>
            shows(leaf, foreign) &&
            isNamedAlike(leaf.pointer, inputPointer) &&
            alone.every((lone) => showsOwnAt(lone, leaf.pointer, inputPointer)),
        );
      if (place === undefined || !alone.every((lone) => looksLike(answer, lone, alone))) continue;
      return failed({
        message: `a call of "${answer.call.functionName}" got data of another call made at the same time`,
        expected: `${showJson(own)}, as when it is called alone`,
        received: showJson(place.value),
        pointer: memberOf(answer.value) + place.pointer,
        exchangeKey: answer.exchange.request.key,
      });
    }
  }
  return null;
}

interface Difference {
  readonly inputPointer: string;
  readonly own: string | number;
  readonly foreign: string | number;
}

/** Values of both inputs that differ, and are too long to be in an answer by chance. */
function differences({ call }: CallAnswer, other: CallAnswer): readonly Difference[] {
  const foreign = valuesOf(other.call.input);
  return [...valuesOf(call.input)].flatMap(([inputPointer, own]) => {
    const found = foreign.get(inputPointer);
    return found === undefined || found === own ? [] : [{ inputPointer, own, foreign: found }];
  });
}

const MIN_CHARACTERS = 4;
const MIN_DIGITS = 3;

function valuesOf(input: Json): ReadonlyMap<string, string | number> {
  return new Map(
    leavesOf(input).flatMap(({ pointer, value, inList }): [string, string | number][] => {
      if (inList || (typeof value !== 'string' && typeof value !== 'number')) return [];
      const least = typeof value === 'string' ? MIN_CHARACTERS : MIN_DIGITS;
      return String(value).length >= least ? [[pointer, value]] : [];
    }),
  );
}

function shows({ value }: Leaf, sent: string | number): boolean {
  return typeof sent === 'string' ? typeof value === 'string' && value.includes(sent) : value === sent;
}

function isShown(sent: string | number, leaves: readonly Leaf[]): boolean {
  return leaves.some((leaf) => shows(leaf, sent));
}

function isOutsideLists({ inList }: Leaf): boolean {
  return !inList;
}

/** Words for what all callers share: the last message may be that of another caller. */
const SHARED: ReadonlySet<string> = words(
  'active current existing first head last latest newest next now previous recent running top',
);

/** "customer" of the input is "customer" or "customerName" of the answer, but not "leader" or "latestCustomer". */
function isNamedAlike(pointer: string, inputPointer: string): boolean {
  const inAnswer = wordsIn(pointer);
  const parameter = wordsIn(inputPointer.slice(inputPointer.lastIndexOf('/')));
  const last = wordsIn(pointer.slice(pointer.lastIndexOf('/')));
  return parameter.some((word) => last.includes(word)) && !inAnswer.some((word) => SHARED.has(word));
}

function showsOwnAt(lone: CallAnswer, pointer: string, inputPointer: string): boolean {
  const own = valuesOf(lone.call.input).get(inputPointer);
  return (
    own !== undefined && leavesOf(lone.essence).some((one) => one.pointer === pointer && shows(one, own))
  );
}

const MIN_LONE_ANSWERS = 2;

/** Each call made alone, with an own input, got an identifier of its own: it did not set or return the same thing. */
function createsEachTime(alone: readonly CallAnswer[]): boolean {
  if (new Set(alone.map(({ inputText }) => inputText)).size < MIN_LONE_ANSWERS) return false;
  const [first] = alone;
  const all = alone.map(({ essence }) => valuesByPointer(leavesOf(essence)));
  return leavesOf(first?.essence ?? null).some(({ pointer }) => {
    const values = new Set(all.map((leaves) => leaves.get(pointer)));
    return identifies(pointer) && !values.has(undefined) && values.size === alone.length;
  });
}

/** It has the same members, and the same values where those made alone agree: it does not say "busy with another". */
function looksLike({ essence }: CallAnswer, lone: CallAnswer, alone: readonly CallAnswer[]): boolean {
  const [ofAnswer, ofLone] = [membersOf(essence), membersOf(lone.essence)];
  if ([...ofAnswer.keys()].sort().join() !== [...ofLone.keys()].sort().join()) return false;
  const sent = new Set(leavesOf(lone.call.input).map(({ pointer }) => baseOf(wordsIn(pointer).join(' '))));
  return [...ofLone].every(
    ([pointer, value]) =>
      ofAnswer.get(pointer) === value ||
      sent.has(baseOf(wordsIn(pointer).join(' '))) ||
      alone.some((other) => membersOf(other.essence).get(pointer) !== value),
  );
}

function membersOf(essence: Json): ReadonlyMap<string, Leaf['value']> {
  return valuesByPointer(leavesOf(essence).filter(isOutsideLists));
}
