import { OptionError } from '../model/arguments.ts';
import type { Header } from '../model/exchange.ts';
import type { PlannedHttp, Secret } from '../model/probe.ts';
import { FIELD_NAME } from '../model/sent.ts';
import type { GivenHeader } from '../probe/given-headers.ts';
import { harnessVersion } from '../suite/product-files.ts';
import { words } from '../text/words.ts';
import type { CheckOptions } from './check-options.ts';

/** Headers of every request; `identity` because compression is not judged. */
export function commonHeaders(): readonly Header[] {
  return [
    ['accept', 'application/json'],
    ['accept-encoding', 'identity'],
    ['user-agent', `probity/${harnessVersion()} (conformance check)`],
  ];
}

/** A GET outside the suites, whose answer is not judged. */
export function plainRead(url: string, key: string, timeoutMs: number): PlannedHttp {
  return {
    key,
    method: 'GET',
    url,
    headers: commonHeaders(),
    body: null,
    abortAfterBytes: null,
    timeoutMs,
    feedsLaterSteps: true,
    anonymous: false,
    connection: null,
    upgrade: null,
  };
}

/** Headers whose values are not secret. */
const NOT_SECRET = new Set(['accept', 'accept-language', 'content-type', 'traceparent', 'user-agent']);

const SECRET_NAME = /auth|cookie|key|token|secret|password|signature|credential|session/;

/** An ordinary word is not a secret, and redacting it would change the answers. */
function isPlainWord(lowerName: string, value: string): boolean {
  return !SECRET_NAME.test(lowerName) && /^[A-Za-z_/-]{1,32}$/.test(value);
}

const FRAMING_HEADERS = words(
  'connection content-length transfer-encoding host upgrade expect keep-alive te trailer',
);

/** An invalid header is the user's mistake, and must not look like an unreachable server. */
function refuseHeader(name: string, value: string): void {
  if (!FIELD_NAME.test(name))
    wrong(`${JSON.stringify(name)} is not the name of a header. Use letters, digits and hyphens.`);
  if (FRAMING_HEADERS.has(name.toLowerCase()))
    wrong(`The header ${name} belongs to the connection. Remove it: the check sets it.`);
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    wrong(
      `The value of the header ${name} has an invalid character. Remove line breaks and characters outside Latin-1, or encode them.`,
    );
}

function wrong(problem: string): never {
  throw new OptionError('headers', problem);
}

export function givenHeaders(options: Pick<CheckOptions, 'headers' | 'bearerToken'>): {
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
} {
  const bearer = options.bearerToken;
  const headers: GivenHeader[] = [];
  const secrets: Secret[] = [];
  if (bearer !== undefined) {
    refuseHeader('Authorization', bearer);
    if (Object.keys(options.headers ?? {}).some((name) => name.toLowerCase() === 'authorization'))
      wrong('Both `headers` and `bearerToken` set the header Authorization. Remove one of the two.');
    headers.push({ name: 'authorization', value: `Bearer ${bearer}`, shownValue: 'Bearer $PROBITY_TOKEN' });
    secrets.push({ value: bearer, variable: 'PROBITY_TOKEN' });
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    refuseHeader(name, value);
    const lowerName = name.toLowerCase();
    if (NOT_SECRET.has(lowerName) || isPlainWord(lowerName, value)) {
      headers.push({ name: lowerName, value, shownValue: value });
      continue;
    }
    const variable = `PROBITY_HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;
    headers.push({ name: lowerName, value, shownValue: `$${variable}` });
    secrets.push({ value, variable });
    for (const part of partsOf(lowerName, value)) secrets.push({ value: part, variable });
  }
  return { headers, secrets };
}

/** Parts of a header that a server may echo alone: the credentials, a cookie, a name and a password. */
function partsOf(lowerName: string, value: string): readonly string[] {
  // An ordinary word would also match text that is not an echo.
  const isDistinctive = (part: string): boolean => !/^[A-Za-z_/-]*$/.test(part);
  if (lowerName === 'cookie')
    return value
      .split(';')
      .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
      .filter(isDistinctive);
  const [, scheme = '', credentials] = /^(\S+)\s+(\S+)$/.exec(value) ?? [];
  if (credentials === undefined) return [];
  if (scheme.toLowerCase() !== 'basic') return [credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return [credentials, pair, ...[pair.slice(pair.indexOf(':') + 1)].filter(isDistinctive)];
}
