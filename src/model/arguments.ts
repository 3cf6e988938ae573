import { ExpectedError } from './expected-error.ts';
import { nearest } from './nearest-name.ts';

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

/** What a value has to be. */
export interface Kind {
  readonly isRequired: boolean;
  readonly problem: (value: unknown, at: string) => ArgumentProblem | null;
}

/** A kind for each key, none forgotten and none too many. */
export type Kinds<Options> = { readonly [Key in keyof Options]-?: Kind };

/** Throws an OptionError for the first argument, or option in it, that the function does not take. */
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
export const positive = number('a number above 0', (value) => value > 0);
export const anyNumber = number('a number', () => true);
/** An object that a function of the library gives, or that the caller makes; what it holds is looked at elsewhere. */
export const anyObject = objectThatIs('an object');
export const abortSignal = leaf(
  'an AbortSignal',
  (value) => isObject(value) && typeof value.aborted === 'boolean' && 'addEventListener' in value,
);

/** `words` say which one, and where it is from. */
export function objectThatIs(words: string): Kind {
  return leaf(words, isObject);
}

export function textThatIs(words: string): Kind {
  return leaf(words, (value) => typeof value === 'string');
}

export function wholeFrom(least: number): Kind {
  return number(`a whole number from ${least}`, (value) => Number.isSafeInteger(value) && value >= least);
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
      // What a list may hold here is no secret.
      const put = kind.problem(value, at) === null && isPlain(value) ? `: [${JSON.stringify(value)}]` : '';
      return wrong(at, typeInWords(value), `Give a list${put}.`);
    }
    return first(value.entries(), ([index, entry]) => kind.problem(entry, `${at}[${index}]`));
  });
}

export function mapOf(kind: Kind): Kind {
  return optionalKind((value, at) =>
    isObject(value)
      ? first(Object.entries(value), ([key, entry]) => kind.problem(entry, within(at, key)))
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

export function required(kind: Kind): Kind {
  return { ...kind, isRequired: true };
}

export function orNull(kind: Kind): Kind {
  return { ...kind, problem: (value, at) => (value === null ? null : kind.problem(value, at)) };
}

function optionalKind(problem: Kind['problem']): Kind {
  return { isRequired: false, problem };
}

function leaf(words: string, accepts: (value: unknown) => boolean): Kind {
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
  const known = Object.entries(kinds) as [string, Kind][];
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(kinds, key));
  if (unknown !== undefined) {
    const names = known.map(([name]) => name);
    const close = nearest(unknown, names);
    const remedy =
      close === undefined ? `There are ${names.join(', ')}.` : `Did you mean \`${within(at, close)}\`?`;
    const option = within(at, unknown);
    return { option, message: `there is no option \`${option}\`. ${remedy}` };
  }
  return first(known, ([name, kind]) => {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    // What is undefined is left out: whoever passes options on has no simpler way to do so.
    return value === undefined && !kind.isRequired ? null : kind.problem(value, within(at, name));
  });
}

/** Options are called by their own names, not by that of the argument which holds them. */
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

/** Without the value itself, which may be a secret. */
function typeInWords(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
