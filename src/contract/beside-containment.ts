import { canonicalJson, type Json, ownProperty, ownText, sameJson, shorten } from '../json/json.ts';
import type { SchemaChange, SchemaUse } from './compare-schemas.ts';
import type { Place, Side } from './schema-parts.ts';

// Changes that no containment of schemas shows: of texts, defaults, and of members that nobody names.

/** Callers send only what the schema names, and results have only that: it changes nothing for them. */
export function extraChange(
  was: Json,
  is: Json,
  { path, name }: Place,
  use: SchemaUse,
): readonly SchemaChange[] {
  const [before, after] = [was, is].map((schema) => ownProperty(schema, 'additionalProperties') === false);
  if (before === after) return [];
  const message = `${subject(use, name)} ${after === true ? 'refuses' : 'allows'} members that it does not name now`;
  return [{ kind: 'cosmetic', path, message }];
}

export function subject(use: SchemaUse, name: string): string {
  if (name === '') return use === 'input' ? 'the schema of the arguments' : 'the schema of the result';
  return use === 'input' ? `the argument ${JSON.stringify(name)}` : `${JSON.stringify(name)} of the result`;
}

export function withWitness(use: SchemaUse, name: string, witness: Json): string {
  const value = shorten(canonicalJson(witness), 120);
  return use === 'input'
    ? `${subject(use, name)} accepts less than before, not ${value}`
    : `${subject(use, name)} can be what it was not before, such as ${value}`;
}

export function textChanges(
  given: Side,
  givenNewer: Side,
  older: Side,
  newer: Side,
  { path, name }: Place,
  use: SchemaUse,
): readonly SchemaChange[] {
  return (['title', 'description'] as const).flatMap((keyword) => {
    const was = ownText(given.schema, keyword) ?? ownText(older.schema, keyword) ?? '';
    const is = ownText(givenNewer.schema, keyword) ?? ownText(newer.schema, keyword) ?? '';
    if (was === is) return [];
    const message = `the ${keyword} of ${subject(use, name)} ${textWords(was, is)}`;
    return [{ kind: 'cosmetic', path, message, before: was, after: is, texts: [was, is] } as const];
  });
}

export function textWords(was: string, is: string): string {
  if (is === '') return 'was removed';
  return was === '' ? 'was added' : 'was changed';
}

/** Of a part, and of what stands behind it if it is a reference. */
export function defaultChanges(
  was: readonly Side[],
  is: readonly Side[],
  { path, name }: Place,
  use: SchemaUse,
): readonly SchemaChange[] {
  const [before, after] = [was, is].map((sides) =>
    sides.map(({ schema }) => ownProperty(schema, 'default')).find((one) => one !== undefined),
  );
  if (before === undefined && after === undefined) return [];
  if (before !== undefined && after !== undefined && sameJson(before, after)) return [];
  const what = `the default of ${subject(use, name)}`;
  const texts = [before, after].map((one) => (typeof one === 'string' ? one : '')) as [string, string];
  const shown = {
    path,
    texts,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  // Whoever gives no value may get something else than before.
  if (before === undefined)
    return [
      {
        ...shown,
        kind: 'cosmetic',
        message: `${what} is ${canonicalJson(after ?? null)} now; there was none`,
      },
    ];
  const words =
    after === undefined
      ? `was ${canonicalJson(before)}; there is none now`
      : `was ${canonicalJson(before)} and is ${canonicalJson(after)}`;
  return [{ ...shown, kind: use === 'input' ? 'unclear' : 'cosmetic', message: `${what} ${words}` }];
}
