import { flag, leaf, listOf, milliseconds, oneOf, text, wholeFrom } from './arguments.ts';
import { isMinCoverage, MIN_COVERAGE_WORDS, type MinCoverage } from './judgement.ts';
import type { Kind, TypeOf } from './kind.ts';

// An option is declared once, by one of these functions. Its declaration is the kind of its value for callers of the
// library, and says how the value is written on a command line and in a configuration. The tables are in
// check-options.ts; `FlagsOf` and `Stored` derive the types of flags and of settings from them.

/** The groups of the help, in its order. */
export const OPTION_GROUPS = [
  'Target',
  'Listening',
  'Access',
  'Selection',
  'Load',
  'Response times',
  'Limits',
  'Gate',
  'Output',
  'Help',
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

/** How a value is written on a command line and in a configuration. */
export type Written =
  | { readonly as: 'toggle' | 'text' | 'command' | 'file' | 'coverage' }
  | { readonly as: 'choice'; readonly of: readonly string[] }
  | { readonly as: 'count'; readonly min: number; readonly max: number }
  /** Up to a day; milliseconds in the library. */
  | { readonly as: 'seconds' }
  /** Comma-separated or repeated; some of these, if there are any. */
  | { readonly as: 'names'; readonly of?: readonly string[] }
  /** Repeated. */
  | { readonly as: 'lines' };

export type WrittenValue<W> = W extends { readonly as: 'choice'; readonly of: readonly (infer Choice)[] }
  ? Choice
  : W extends { readonly as: 'count' | 'seconds' }
    ? number
    : W extends { readonly as: 'toggle' }
      ? boolean
      : W extends { readonly as: 'names' | 'lines' }
        ? readonly string[]
        : W extends { readonly as: 'coverage' }
          ? MinCoverage
          : string;

interface Said<T = unknown> {
  /** What it does, as a part of a sentence. */
  readonly doc: string;
  /** On the command line; there, one that begins with `--no-` means true. */
  readonly flag?: string;
  readonly group?: OptionGroup;
  /** In the configuration. */
  readonly key?: string;
  readonly default?: T;
  /** The default in words, where it is no constant of the option. */
  readonly shown?: string;
  /** The settings of a report have its value, under this name if one is given. */
  readonly stored?: true | string;
}

export interface Option extends Kind, Said {
  readonly written: Written;
}

export type Options = Readonly<Record<string, Option>>;

function declare<T, const W extends Written, const S extends Said>(kind: Kind<T>, written: W, said: S) {
  return { ...kind, written, ...said };
}

export function toggle<const S extends Said<boolean>>(said: S) {
  return declare(flag, { as: 'toggle' }, said);
}

export function choice<const C extends string, const S extends Said<C>>(of: readonly C[], said: S) {
  return declare(oneOf(...of), { as: 'choice', of }, said);
}

/** @param kind for callers of the library, who know what they do */
export function count<const S extends Said<number>>(
  [min, max]: readonly [min: number, max: number],
  said: S,
  kind = wholeFrom(min),
) {
  return declare(kind, { as: 'count', min, max }, said);
}

export function duration<const S extends Said<number>>(said: S) {
  return declare(milliseconds, { as: 'seconds' }, said);
}

export function names<const S extends Said<readonly string[]>, T = readonly string[]>(
  said: S,
  kind: Kind<T> = listOf(text) as Kind<T>,
) {
  return declare(kind, { as: 'names' }, said);
}

/** Some of a few names. */
export function choices<const C extends string, const S extends Said<readonly C[]>>(
  of: readonly C[],
  said: S,
) {
  return declare(listOf(oneOf(...of)), { as: 'names', of }, said);
}

/** @param kind for callers of the library, if they do not give these lines */
export function lines<const S extends Said<T>, T>(said: S, kind: Kind<T>) {
  return declare(kind, { as: 'lines' }, said);
}

export function line<const S extends Said<string>>(said: S, kind: Kind<string> = text) {
  return declare(kind, { as: 'text' }, said);
}

/** A line for the shell. */
export function command<const S extends Said<string>>(said: S) {
  return declare(text, { as: 'command' }, said);
}

export function file<const S extends Said<string>>(said: S) {
  return declare(text, { as: 'file' }, said);
}

export function coverage<const S extends Said<MinCoverage>>(said: S) {
  return declare(leaf<MinCoverage>(MIN_COVERAGE_WORDS, isMinCoverage), { as: 'coverage' }, said);
}

type CamelCase<Words> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words;
type NameOfFlag<Flag> = Flag extends `--no-${infer Words}`
  ? CamelCase<Words>
  : Flag extends `--${infer Words} ${string}`
    ? CamelCase<Words>
    : Flag extends `--${infer Words}`
      ? CamelCase<Words>
      : never;

/** The flags of a table, as the command line is parsed. */
export type FlagsOf<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly flag: infer Flag }
    ? NameOfFlag<Flag> & string
    : never]?: Table[Name] extends { readonly written: infer W } ? WrittenValue<W> : never;
};

type StoredName<Entry, Name> = Entry extends { readonly stored: infer Stored }
  ? Stored extends string
    ? Stored
    : Name
  : never;

/** The settings of a report that a table gives; those without a default may be absent. */
export type StoredOf<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly default: unknown }
    ? StoredName<Table[Name], Name>
    : never]: TypeOf<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name] extends { readonly default: unknown }
    ? never
    : StoredName<Table[Name], Name>]?: TypeOf<Table[Name]>;
};

/** The stored settings, in the order of the table; what is not given has its default. */
export function storedOf<const Table extends Options>(
  table: Table,
  given: { readonly [Name in keyof Table]?: TypeOf<Table[Name]> | undefined },
): StoredOf<Table> {
  const entries = Object.entries(table).flatMap(([name, { stored, default: usual }]) => {
    const value = given[name] ?? usual;
    return stored === undefined || value === undefined ? [] : [[stored === true ? name : stored, value]];
  });
  return Object.fromEntries(entries) as StoredOf<Table>;
}

/** What an option does, with its default. */
export function docOf({ doc, written, shown, default: usual }: Option): string {
  const constant = typeof usual === 'string' || typeof usual === 'number' ? usual : undefined;
  const words =
    shown ?? (written.as === 'seconds' && typeof constant === 'number' ? constant / 1000 : constant);
  return words === undefined ? doc : `${doc} (default: ${words})`;
}
