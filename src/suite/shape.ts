import type { Json, JsonObject } from '../json/json.ts';
import { type Diagnostic, type DiagnosticCode, didYouMean, type Place } from './diagnostic.ts';
import { plainValue, type Tree, type TreeEntry } from './yaml-tree.ts';

/**
 * A kind of value in one of the product's YAML languages. One description is used to parse a document, and to
 * generate the JSON Schema for editors and the reference in the docs. Apart from the kinds of arguments, because all
 * mistakes of a document are reported at once, each with its line and column, and the values keep their places.
 */
export interface Shape<T> {
  /** The value, or undefined after reporting what is wrong with it. */
  read(tree: Tree, report: Reporter): T | undefined;
  /** JSON Schema 2020-12 for editors. */
  readonly schema: JsonObject;
  /** A few words for messages and the reference: "text", "a list of …". */
  readonly words: string;
}

export type Reporter = (code: DiagnosticCode, place: Place, message: string, suggestion: string) => void;

export function reporterInto(diagnostics: Diagnostic[], file: string): Reporter {
  return (code, place, message, suggestion) => diagnostics.push({ code, file, place, message, suggestion });
}

/** A value with the place it was read from, for what is checked after reading. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never;

function describe(tree: Tree): string {
  if (tree.kind === 'list') return 'a list';
  if (tree.kind === 'map') return 'a mapping';
  if (tree.value === null) return 'nothing';
  if (typeof tree.value === 'string') return 'text';
  return typeof tree.value === 'number' ? 'a number' : 'true or false';
}

function wrongType(report: Reporter, tree: Tree, words: string): undefined {
  report('wrong-type', tree.place, `expected ${words}, found ${describe(tree)}`, `Write ${words} here.`);
  return undefined;
}

/** What is wrong with a value, and what to write instead. */
interface ValueProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** A shape with a validation that its schema cannot express. */
export function checked<T>(base: Shape<T>, problemOf: (value: T) => ValueProblem | null): Shape<T> {
  return {
    ...base,
    read: (tree, report) => {
      const value = base.read(tree, report);
      const found = value === undefined ? null : problemOf(value);
      if (found === null) return value;
      report('wrong-value', tree.place, found.problem, found.remedy);
      return undefined;
    },
  };
}

function scalarShape<T>(words: string, schema: JsonObject, accept: (value: unknown) => value is T): Shape<T> {
  return {
    words,
    schema,
    read: (tree, report) =>
      tree.kind === 'scalar' && accept(tree.value) ? tree.value : wrongType(report, tree, words),
  };
}

export function text(
  options: { pattern?: RegExp; words?: string; maxCharacters?: number } = {},
): Shape<string> {
  const { maxCharacters = Number.POSITIVE_INFINITY } = options;
  const isBounded = maxCharacters < Number.POSITIVE_INFINITY;
  const words = options.words ?? (isBounded ? `text of up to ${maxCharacters} characters` : 'text');
  const schema = options.pattern
    ? { type: 'string', pattern: options.pattern.source }
    : { type: 'string', minLength: 1, ...(isBounded ? { maxLength: maxCharacters } : {}) };
  const base = scalarShape(words, schema, (value): value is string => typeof value === 'string');
  return checked(base, (value) => {
    if (value.length > maxCharacters && [...value].length > maxCharacters) {
      const problem = `the text has ${[...value].length} characters; the maximum is ${maxCharacters}`;
      return { problem, remedy: 'Shorten it.' };
    }
    const fits = options.pattern ? options.pattern.test(value) : value.trim() !== '';
    return fits ? null : { problem: `"${value}" is not ${words}`, remedy: `Write ${words}.` };
  });
}

export const flag = scalarShape(
  'true or false',
  { type: 'boolean' },
  (value): value is boolean => typeof value === 'boolean',
);

/** Of a key that is left out otherwise. */
export const onlyTrue = {
  ...checked(flag, (value) =>
    value ? null : { problem: 'false is not true', remedy: 'Write true, or remove the key.' },
  ),
  words: 'true',
  schema: { const: true },
} as Shape<true>;

export const nothing = scalarShape('null', { type: 'null' }, (value): value is null => value === null);

