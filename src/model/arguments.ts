import type { Json, JsonObject } from '../json/json.ts';
import { isOnCalendar } from '../text/day.ts';
import { nearest } from '../text/nearest-name.ts';
import { ExpectedError } from './expected-error.ts';
import {
  type ArgumentProblem,
  first,
  hiddenIn,
  isObject,
  type Kind,
  type Kinds,
  notPlain,
  problemInEntries,
  problemInJson,
  type RecordOf,
  type RequiredKind,
  typeInWords,
  within,
  wrong,
} from './kind.ts';

// The kinds of values that functions of the library take. A kind says what is wrong with a value and what to give
// instead, and the type of the value follows from it. Instead of TypeBox, whose checker would double what `--help`
// loads (85 KB beside 88 KB, and 25 ms of CPU time more), says nothing of remedies, and accepts hidden and inherited
// properties, which would be lost on the way to a thread.

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
export const flag = leaf<boolean>('true or false', (value) => typeof value === 'boolean');
export const anyFunction = functionOf<(...args: never) => unknown>();
export const positive = number('a number above 0', (value) => value > 0 && Number.isFinite(value));
export const notNegative = number('a number from 0', (value) => value >= 0 && Number.isFinite(value));
export const anyList = leaf<readonly unknown[]>('a list', Array.isArray);
/** An object of the caller; its content is validated elsewhere. */
export const anyObject = leaf<object>('an object', isObject);
export const bytes = leaf<Uint8Array>('a Uint8Array', ArrayBuffer.isView);
export const abortSignal = leaf<AbortSignal>(
  'an AbortSignal',
  (value) =>
    isObject(value) &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function',
);
export const textNotEmpty = optionalKind<string>((value, at) =>
  value === '' ? wrong(at, 'empty', 'Give a string that is not empty.') : text.problem(value, at),
);
export const day = optionalKind<string>((value, at) => {
  const isText = typeof value === 'string';
  if (isText && isOnCalendar(value)) return null;
  const shown = isText ? JSON.stringify(value.slice(0, 100)) : typeInWords(value);
  return wrong(at, shown, 'Give a date such as "2026-12-31".');
});
/** A value that JSON.stringify and JSON.parse preserve, for the worker and for reports. */
export const json = optionalKind<Json>((value, at) => problemInJson(value, at, []));
export const jsonObject = optionalKind<JsonObject>((value, at) =>
  isObject(value) ? json.problem(value, at) : wrong(at, typeInWords(value), 'Give an object of JSON.'),
);

/** Timers with a longer delay fire at once. */
const MAX_MS = 2 ** 31 - 1;

export const milliseconds = millisecondsFrom(1);

export function millisecondsFrom(min: number): Kind<number> {
  return number(`milliseconds, from ${min} to ${MAX_MS}`, (value) => value >= min && value <= MAX_MS);
}

/**
 * An object that a function of the library returns, recognised by some of its members. `words` describe it and its
 * source.
 */
export function objectWith<Value>(
  words: string,
  members: { readonly [Key in keyof Value]?: Kind },
): Kind<Value> {
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

export function textThatIs(words: string, accepts: (value: string) => boolean = () => true): Kind<string> {
  return leaf(words, (value) => typeof value === 'string' && accepts(value));
}

export function functionOf<Value>(): Kind<Value> {
  return leaf('a function', (value) => typeof value === 'function');
}

export function wholeFrom(min: number): Kind<number> {
  return number(`a whole number from ${min}`, (value) => Number.isSafeInteger(value) && value >= min);
}

export function wholeBetween(min: number, max: number): Kind<number> {
  return number(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isSafeInteger(value) && value >= min && value <= max,
  );
}

export function oneOf<const One extends string | number>(...known: readonly One[]): Kind<One> {
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

export function listOf<Item>(kind: Kind<Item>): Kind<readonly Item[]> {
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

export function mapOf<Value>(kind: Kind<Value>): Kind<Readonly<Record<string, Value>>> {
  return optionalKind((value, at) =>
    isObject(value)
      ? (notPlain(value, at) ??
        hiddenIn(value, at) ??
        first(Object.entries(value), ([key, entry]) => kind.problem(entry, within(at, key))))
      : wrong(at, typeInWords(value), 'Give an object with a value for each name.'),
  );
}

/** An object with these keys and no others. */
export function record<const Members extends Readonly<Record<string, Kind>>>(
  kinds: Members,
): Kind<RecordOf<Members>> {
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
): Kind<Value> {
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
export function eitherOf<Value>(words: string, ...kinds: readonly Kind<Value>[]): Kind<Value> {
  return optionalKind((value, at) =>
    kinds.some((kind) => kind.problem(value, at) === null)
      ? null
      : wrong(at, typeInWords(value), `Give ${words}.`),
  );
}

/** The first problem found. */
export function allOf<Value>(kind: Kind<Value>, ...more: readonly Kind[]): Kind<Value> {
  return optionalKind((value, at) => first([kind, ...more], (one) => one.problem(value, at)));
}

export function required<Value>(kind: Kind<Value>): RequiredKind<Value> {
  return { ...kind, isRequired: true };
}

export function orNull<Value>(kind: Kind<Value>): Kind<Value | null> {
  return { ...kind, problem: (value, at) => (value === null ? null : kind.problem(value, at)) };
}

function optionalKind<Value>(problem: Kind['problem']): Kind<Value> {
  return { isRequired: false, problem };
}

export function leaf<Value>(words: string, accepts: (value: unknown) => boolean): Kind<Value> {
  return optionalKind((value, at) =>
    accepts(value) ? null : wrong(at, typeInWords(value), `Give ${words}.`),
  );
}

export function number(words: string, accepts: (value: number) => boolean): Kind<number> {
  return optionalKind((value, at) => {
    if (typeof value === 'number' && !Number.isNaN(value) && accepts(value)) return null;
    return wrong(at, typeof value === 'number' ? `${value}` : typeInWords(value), `Give ${words}.`);
  });
}
