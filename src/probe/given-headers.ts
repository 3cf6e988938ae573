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

/** What is sent: the given ones win over others of their name. */
export function withGiven(headers: readonly Header[], given: readonly GivenHeader[]): readonly Header[] {
  return [...notGiven(headers, given), ...given.map(({ name, value }): Header => [name, value])];
}
