import { canonicalJson } from '../../json/json.ts';
import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { type Asked, defineCheck, judgeEach } from '../define-check.ts';
import { essenceOf } from '../execute/answer-essence.ts';
import { isServed } from '../json/answers.ts';

export const nothingChanged = defineCheck(
  'step',
  'nothing-changed',
  'of the calls of the experiment reads-around-calls, none that reads answers differently after each round of the others, and never at another time',
  ({ asked }) => {
    const made = asked.flatMap(roundCall);
    const { readers, annotated } = namesIn(made);
    if (annotated.length === 0) return inapplicable('no function that was called says so of itself');
    const judged = readers.map((reader) => changeSeenBy(reader, made, annotated));
    if (judged.every((one) => one === 'unknown')) return inapplicable('no other function shows what changes');
    return judgeEach(judged, (one) => {
      if (typeof one === 'string') return passed;
      const message = `"${one.reader}" answers differently after each call of ${annotated.length > 1 ? 'one of ' : ''}${annotated.map((name) => `"${name}"`).join(', ')}, and never at another time`;
      const evidence = {
        ...differenceOf(one.before, one.after),
        exchangeKey: one.after.exchangeKey,
        sentBefore: one.made.map(({ exchangeKey }) => exchangeKey),
      };
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

/** A call of a round, or a read between two rounds. */
export interface RoundCall {
  readonly name: string;
  readonly isRead: boolean;
  readonly text: string;
  /** Without numbers, which may count calls or measure them. */
  readonly kept: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly exchangeKey: string;
}

/** None of an exchange without a result. The rounds are cases, and reads have none. */
export function roundCall({ exchange, call, caseId = null }: Omit<Asked, 'item'>): readonly RoundCall[] {
  const name = call?.functionName;
  if (!name || exchange.kind === 'unanswered' || !isServed(exchange)) return [];
  const text = canonicalJson(essenceOf(exchange) ?? null);
  const { startedAtMs, durationMs } = exchange.timing;
  return [
    {
      name,
      isRead: caseId === null,
      text,
      kept: withoutNumbers(text),
      startedAtMs,
      endedAtMs: startedAtMs + durationMs,
      exchangeKey: exchange.request.key,
    },
  ];
}

/** Whether the answers of a read differ after each round, which calls or only time may have changed. */
export function isReadChangedByCalls(made: readonly RoundCall[]): boolean {
  const { readers, annotated } = namesIn(made);
  return readers.some((reader) => typeof changeSeenBy(reader, made, annotated) !== 'string');
}

function withoutNumbers(text: string): string {
  return text.replaceAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, '0').replaceAll(/0(?:,0)+/g, '0');
}

function namesIn(made: readonly RoundCall[]) {
  const names = (ofReads: boolean) => [
    ...new Set(made.filter(({ isRead }) => isRead === ofReads).map(({ name }) => name)),
  ];
  const readers = names(true);
  // What is repeated between the rounds cannot be judged by them.
  return { readers, annotated: names(false).filter((name) => !readers.includes(name)) };
}

interface SeenChange {
  readonly reader: string;
  readonly before: RoundCall;
  readonly after: RoundCall;
  /** The calls of the last two rounds: what a repeated call changes shows only after a first one. */
  readonly made: readonly RoundCall[];
  /** A change by itself would have to miss all pauses, and hit each of the rounds. */
  readonly isClear: boolean;
}

/** Two calls of a reader with none of it between; without a call between, only time passed. */
interface Pair extends Pick<SeenChange, 'before' | 'after'> {
  /** The annotated calls between the two. */
  readonly between: readonly RoundCall[];
}

const MIN_ACROSS = 3;
const MIN_BESIDE = 2;
/** Of the pauses, in which nothing changed, compared with the time in which something did. */
const MIN_TIMES_LONGER = 2;

/** `unknown` if too little was read. */
function changeSeenBy(
  reader: string,
  made: readonly RoundCall[],
  annotated: readonly string[],
): SeenChange | 'none' | 'unknown' {
  const pairs = pairsOf(reader, made, annotated);
  const across = pairs.filter(({ between }) => between.length > 0);
  const beside = pairs.filter(({ between }) => between.length === 0);
  const last = across.at(-1);
  if (across.length < MIN_ACROSS || last === undefined) return 'unknown';
  if (!across.every(isChanged) || beside.some(isChanged)) return 'none';
  // A log of calls is no change of what the functions work on.
  const said = new Set(last.after.text.split(/[^\p{L}\p{N}_.-]+/u));
  if (annotated.some((name) => said.has(name))) return 'none';
  const isClear = beside.length >= MIN_BESIDE && totalMs(beside) >= MIN_TIMES_LONGER * totalMs(across);
  const rounds = across.slice(-2).flatMap((pair) => [pair.before, ...pair.between]);
  return { reader, before: last.before, after: last.after, made: rounds, isClear };
}

function pairsOf(reader: string, made: readonly RoundCall[], annotated: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let before: RoundCall | null = null;
  let between: RoundCall[] = [];
  for (const call of made) {
    if (call.isRead && call.name === reader) {
      if (before !== null) pairs.push({ before, after: call, between });
      before = call;
      between = [];
    } else if (annotated.includes(call.name)) between.push(call);
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
function differenceOf(before: RoundCall, after: RoundCall) {
  let at = 0;
  while (at < before.text.length && before.text[at] === after.text[at]) at += 1;
  const from = Math.max(0, at - SHOWN_BEFORE);
  const shown = ({ text }: RoundCall): string =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN_CHARACTERS)}${text.length > from + SHOWN_CHARACTERS ? '…' : ''}`;
  return { expected: `as before: ${shown(before)}`, received: shown(after) };
}
