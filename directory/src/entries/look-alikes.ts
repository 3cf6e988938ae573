import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { labelKey } from './words.ts';

/** How many entries with such a name are named. */
const MAX_NAMED = 5;

/**
 * Letters and digits that look like a Latin letter, after case and width are gone. From the confusables of Unicode
 * (UTS #39), only those of scripts that attackers mix with Latin: its whole table joins letters that readers tell apart.
 */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аαɑ',
    b: 'вβьƅ',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еεє',
    g: 'ɡ',
    h: 'нһη',
    // A capital i and a small l are the same line in most fonts.
    l: 'iіιӏı1|',
    j: 'јϳ',
    k: 'кκ',
    m: 'м',
    n: 'пո',
    o: 'оοσ0',
    p: 'рρ',
    q: 'ԛ',
    r: 'гᴦ',
    s: 'ѕ',
    t: 'тτ',
    u: 'υս',
    v: 'ν',
    w: 'ԝωш',
    x: 'хχ',
    y: 'уγү',
    z: 'ᴢ',
  }).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);

/** Equal for names that readers can mistake for each other: without case, width, accents and punctuation. Pure. */
export function lookAlikeKey(name: string): string {
  const plain = labelKey(name)
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  const letters = [...plain].map((letter) => LOOKS_LIKE.get(letter) ?? letter).join('');
  return letters
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

export interface LookAlike {
  readonly id: string;
  /** The listed entry with such a name. */
  readonly known: string;
}

/** The given entries whose name looks like that of a listed entry with another id. */
export function lookAlikeNames(
  db: Db,
  entries: readonly { readonly id: string; readonly name: string }[],
): Promise<readonly LookAlike[]> {
  return allRows<LookAlike>(db)`
    select given.id, known.id as known
    from unnest(${entries.map(({ id }) => id)}::text[], ${entries.map(({ name }) => lookAlikeKey(name))}::text[])
      as given (id, key)
    cross join lateral (
      select id from entries
      where name_key = given.key and given.key <> '' and decision = 'list' and id <> given.id
      order by id limit ${MAX_NAMED}
    ) as known
    order by given.id, known.id`;
}
