import { isExactNumber } from '../json/exact-number.ts';
import { nearest } from '../text/nearest-name.ts';

export interface ArgumentProblem {
  readonly option: string;
  readonly message: string;
}

/** The validation of a value of type `T`. */
export interface Kind<T = unknown> {
  readonly isRequired: boolean;
  readonly problem: (value: unknown, at: string) => ArgumentProblem | null;
  /** Only in types. */
  readonly of?: T;
}

export type RequiredKind<T = unknown> = Kind<T> & { readonly isRequired: true };

export type TypeOf<K> = K extends Kind<infer T> ? T : never;

/** The type of an object with these keys. */
export type RecordOf<K> = {
  readonly [Key in keyof K as K[Key] extends RequiredKind ? Key : never]: TypeOf<K[Key]>;
} & {
  readonly [Key in keyof K as K[Key] extends RequiredKind ? never : Key]?: TypeOf<K[Key]> | undefined;
};

/** A kind for each key: the compiler refuses missing and extra keys. */
export type Kinds<Options> = { readonly [Key in keyof Options]-?: Kind };

export function wrong(at: string, shown: string, remedy: string): ArgumentProblem {
  return { option: at, message: `\`${at}\` is ${shown}. ${remedy}` };
}

function ownKeys(given: object): readonly (string | symbol)[] {
  return [...Object.getOwnPropertyNames(given), ...Object.getOwnPropertySymbols(given)];
}

/** Only an object's own enumerable properties are copied; all others would be lost. */
export function notPlain(given: object, at: string): ArgumentProblem | null {
  const foreign = foreignWords(given);
  if (foreign === null) return null;
  const hasEntries = 'entries' in given && typeof given.entries === 'function';
  const remedy = hasEntries
    ? `Give Object.fromEntries(${at}).`
    : 'Give a plain object: inherited properties would be lost.';
  return wrong(at, foreign, remedy);
}

export function hiddenIn(given: object, at: string): ArgumentProblem | null {
  const hidden = ownKeys(given).find(
    (key) => typeof key === 'symbol' || !Object.prototype.propertyIsEnumerable.call(given, key),
  );
  return hidden === undefined
    ? null
    : wrong(
        within(at, String(hidden)),
        'a hidden property',
        'Give it under a name, as an ordinary property.',
      );
}

/**
 * Null for a plain object, also one of another realm, which has a different `Object`; test runners create such objects.
 */
function foreignWords(value: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) return null;
  if (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')) return null;
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return tag === 'Object' ? 'an object that inherits from another' : `a ${tag}`;
}

/** More than a reasonable request needs, and far below the limit of the stack. */
const MAX_LEVELS = 500;

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export function problemInJson(value: unknown, at: string, above: readonly object[]): ArgumentProblem | null {
  const isNumber = typeof value === 'number';
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if ((isNumber && Number.isFinite(value)) || (isExactNumber(value) && JSON_NUMBER.test(String(value))))
    return null;
  if (typeof value !== 'object') return wrong(at, isNumber ? `${value}` : typeInWords(value), 'Give JSON.');
  if (above.includes(value)) return wrong(at, 'an object that contains itself', 'Give JSON.');
  if (above.length === MAX_LEVELS)
    return wrong(at.slice(0, 100), `nested more than ${MAX_LEVELS} levels deep`, 'Make it flatter.');
  const around = [...above, value];
  if (Array.isArray(value))
    return first(value.entries(), ([index, item]) => problemInJson(item, `${at}[${index}]`, around));
  const foreign = foreignWords(value);
  if (foreign !== null) return wrong(at, foreign, 'Give JSON.');
  return first(Object.entries(value), ([key, item]) =>
    // JSON omits undefined members.
    item === undefined ? null : problemInJson(item, within(at, key), around),
  );
}

/** Options are named without the argument that contains them. */
export function within(at: string, name: string): string {
  return at === '' || at === 'options' ? name : `${at}.${name}`;
}

export function first<Entry>(
  entries: Iterable<Entry>,
  problem: (entry: Entry) => ArgumentProblem | null,
): ArgumentProblem | null {
  for (const entry of entries) {
    const found = problem(entry);
    if (found !== null) return found;
  }
  return null;
}

/** Describes a value without quoting it, because it may be a secret. */
export function typeInWords(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function problemInEntries(given: object, kinds: object, at: string): ArgumentProblem | null {
  const inherited = notPlain(given, at);
  if (inherited !== null) return inherited;
  const known = Object.entries(kinds) as [string, Kind][];
  const unknown = ownKeys(given).find((key) => !Object.hasOwn(kinds, key));
  if (unknown !== undefined) {
    const names = known.map(([name]) => name);
    const close = nearest(String(unknown), names);
    const remedy =
      close === undefined ? `Known options: ${names.join(', ')}.` : `Did you mean \`${within(at, close)}\`?`;
    const option = within(at, String(unknown));
    return { option, message: `unknown option \`${option}\`. ${remedy}` };
  }
  return (
    hiddenIn(given, at) ??
    first(known, ([name, kind]) => {
      const value = Object.hasOwn(given, name)
        ? (given as Readonly<Record<string, unknown>>)[name]
        : undefined;
      // An undefined option counts as omitted, so that callers can pass options on simply.
      return value === undefined && !kind.isRequired ? null : kind.problem(value, within(at, name));
    })
  );
}
