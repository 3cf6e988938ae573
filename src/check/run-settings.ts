import { randomInt } from 'node:crypto';
import { OptionError } from '../model/arguments.ts';
import { type Budget, parseBudget, withoutOverridden } from '../model/budget.ts';
import type { ConfiguredSample } from '../model/call.ts';
import type { Header } from '../model/exchange.ts';
import type { Secret } from '../model/probe.ts';
import type { RunSettings } from '../model/report.ts';
import { parseTarget } from '../model/target.ts';
import { refuseUrl } from '../probe/address-guard.ts';
import { certificatesIn } from '../probe/certificates.ts';
import type { GivenHeader } from '../probe/given-headers.ts';
import { CHECK_EXPLORING } from '../run/experiments/exploring-settings.ts';
import { RATE_ON_LOOPBACK } from '../run/experiments/plan-sample.ts';
import { harnessVersion } from '../suite/product-files.ts';
import { isLoopback } from '../text/loopback.ts';
import { parseUrl } from '../text/parse-url.ts';
import { type CheckOptions, TargetError } from './check-options.ts';
import { mcpServerOf } from './mcp-options.ts';

export const DEFAULT_SETTINGS = {
  form: 'auto',
  readOnly: false,
  publicOnly: false,
  failOn: 'must',
  mutating: 'once',
  maxItems: 50,
  concurrency: 4,
  requestsPerSecond: 50,
  deadlineMs: 60_000,
  requestTimeoutMs: 10_000,
} as const;

const MAX_SEED = 2 ** 31;

/** Of a command, the command itself. */
export function targetUrlOf(url: string, publicOnly: boolean, mcp?: CheckOptions['mcp']): string {
  if (mcp?.command !== undefined) return url;
  if (mcp !== undefined) return endpointOf(url, publicOnly);
  const parsed = parseTarget(url);
  if ('problem' in parsed) throw new TargetError(parsed.problem, parsed.remedy);
  const refusal = publicOnly ? refuseUrl(new URL(parsed.target.url)) : null;
  if (refusal !== null) throw new TargetError(refusal, 'Use a public address, or remove `publicOnly`.');
  return parsed.target.url;
}

