import type { Header } from '../model/exchange.ts';
import type { PlannedHttp } from '../model/probe.ts';
import type { TokenName } from '../model/request-template.ts';

/** A header from the user, with its redacted form. */
export interface GivenHeader {
  readonly name: string;
  readonly value: string;
  /** The value with its secret replaced: `Bearer $PROBITY_TOKEN`. */
  readonly shownValue: string;
}

/** Values of the header Authorization that may replace that of the user. */
export type GivenTokens = Readonly<Partial<Record<TokenName, GivenHeader>>>;

/** What a request carries of it, if it is not anonymous. */
export function givenTo(
  { scheme = null, token = null }: Pick<PlannedHttp, 'scheme' | 'token'>,
  {
    headers,
    tokens = {},
  }: { readonly headers: readonly GivenHeader[]; readonly tokens?: GivenTokens | undefined },
): readonly GivenHeader[] {
  if (token === null) return underScheme(headers, scheme);
  const other = tokens[token];
  const others = headers.filter(({ name }) => name.toLowerCase() !== 'authorization');
  return other === undefined ? others : [...others, other];
}

export function notGiven(headers: readonly Header[], given: readonly GivenHeader[]): readonly Header[] {
  if (given.length === 0) return headers;
  const overridden = new Set(given.map(({ name }) => name.toLowerCase()));
  return headers.filter(([name]) => !overridden.has(name.toLowerCase()));
}

/** Sends the bearer token under another scheme, to test whether a directory checks the scheme. */
function underScheme(given: readonly GivenHeader[], scheme: string | null): readonly GivenHeader[] {
  if (scheme === null) return given;
  const renamed = (value: string): string => value.replace(/^Bearer(?= )/i, scheme);
  return given.map(({ name, value, shownValue }) =>
    name.toLowerCase() === 'authorization'
      ? { name, value: renamed(value), shownValue: renamed(shownValue) }
      : { name, value, shownValue },
  );
}

/** The headers to send: those of the user replace others of the same name. */
export function withGiven(headers: readonly Header[], given: readonly GivenHeader[]): readonly Header[] {
  return [...notGiven(headers, given), ...given.map(({ name, value }): Header => [name, value])];
}
