import { canonicalJson, type Json, showJson } from '../../model/json.ts';
import { failed, inapplicable } from '../../model/judgement.ts';
import { defineCheck, type JsonAnswer, judgeEach } from '../define-check.ts';
import { essenceOf } from '../execute/answer-essence.ts';

export const nothingChanged = defineCheck(
  'step',
  'nothing-changed',
  'no function answers differently after each call of a function called in the steps `once` and `twice`, and the same at all other times; the steps under `use` ran one after the other',
  ({ used }) => {
    const annotated = namesIn([...(used.once ?? []), ...(used.twice ?? [])]);
    if (annotated.length === 0) return inapplicable('no function that was called says so of itself');
    const seen = Object.values(used).flat().flatMap(seenCall);
    const readers = new Set((used.first ?? []).flatMap(seenCall).map(({ key }) => key));
    const blamed = [...readers].flatMap((reader) => changesSeenBy(reader, seen, annotated));
    return judgeEach(blamed, ({ reader, by, before, after }) =>
      failed({
        message: `"${reader}" answers differently after each call of ${by.length > 1 ? 'one of ' : ''}${by.map((name) => `"${name}"`).join(', ')}, and the same at all other times`,
        expected: `the answer before: ${showJson(before.essence)}`,
        received: showJson(after.essence),
        exchangeKey: after.exchangeKey,
      }),
    );
  },
);

interface SeenCall {
  readonly name: string;
  /** The same for calls with the same input. */
  readonly key: string;
  readonly essence: Json;
  /** Without numbers, which may count calls. */
  readonly text: string;
  readonly exchangeKey: string;
}

function seenCall({ call, value, exchange }: JsonAnswer): readonly SeenCall[] {
  const name = call?.functionName;
  if (!call || !name) return [];
  const essence = essenceOf(value);
  return [
    {
      name,
      key: canonicalJson([name, call.input]),
      essence,
      text: canonicalJson(essence).replaceAll(/\d+/g, '0'),
      exchangeKey: exchange.request.key,
    },
  ];
}

function namesIn(answers: readonly JsonAnswer[]): readonly string[] {
  return [...new Set(answers.flatMap(seenCall).map(({ name }) => name))];
}

/** Two calls of a reader with nothing of it between. */
interface Pair {
  readonly before: SeenCall;
  readonly after: SeenCall;
  readonly between: ReadonlySet<string>;
}

interface SeenChange {
  readonly reader: string;
  /** One of these changed it; they were always called together. */
  readonly by: readonly string[];
  readonly before: SeenCall;
  readonly after: SeenCall;
}

/** Fewer may be chance. */
const MIN_PAIRS = 2;

function changesSeenBy(
  key: string,
  seen: readonly SeenCall[],
  annotated: readonly string[],
): readonly SeenChange[] {
  const pairs = pairsOf(key, seen);
  const reader = pairs[0]?.before.name ?? '';
  const isChanged = ({ before, after }: Pair): boolean => before.text !== after.text;
  const by = annotated.filter((name) => {
    const [after, others] = [true, false].map((is) =>
      pairs.filter(({ between }) => between.has(name) === is),
    );
    if (name === reader || !after || !others || Math.min(after.length, others.length) < MIN_PAIRS)
      return false;
    return after.every(isChanged) && !others.some(isChanged);
  });
  const last = pairs.findLast(isChanged);
  if (by.length === 0 || last === undefined) return [];
  // A log of calls is no change of what the functions work on.
  const isLog = namesOf(seen).some((name) => last.after.text.includes(name) && name !== '');
  return isLog ? [] : [{ reader, by, before: last.before, after: last.after }];
}

function namesOf(seen: readonly SeenCall[]): readonly string[] {
  return [...new Set(seen.map(({ name }) => name))];
}

function pairsOf(key: string, seen: readonly SeenCall[]): readonly Pair[] {
  const at = seen.flatMap((call, index) => (call.key === key ? [index] : []));
  return at.slice(1).flatMap((index, which) => {
    const from = at[which] ?? 0;
    const [before, after] = [seen[from], seen[index]];
    if (before === undefined || after === undefined) return [];
    return [{ before, after, between: new Set(seen.slice(from + 1, index).map(({ name }) => name)) }];
  });
}