/** An endpoint of the Model Context Protocol: any address of a web server. */
function endpointOf(url: string, publicOnly: boolean): string {
  const parsed = parseUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new TargetError(
      `"${url}" is not an http or https URL`,
      'Give a URL such as https://example.com/mcp.',
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw new TargetError(
      'the URL carries a user name or password',
      'Leave them out, and give what the server needs with `headers` or `bearerToken`.',
    );
  const refusal = publicOnly ? refuseUrl(parsed) : null;
  if (refusal !== null) throw new TargetError(refusal, 'Use a public address, or remove `publicOnly`.');
  parsed.hash = '';
  return parsed.href;
}

function mcpIn(targetUrl: string, options: CheckOptions): Pick<RunSettings, 'mcp'> {
  const mcp = mcpServerOf(targetUrl, options);
  return mcp === undefined ? {} : { mcp };
}

/** Without a target, the rate for targets on other machines applies. */
export function settingsOf(options: CheckOptions, targetUrl?: string): RunSettings {
  const samples = Object.entries(options.samples ?? {}).map(
    ([name, list]): [string, readonly ConfiguredSample[]] => [
      name,
      list.map(({ input, fails = false }) => ({ input, fails })),
    ],
  );
  return {
    form: options.form ?? DEFAULT_SETTINGS.form,
    seed: options.seed ?? randomInt(MAX_SEED),
    only: options.only ?? [],
    skip: options.skip ?? [],
    readOnly: options.readOnly ?? DEFAULT_SETTINGS.readOnly,
    publicOnly: options.publicOnly ?? DEFAULT_SETTINGS.publicOnly,
    failOn: options.failOn ?? DEFAULT_SETTINGS.failOn,
    ...(options.minCoverage === undefined ? {} : { minCoverage: options.minCoverage }),
    maxItems: options.maxFunctions ?? DEFAULT_SETTINGS.maxItems,
    concurrency: options.concurrency ?? DEFAULT_SETTINGS.concurrency,
    requestsPerSecond: options.requestsPerSecond ?? defaultRate(targetUrl, options.mcp),
    transports: options.transports ?? [],
    deadlineMs: deadlineMsOf(options),
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_SETTINGS.requestTimeoutMs,
    samples: Object.fromEntries(samples),
    ...(options.producers === undefined ? {} : { producers: options.producers }),
    ...(options.sources === undefined ? {} : { sources: options.sources }),
    claimedResponseTimeMs: options.claimedResponseTimeMs ?? null,
    ...(options.listingGiven === true ? { listingGiven: true as const } : {}),
    ...(targetUrl === undefined ? {} : mcpIn(targetUrl, options)),
    mutating: {
      default: options.mutating?.default ?? DEFAULT_SETTINGS.mutating,
      functions: {
        allow: options.mutating?.allow ?? [],
        once: options.mutating?.once ?? [],
        never: options.mutating?.never ?? [],
      },
    },
    latency: {
      off: options.latency?.off ?? false,
      samples: options.latency?.samples ?? null,
      budgets: withoutOverridden((options.latency?.budgets ?? []).map(budgetOf)),
      rateGiven: options.requestsPerSecond !== undefined,
    },
    ...(options.exploring === undefined ? {} : { exploring: { ...CHECK_EXPLORING, ...options.exploring } }),
    ...(options.targetName === undefined ? {} : { targetName: options.targetName }),
    headerNames: givenHeaders(options)
      .headers.map(({ name }) => name)
      // It gives no access, and differs in every run.
      .filter((name) => name !== 'traceparent'),
    ...(options.bearerEnv === undefined ? {} : { bearerEnv: options.bearerEnv }),
    ...(options.directory === undefined
      ? {}
      : {
          directory: {
            entry: options.directory.entry ?? null,
            tryRateLimit: options.directory.tryRateLimit ?? false,
          },
        }),
  };
}

/** A target on this machine belongs to the user. */
function defaultRate(targetUrl: string | undefined, mcp: CheckOptions['mcp']): number {
  const isOwn =
    mcp?.command !== undefined || (targetUrl !== undefined && isLoopback(new URL(targetUrl).hostname));
  return isOwn ? RATE_ON_LOOPBACK : DEFAULT_SETTINGS.requestsPerSecond;
}

/** A directory is read page after page, and its tests of an entry may take a minute. */
const DIRECTORY_DEADLINE_MS = 180_000;

export function deadlineMsOf({
  deadlineMs,
  directory,
}: Pick<CheckOptions, 'deadlineMs' | 'directory'>): number {
  return deadlineMs ?? (directory === undefined ? DEFAULT_SETTINGS.deadlineMs : DIRECTORY_DEADLINE_MS);
}

function budgetOf(line: string): Budget {
  const budget = parseBudget(line);
  if ('problem' in budget)
    throw new OptionError('latency.budgets', `${capitalised(budget.problem)}. ${budget.remedy}`);
  return budget;
}

/**
 * The certificate authorities to trust, null for the default ones. Node would silently ignore an invalid certificate.
 */
export function authoritiesOf({ ca }: Pick<CheckOptions, 'ca'>): string | null {
  if (ca === undefined) return null;
  try {
    if (certificatesIn(ca).length > 0) return ca;
  } catch {
    throw noAuthorities('One of the authorities to trust is not a certificate');
  }
  throw noAuthorities('The authorities to trust contain no certificate');
}

function noAuthorities(problem: string): OptionError {
  return new OptionError(
    'ca',
    `${problem}. Use PEM certificates: text that starts with -----BEGIN CERTIFICATE-----.`,
  );
}

function capitalised(sentence: string): string {
  return `${sentence[0]?.toUpperCase()}${sentence.slice(1)}`;
}

/** Headers of every request; `identity` because compression is not judged. */
export function commonHeaders(): readonly Header[] {
  return [
    ['accept', 'application/json'],
    ['accept-encoding', 'identity'],
    ['user-agent', `probity/${harnessVersion()} (conformance check)`],
  ];
}

/** Headers whose values are not secret. */
const NOT_SECRET = new Set(['accept', 'accept-language', 'content-type', 'traceparent', 'user-agent']);

const SECRET_NAME = /auth|cookie|key|token|secret|password|signature|credential|session/;

/** An ordinary word is not a secret, and redacting it would change the answers. */
function isPlainWord(lowerName: string, value: string): boolean {
  return !SECRET_NAME.test(lowerName) && /^[A-Za-z_/-]{1,32}$/.test(value);
}

const FRAMING_HEADERS = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'host',
  'upgrade',
  'expect',
  'keep-alive',
  'te',
  'trailer',
]);

/** An invalid header is the user's mistake, and must not look like an unreachable server. */
function refuseHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new OptionError(
      'headers',
      `${JSON.stringify(name)} is not the name of a header. Use letters, digits and hyphens.`,
    );
  if (FRAMING_HEADERS.has(name.toLowerCase()))
    throw new OptionError(
      'headers',
      `The header ${name} belongs to the connection. Remove it: the check sets it.`,
    );
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new OptionError(
      'headers',
      `The value of the header ${name} has an invalid character. Remove line breaks and characters outside Latin-1, or encode them.`,
    );
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
      throw new OptionError(
        'headers',
        'Both `headers` and `bearerToken` set the header Authorization. Remove one of the two.',
      );
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
