import { canonicalJson } from '../../model/json.ts';
import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, type JsonAnswer, judgeEach } from '../define-check.ts';
import { essenceOf } from '../execute/answer-essence.ts';

export const nothingChanged = defineCheck(
  'step',
  'nothing-changed',
  'no function called in the steps read1, read2 and so on answers differently after each of the calls in called1, called2 and so on, and never at another time; the steps under `use` ran one after the other, and reads before and after the calls in the step between are not compared',
  ({ used }) => {
    const made = Object.entries(used).flatMap(([step, answers]) =>
      answers.flatMap(seenCall).map((call) => ({ ...call, step })),
    );
    const namesIn = (kind: string) => namesOf(made.filter(({ step }) => step.startsWith(kind)));
    const readers = namesIn('read');
    const annotated = namesIn('called').filter((name) => !readers.includes(name));
    if (annotated.length === 0) return inapplicable('no function that was called says so of itself');
    const seen = made.filter(({ step, name }) => !step.startsWith('called') || annotated.includes(name));
    const judged = readers.map((reader) => changeSeenBy(reader, seen, annotated));
    if (judged.every((one) => one === 'unknown')) return inapplicable('no other function shows what changes');
    return judgeEach(judged, (one) => {
      if (typeof one === 'string') return passed;
      const message = `"${one.reader}" answers differently after each call of ${annotated.length > 1 ? 'one of ' : ''}${annotated.map((name) => `"${name}"`).join(', ')}, and never at another time`;
      const evidence = { ...differenceOf(one.before, one.after), exchangeKey: one.after.exchangeKey };
      if (one.isClear) return failed({ message, ...evidence });
      // A change that was seen is said, whatever made the calls so slow.
      return undecided({
        message: `${message}, but the calls took too long beside the pauses to tell that from a change by itself`,
        ...evidence,
        advice: 'Check this requirement again, where the calls take less time.',
      });
    });
  },
);

interface SeenCall {
  readonly name: string;
  readonly text: string;
  /** Without numbers, which may count calls or measure them. */
  readonly kept: string;
  readonly startedAtMs: number;
  readonly exchangeKey: string;
  /** Its name under `use`. */
  readonly step: string;
}

function seenCall({ call, exchange }: JsonAnswer): readonly Omit<SeenCall, 'step'>[] {
  const name = call?.functionName;
  if (!name) return [];
  const text = canonicalJson(essenceOf(exchange) ?? null);
  const { startedAtMs } = exchange.timing;
  return [{ name, text, kept: withoutNumbers(text), startedAtMs, exchangeKey: exchange.request.key }];
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, '0').replaceAll(/0(?:,0)+/g, '0');
}

function namesOf(seen: readonly Pick<SeenCall, 'name'>[]): readonly string[] {
  return [...new Set(seen.map(({ name }) => name))];
}

interface SeenChange {
  readonly reader: string;
  readonly before: SeenCall;
  readonly after: SeenCall;
  /** A change by itself would have to miss all pauses, and hit each of the calls. */
  readonly isClear: boolean;
}

/** Two calls of a reader with none of it between. */
interface Pair extends Pick<SeenChange, 'before' | 'after'> {
  readonly isAcross: boolean;
}

const MIN_ACROSS = 3;
const MIN_BESIDE = 2;
/** Of the pauses, in which nothing changed, compared with the time in which something did. */
const MIN_TIMES_LONGER = 2;

/** `unknown` if too little was read. */
function changeSeenBy(
  reader: string,
  seen: readonly SeenCall[],
  annotated: readonly string[],
): SeenChange | 'none' | 'unknown' {
  const pairs = pairsOf(reader, seen, annotated);
  const across = pairs.filter(({ isAcross }) => isAcross);
  const beside = pairs.filter(({ isAcross }) => !isAcross);
  if (across.length < MIN_ACROSS || beside.length < MIN_BESIDE) return 'unknown';
  const last = across.at(-1);
  if (last === undefined || !across.every(isChanged) || beside.some(isChanged)) return 'none';
  // A log of calls is no change of what the functions work on.
  const isLog = annotated.some((name) => last.after.text.includes(name));
  const isClear = totalMs(beside) >= MIN_TIMES_LONGER * totalMs(across);
  return isLog ? 'none' : { reader, before: last.before, after: last.after, isClear };
}

function pairsOf(reader: string, seen: readonly SeenCall[], annotated: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let before: SeenCall | null = null;
  let isAcross = false;
  for (const call of seen) {
    if (call.step.startsWith('between')) before = null;
    else if (call.name === reader) {
      if (before !== null) pairs.push({ before, after: call, isAcross });
      before = call;
      isAcross = false;
    } else isAcross ||= annotated.includes(call.name);
  }
  return pairs;
}

function isChanged({ before, after }: Pair): boolean {
  return before.kept !== after.kept;
}

function totalMs(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { before, after }) => sum + after.startedAtMs - before.startedAtMs, 0);
}

const SHOWN_CHARACTERS = 120;
const SHOWN_BEFORE = 20;

/** The two texts around their first difference. */
function differenceOf(
  before: SeenCall,
  after: SeenCall,
): { readonly expected: string; readonly received: string } {
  let at = 0;
  while (at < before.text.length && before.text[at] === after.text[at]) at += 1;
  const from = Math.max(0, at - SHOWN_BEFORE);
  const shown = ({ text }: SeenCall): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN_CHARACTERS)}${text.length > from + SHOWN_CHARACTERS ? '…' : ''}`;
  return { expected: `as before: ${shown(before)}`, received: shown(after) };
}
