import { canonicalJson, isJsonObject, type Json, jsonText, ownItems, shorten } from '../../json/json.ts';
import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, type JsonAnswer } from '../define-check.ts';

export const sameFunctions = defineCheck(
  'repetitions',
  'same-functions',
  'two reads list the same functions, in any order',
  ({ answers }) => {
    const [first] = answers;
    const last = answers.at(-1);
    if (first === undefined || last === undefined || first === last) {
      return undecided({
        message: 'only one read of /capabilities could be used',
        expected: 'two reads',
        received: `${answers.length}`,
      });
    }
    const before = descriptorSet(first);
    const after = descriptorSet(last);
    const gone = [...before].find(([canonical]) => !after.has(canonical));
    const added = [...after].find(([canonical]) => !before.has(canonical));
    if (gone === undefined && added === undefined) return passed;
    const changed = gone !== undefined && added !== undefined && gone[1] === added[1];
    return failed({
      message: changed
        ? `the descriptor of ${gone[1]} differs between two reads`
        : 'two reads list different functions',
      expected: `the same ${before.size} descriptors again`,
      received: changed
        ? shorten(`first ${gone[0]}, then ${added[0]}`, 400)
        : [gone && `${gone[1]} is gone`, added && `${added[1]} is new`].filter(Boolean).join(', '),
      pointer: '/functions',
      exchangeKey: last.exchange.request.key,
    });
  },
);

function descriptorSet({ value }: JsonAnswer): ReadonlyMap<string, string> {
  return new Map(
    ownItems(value, 'functions').map((entry) => [
      canonicalJson(withSortedSets(entry)),
      isJsonObject(entry) ? `function ${jsonText(entry.name ?? null)}` : 'an entry',
    ]),
  );
}

/** Lists of names whose order does not matter. */
const SETS = new Set(['inputs', 'outputs', 'required']);

function withSortedSets(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withSortedSets);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, Json] => {
      const isSet = SETS.has(key) && Array.isArray(inner) && inner.every((name) => typeof name === 'string');
      return [key, isSet ? [...(inner as readonly string[])].sort() : withSortedSets(inner)];
    }),
  );
}