export function integer(minimum: number, maximum: number): Shape<number> {
  const words = `a whole number from ${minimum} to ${maximum}`;
  return numberThat(
    words,
    { type: 'integer', minimum, maximum },
    (value) => Number.isInteger(value) && value >= minimum && value <= maximum,
  );
}

export function number(minimum: number, maximum: number): Shape<number> {
  const words =
    maximum === Number.POSITIVE_INFINITY
      ? `a number, at least ${minimum}`
      : `a number from ${minimum} to ${maximum}`;
  return numberThat(
    words,
    { type: 'number', minimum, ...(maximum === Number.POSITIVE_INFINITY ? {} : { maximum }) },
    (value) => value >= minimum && value <= maximum,
  );
}

function numberThat(words: string, schema: JsonObject, fits: (value: number) => boolean): Shape<number> {
  const base = scalarShape(words, schema, (value): value is number => typeof value === 'number');
  return checked(base, (value) =>
    fits(value) ? null : { problem: `${value} is not ${words}`, remedy: `Write ${words}.` },
  );
}

export function oneOf<const T extends string>(values: readonly T[]): Shape<T> {
  const words = values.length === 1 ? `"${values[0]}"` : `one of ${values.join(', ')}`;
  return {
    words,
    schema: { enum: values },
    read: (tree, report) => {
      if (tree.kind !== 'scalar' || typeof tree.value !== 'string') return wrongType(report, tree, words);
      const found = values.find((value) => value === tree.value);
      if (found === undefined)
        report(
          'wrong-value',
          tree.place,
          `"${tree.value}" is not ${words}`,
          didYouMean(tree.value, values, ''),
        );
      return found;
    },
  };
}

/** Any plain value: a JSON Schema, a body, a sample. */
export const anything: Shape<Json> = { words: 'any value', schema: {}, read: plainValue };

export const anyMapping: Shape<JsonObject> = {
  words: 'a mapping',
  schema: { type: 'object' },
  read: (tree, report) =>
    tree.kind === 'map' ? (plainValue(tree) as JsonObject) : wrongType(report, tree, 'a mapping'),
};

export function placed<T>(shape: Shape<T>): Shape<Placed<T>> {
  return {
    ...shape,
    read: (tree, report) => {
      const value = shape.read(tree, report);
      return value === undefined ? undefined : { value, place: tree.place };
    },
  };
}

export function listOf<T>(
  shape: Shape<T>,
  options: { orOne?: boolean; atLeast?: number; atMost?: number } = {},
): Shape<readonly T[]> {
  const { atMost } = options;
  const bounded = atMost === undefined ? 'a list' : `a list of up to ${atMost}`;
  const words =
    options.orOne === true ? `${shape.words}, or a list of these` : `${bounded}, each item ${shape.words}`;
  const list: JsonObject = {
    type: 'array',
    items: shape.schema,
    minItems: options.atLeast ?? 0,
    ...(atMost === undefined ? {} : { maxItems: atMost }),
  };
  return {
    words,
    schema: options.orOne === true ? { anyOf: [shape.schema, list] } : list,
    read: (tree, report) => {
      if (tree.kind !== 'list') {
        if (options.orOne !== true) return wrongType(report, tree, words);
        const only = shape.read(tree, report);
        return only === undefined ? undefined : [only];
      }
      if (tree.items.length < (options.atLeast ?? 0)) {
        report('wrong-value', tree.place, 'the list is empty', `Add at least ${options.atLeast}.`);
        return undefined;
      }
      if (atMost !== undefined && tree.items.length > atMost) {
        const problem = `the list has ${tree.items.length} items; the maximum is ${atMost}`;
        report('wrong-value', tree.place, problem, `Keep up to ${atMost}.`);
        return undefined;
      }
      return tree.items.map((item) => shape.read(item, report)).filter((item) => item !== undefined);
    },
  };
}

export function mapOf<T>(
  shape: Shape<T>,
  keyWords = 'name',
): Shape<readonly (Placed<T> & { readonly key: string })[]> {
  const words = `a mapping from ${keyWords} to ${shape.words}`;
  return {
    words,
    schema: { type: 'object', additionalProperties: shape.schema },
    read: (tree, report) => {
      if (tree.kind !== 'map') return wrongType(report, tree, words);
      return tree.entries.flatMap(({ key, keyPlace, value }) => {
        const read = shape.read(value, report);
        return read === undefined ? [] : [{ key, value: read, place: keyPlace }];
      });
    },
  };
}

