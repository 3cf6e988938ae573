import { isExactNumber } from '../json/exact-number.ts';
import { isOnCalendar } from '../text/day.ts';
import { nearest } from '../text/nearest-name.ts';
import { ExpectedError } from './expected-error.ts';

/** An argument or option of the library that is unknown, is of the wrong kind, or cannot be used. */
export class OptionError extends ExpectedError {
  override readonly name = 'OptionError';
  /** Its name, such as `only` or `latency.samples`. */
  readonly option: string;

  constructor(option: string, message: string) {
    super(message);
    this.option = option;
  }
}

export interface ArgumentProblem {
  readonly option: string;
  readonly message: string;
}

/** The validation of a value. */
export interface Kind {
  readonly isRequired: boolean;
  readonly problem: (value: unknown, at: string) => ArgumentProblem | null;
}

/** A kind for each key: the compiler refuses missing and extra keys. */
export type Kinds<Options> = { readonly [Key in keyof Options]-?: Kind };

/** Throws an OptionError for the first argument or option that the function does not accept. */
export function requireArguments<Given extends object>(
  functionName: string,
  given: Given,
  kinds: Kinds<Given>,
): void {
  const found = argumentProblem(given, kinds);
  if (found !== null) throw new OptionError(found.option, `${functionName}: ${found.message}`);
}

export function argumentProblem<Given extends object>(
  given: Given,
  kinds: Kinds<Given>,
): ArgumentProblem | null {
  return problemInEntries(given, kinds, '');
}

export const text = textThatIs('a string');
export const flag = leaf('true or false', (value) => typeof value === 'boolean');
export const anyFunction = leaf('a function', (value) => typeof value === 'function');
export const positive = number('a number above 0', (value) => value > 0 && Number.isFinite(value));
export const notNegative = number('a number from 0', (value) => value >= 0 && Number.isFinite(value));
export const anyNumber = number('a number', () => true);
export const anyList = leaf('a list', Array.isArray);
/** An object of the caller; its content is validated elsewhere. */
export const anyObject = leaf('an object', isObject);
export const bytes = leaf('a Uint8Array', ArrayBuffer.isView);
export const abortSignal = leaf(
  'an AbortSignal',
  (value) =>
    isObject(value) &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function',
);
export const textNotEmpty = optionalKind((value, at) =>
  value === '' ? wrong(at, 'empty', 'Give a string that is not empty.') : text.problem(value, at),
);
export const day = optionalKind((value, at) => {
  const isText = typeof value === 'string';
  if (isText && isOnCalendar(value)) return null;
  const shown = isText ? JSON.stringify(value.slice(0, 100)) : typeInWords(value);
  return wrong(at, shown, 'Give a date such as "2026-12-31".');
});
/** A value that JSON.stringify and JSON.parse preserve, for the worker and for reports. */
export const json = optionalKind((value, at) => problemInJson(value, at, []));
export const jsonObject = optionalKind((value, at) =>
  isObject(value) ? json.problem(value, at) : wrong(at, typeInWords(value), 'Give an object of JSON.'),
);

/** Timers with a longer delay fire at once. */
const MAX_MS = 2 ** 31 - 1;

export const milliseconds = millisecondsFrom(1);

export function millisecondsFrom(min: number): Kind {
  return number(`milliseconds, from ${min} to ${MAX_MS}`, (value) => value >= min && value <= MAX_MS);
}

/**
 * An object that a function of the library returns, recognised by some of its members. `words` describe it and its
 * source.
 */
export function objectWith<Value>(words: string, members: { readonly [Key in keyof Value]?: Kind }): Kind {
  return optionalKind((value, at) => {
    if (!isObject(value)) return wrong(at, typeInWords(value), `Give ${words}.`);
    return first(Object.entries(members) as [string, Kind][], ([name, kind]) => {
      const member = value[name];
      if (member === undefined && !kind.isRequired) return null;
      if (member === undefined) return wrong(at, `an object without \`${name}\``, `Give ${words}.`);
      return kind.problem(member, name) === null
        ? null
        : wrong(at, `an object with an invalid \`${name}\``, `Give ${words}.`);
    });
  });
}

export function textThatIs(words: string, accepts: (value: string) => boolean = () => true): Kind {
  return leaf(words, (value) => typeof value === 'string' && accepts(value));
}

export function wholeFrom(min: number): Kind {
  return number(`a whole number from ${min}`, (value) => Number.isSafeInteger(value) && value >= min);
}

export function wholeBetween(min: number, max: number): Kind {
  return number(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isSafeInteger(value) && value >= min && value <= max,
  );
}

