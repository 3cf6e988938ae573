import type { Header } from '../model/exchange.ts';

/** A header that the user gave, with what is kept of it. */
export interface GivenHeader {
  readonly name: string;
  readonly value: string;
  /** The value with its secret replaced: `Bearer $PROBITY_TOKEN`. */
  readonly shownValue: string;
}

/** Those that the user gave nothing in the place of. */
export function notGiven(headers: readonly Header[], given: readonly GivenHeader[]): readonly Header[] {
  const overridden = new Set(given.map(({ name }) => name.toLowerCase()));
  return headers.filter(([name]) => !overridden.has(name.toLowerCase()));
}

/** The bearer token under another scheme: whether a directory looks at the scheme at all. */
export function underScheme(given: readonly GivenHeader[], scheme: string | null): readonly GivenHeader[] {
  if (scheme === null) return given;
  const renamed = (value: string): string => value.replace(/^Bearer(?= )/i, scheme);
  return given.map(({ name, value, shownValue }) =>
    name.toLowerCase() === 'authorization'
      ? { name, value: renamed(value), shownValue: renamed(shownValue) }
      : { name, value, shownValue },
  );
}

/** What is sent: the given ones win over others of their name. */
export function withGiven(headers: readonly Header[], given: readonly GivenHeader[]): readonly Header[] {
  return [...notGiven(headers, given), ...given.map(({ name, value }): Header => [name, value])];
}