/** The first shape that accepts the kind of value decides, and reports the errors. */
export function either<A, B>(fits: (tree: Tree) => boolean, first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return {
    words: `${first.words}, or ${second.words}`,
    schema: { anyOf: [first.schema, second.schema] },
    read: (tree, report) => (fits(tree) ? first.read(tree, report) : second.read(tree, report)),
  };
}

export const isNothing = (tree: Tree): boolean => tree.kind === 'scalar' && tree.value === null;
export const hasKey =
  (name: string) =>
  (tree: Tree): boolean =>
    tree.kind === 'map' && tree.entries.some(({ key }) => key === name);
export const isText = (tree: Tree): boolean => tree.kind === 'scalar' && typeof tree.value === 'string';
export const isNumber = (tree: Tree): boolean => tree.kind === 'scalar' && typeof tree.value === 'number';

export interface Key<T, Required extends boolean> {
  readonly shape: Shape<T>;
  readonly doc: string;
  readonly required: Required;
}

export function required<T>(shape: Shape<T>, doc: string): Key<T, true> {
  return { shape, doc, required: true };
}

export function optional<T>(shape: Shape<T>, doc: string): Key<T, false> {
  return { shape, doc, required: false };
}

type Keys = Readonly<Record<string, Key<unknown, boolean>>>;
type RecordOf<K extends Keys> = {
  readonly [P in keyof K as K[P]['required'] extends true ? P : never]: ValueOf<K[P]['shape']>;
} & {
  readonly [P in keyof K as K[P]['required'] extends true ? never : P]?: ValueOf<K[P]['shape']>;
};

export interface RecordShape<T> extends Shape<T> {
  readonly keys: Keys;
}

/**
 * A mapping with closed keys; the value contains the place of the whole and of each key. A wrong key is reported and
 * left out, so that one mistake does not hide the next. Only a missing required key means no value.
 */
export function record<K extends Keys>(
  words: string,
  keys: K,
): RecordShape<RecordOf<K> & { readonly place: Place; readonly keyPlaces: Readonly<Record<string, Place>> }> {
  type Value = RecordOf<K> & { readonly place: Place; readonly keyPlaces: Readonly<Record<string, Place>> };
  const names = Object.keys(keys);
  return {
    words,
    keys,
    schema: {
      type: 'object',
      additionalProperties: false,
      required: names.filter((name) => keys[name]?.required),
      properties: Object.fromEntries(
        Object.entries(keys).map(([name, { shape, doc }]) => [name, { description: doc, ...shape.schema }]),
      ),
    },
    read: (tree, report) => {
      if (tree.kind !== 'map') return wrongType(report, tree, words);
      let isComplete = true;
      const values: Record<string, unknown> = {};
      const keyPlaces: Record<string, Place> = {};
      for (const entry of tree.entries) {
        readEntry(entry, keys, names, report, values);
        keyPlaces[entry.key] = entry.keyPlace;
      }
      for (const name of names) {
        const key = keys[name];
        if (!key?.required || values[name] !== undefined) continue;
        isComplete = false;
        if (Object.hasOwn(keyPlaces, name)) continue;
        report('missing-key', tree.place, `${words} has no key "${name}"`, howToAdd(name, key));
      }
      return isComplete ? ({ ...values, place: tree.place, keyPlaces } as unknown as Value) : undefined;
    },
  };
}

/** Of the required keys, only the version of a file has a single value. */
function howToAdd(name: string, { shape, doc }: Key<unknown, boolean>): string {
  const { enum: values } = shape.schema;
  return Array.isArray(values) && values.length === 1
    ? `Begin the file with \`${name}: ${String(values[0])}\`.`
    : `Add "${name}": ${doc}`;
}

function readEntry(
  entry: TreeEntry,
  keys: Keys,
  names: readonly string[],
  report: Reporter,
  into: Record<string, unknown>,
): void {
  const known = Object.hasOwn(keys, entry.key) ? keys[entry.key] : undefined;
  if (known === undefined) {
    report('unknown-key', entry.keyPlace, `unknown key "${entry.key}"`, didYouMean(entry.key, names, ''));
    return;
  }
  const value = known.shape.read(entry.value, report);
  if (value !== undefined) into[entry.key] = value;
}