export function oneOf(...known: readonly (string | number)[]): Kind {
  const words = `one of ${known.map((one) => JSON.stringify(one)).join(', ')}`;
  return optionalKind((value, at) => {
    if (known.some((one) => one === value)) return null;
    const close = typeof value === 'string' ? nearest(value, known.map(String)) : undefined;
    const remedy = close === undefined ? `Give ${words}.` : `Did you mean ${JSON.stringify(close)}?`;
    return wrong(
      at,
      typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : typeInWords(value),
      remedy,
    );
  });
}

export function listOf(kind: Kind): Kind {
  return optionalKind((value, at) => {
    if (!Array.isArray(value)) {
      // The items of these lists are not secrets, so messages may quote them.
      const isPlain = typeof value === 'string' || typeof value === 'number';
      const put = isPlain && kind.problem(value, at) === null ? `: [${JSON.stringify(value)}]` : '';
      return wrong(at, typeInWords(value), `Give a list${put}.`);
    }
    return first(value.entries(), ([index, entry]) => kind.problem(entry, `${at}[${index}]`));
  });
}

export function mapOf(kind: Kind): Kind {
  return optionalKind((value, at) =>
    isObject(value)
      ? (notPlain(value, at) ??
        hiddenIn(value, at) ??
        first(Object.entries(value), ([key, entry]) => kind.problem(entry, within(at, key))))
      : wrong(at, typeInWords(value), 'Give an object with a value for each name.'),
  );
}

/** An object with these keys and no others. */
export function record<Options>(kinds: Kinds<Options>): Kind {
  return optionalKind((value, at) =>
    isObject(value)
      ? problemInEntries(value, kinds, at)
      : wrong(at, typeInWords(value), `Give an object with ${Object.keys(kinds).join(', ')}.`),
  );
}

/** A record of one of several types, selected by its `kind`. */
export function variantOf<Value extends { readonly kind: string }>(
  variants: {
    readonly [Name in Value['kind']]: Kinds<Omit<Extract<Value, { readonly kind: Name }>, 'kind'>>;
  },
): Kind {
  const sort = oneOf(...Object.keys(variants));
  return optionalKind((value, at) => {
    if (!isObject(value)) return wrong(at, typeInWords(value), 'Give an object with kind.');
    const { kind } = value;
    const known = Object.entries<object>(variants).find(([name]) => name === kind);
    return known === undefined
      ? sort.problem(kind, within(at, 'kind'))
      : problemInEntries(value, { kind: sort, ...known[1] }, at);
  });
}

/** A value of any of these kinds; `words` describe all of them. */
export function eitherOf(words: string, ...kinds: readonly Kind[]): Kind {
  return optionalKind((value, at) =>
    kinds.some((kind) => kind.problem(value, at) === null)
      ? null
      : wrong(at, typeInWords(value), `Give ${words}.`),
  );
}

/** The first problem found. */
export function allOf(...kinds: readonly Kind[]): Kind {
  return optionalKind((value, at) => first(kinds, (kind) => kind.problem(value, at)));
}

export function required(kind: Kind): Kind {
  return { ...kind, isRequired: true };
}

export function orNull(kind: Kind): Kind {
  return { ...kind, problem: (value, at) => (value === null ? null : kind.problem(value, at)) };
}

function optionalKind(problem: Kind['problem']): Kind {
  return { isRequired: false, problem };
}

export function leaf(words: string, accepts: (value: unknown) => boolean): Kind {
  return optionalKind((value, at) =>
    accepts(value) ? null : wrong(at, typeInWords(value), `Give ${words}.`),
  );
}

function number(words: string, accepts: (value: number) => boolean): Kind {
  return optionalKind((value, at) => {
    if (typeof value === 'number' && !Number.isNaN(value) && accepts(value)) return null;
    return wrong(at, typeof value === 'number' ? `${value}` : typeInWords(value), `Give ${words}.`);
  });
}

function wrong(at: string, shown: string, remedy: string): ArgumentProblem {
  return { option: at, message: `\`${at}\` is ${shown}. ${remedy}` };
}

function problemInEntries(given: object, kinds: object, at: string): ArgumentProblem | null {
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

function ownKeys(given: object): readonly (string | symbol)[] {
  return [...Object.getOwnPropertyNames(given), ...Object.getOwnPropertySymbols(given)];
}

/** Only an object's own enumerable properties are copied; all others would be lost. */
function notPlain(given: object, at: string): ArgumentProblem | null {
  const foreign = foreignWords(given);
  if (foreign === null) return null;
  const hasEntries = 'entries' in given && typeof given.entries === 'function';
  const remedy = hasEntries
    ? `Give Object.fromEntries(${at}).`
    : 'Give a plain object: inherited properties would be lost.';
  return wrong(at, foreign, remedy);
}

function hiddenIn(given: object, at: string): ArgumentProblem | null {
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

function problemInJson(value: unknown, at: string, above: readonly object[]): ArgumentProblem | null {
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
function within(at: string, name: string): string {
  return at === '' || at === 'options' ? name : `${at}.${name}`;
}

function first<Entry>(
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
function typeInWords(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
