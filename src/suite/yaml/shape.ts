import type { Json, JsonObject } from '../../json/json.ts';
import { DAY, isOnCalendar } from '../../text/day.ts';
import { type Diagnostic, type DiagnosticCode, didYouMean, type Place } from './diagnostic.ts';
import { plainValue, type Tree } from './tree.ts';

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
  /** The type of its values, if it has only scalars; `null` is the only object among them. */
  readonly scalar?: 'string' | 'number' | 'boolean' | 'object';
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never;

export type Reporter = (code: DiagnosticCode, place: Place, message: string, suggestion: string) => undefined;

export function reporterInto(diagnostics: Diagnostic[], file: string): Reporter {
  return (code, place, message, suggestion) => {
    diagnostics.push({ code, file, place, message, suggestion });
  };
}

/** A value with the place it was read from, for what is checked after reading. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
}

function describe(tree: Tree): string {
  if (tree.kind === 'list') return 'a list';
  if (tree.kind === 'map') return 'a mapping';
  if (tree.value === null) return 'nothing';
  if (typeof tree.value === 'string') return 'text';
  return typeof tree.value === 'number' ? 'a number' : 'true or false';
}

export function wrongType(report: Reporter, tree: Tree, words: string): undefined {
  return report(
    'wrong-type',
    tree.place,
    `expected ${words}, found ${describe(tree)}`,
    `Write ${words} here.`,
  );
}

/** What is wrong with a value, and what to write instead. */
export interface ValueProblem {
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
      return found === null ? value : report('wrong-value', tree.place, found.problem, found.remedy);
    },
  };
}

function isNot(words: string, value: string | number): ValueProblem {
  const shown = typeof value === 'string' ? `"${value}"` : value;
  return { problem: `${shown} is not ${words}`, remedy: `Write ${words}.` };
}

function scalarOf<T>(words: string, schema: JsonObject, scalar: NonNullable<Shape<T>['scalar']>): Shape<T> {
  return {
    words,
    schema,
    scalar,
    read: (tree, report) =>
      tree.kind === 'scalar' && typeof tree.value === scalar
        ? (tree.value as T)
        : wrongType(report, tree, words),
  };
}

export function text(
  options: { pattern?: RegExp; words?: string; maxCharacters?: number } = {},
): Shape<string> {
  const { pattern, maxCharacters } = options;
  const words = options.words ?? (maxCharacters ? `text of up to ${maxCharacters} characters` : 'text');
  const length = { minLength: 1, ...(maxCharacters ? { maxLength: maxCharacters } : {}) };
  const schema = { type: 'string', ...(pattern ? { pattern: pattern.source } : length) };
  return checked(scalarOf<string>(words, schema, 'string'), (value) => {
    const characters = maxCharacters ? [...value].length : 0;
    if (maxCharacters && characters > maxCharacters) {
      const problem = `the text has ${characters} characters; the maximum is ${maxCharacters}`;
      return { problem, remedy: 'Shorten it.' };
    }
    const fits = pattern ? pattern.test(value) : value.trim() !== '';
    return fits ? null : isNot(words, value);
  });
}

export function day(example: string): Shape<string> {
  const remedy = `Write a date such as ${example}.`;
  return checked(text({ pattern: DAY, words: `a date such as ${example}` }), (value) =>
    isOnCalendar(value) ? null : { problem: `"${value}" is not a calendar date`, remedy },
  );
}

export const flag = scalarOf<boolean>('true or false', { type: 'boolean' }, 'boolean');

/** Of a key that is left out otherwise. */
export const onlyTrue = {
  ...checked(flag, (value) =>
    value ? null : { problem: 'false is not true', remedy: 'Write true, or remove the key.' },
  ),
  words: 'true',
  schema: { const: true },
} as Shape<true>;

export const nothing = scalarOf<null>('null', { type: 'null' }, 'object');

export function integer(minimum: number, maximum: number): Shape<number> {
  return numberIn(`a whole number from ${minimum} to ${maximum}`, { type: 'integer', minimum, maximum });
}

export function number(minimum: number, maximum?: number): Shape<number> {
  return maximum === undefined
    ? numberIn(`a number, at least ${minimum}`, { type: 'number', minimum })
    : numberIn(`a number from ${minimum} to ${maximum}`, { type: 'number', minimum, maximum });
}

function numberIn(
  words: string,
  schema: { readonly type: 'integer' | 'number'; readonly minimum: number; readonly maximum?: number },
): Shape<number> {
  const { type, minimum, maximum = Number.POSITIVE_INFINITY } = schema;
  return checked(scalarOf<number>(words, schema, 'number'), (value) => {
    const isRightKind = type === 'number' || Number.isInteger(value);
    return isRightKind && value >= minimum && value <= maximum ? null : isNot(words, value);
  });
}

export function oneOf<const T extends string>(values: readonly T[]): Shape<T> {
  const words = values.length === 1 ? `"${values[0]}"` : `one of ${values.join(', ')}`;
  return checked(scalarOf<T>(words, { enum: values }, 'string'), (value) =>
    values.includes(value) ? null : { ...isNot(words, value), remedy: didYouMean(value, values, '') },
  );
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
  { orOne = false, atLeast = 0, atMost }: { orOne?: boolean; atLeast?: number; atMost?: number } = {},
): Shape<readonly T[]> {
  const bounded = atMost === undefined ? 'a list' : `a list of up to ${atMost}`;
  const words = orOne ? `${shape.words}, or a list of these` : `${bounded}, each item ${shape.words}`;
  const bounds = { minItems: atLeast, ...(atMost === undefined ? {} : { maxItems: atMost }) };
  const list: JsonObject = { type: 'array', items: shape.schema, ...bounds };
  return {
    words,
    schema: orOne ? { anyOf: [shape.schema, list] } : list,
    read: (tree, report) => {
      if (tree.kind !== 'list') {
        if (!orOne) return wrongType(report, tree, words);
        const only = shape.read(tree, report);
        return only === undefined ? undefined : [only];
      }
      const { items, place } = tree;
      if (items.length < atLeast)
        return report('wrong-value', place, 'the list is empty', `Add at least ${atLeast}.`);
      if (atMost !== undefined && items.length > atMost) {
        const problem = `the list has ${items.length} items; the maximum is ${atMost}`;
        return report('wrong-value', place, problem, `Keep up to ${atMost}.`);
      }
      return items.map((item) => shape.read(item, report)).filter((item) => item !== undefined);
    },
  };
}

/** The first shape decides, and reports the errors, if `fits`: by default, if a value has the type of its scalars. */
export function either<A, B>(
  first: Shape<A>,
  second: Shape<B>,
  fits = (tree: Tree) => tree.kind === 'scalar' && typeof tree.value === first.scalar,
): Shape<A | B> {
  return {
    words: `${first.words}, or ${second.words}`,
    schema: { anyOf: [first.schema, second.schema] },
    read: (tree, report) => (fits(tree) ? first.read(tree, report) : second.read(tree, report)),
  };
}

export const isScalar = (tree: Tree): boolean => tree.kind === 'scalar';
export const hasKey = (name: string) => (tree: Tree) =>
  tree.kind === 'map' && tree.entries.some(({ key }) => key === name);
