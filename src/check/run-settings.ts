import { randomInt } from 'node:crypto';
import { OptionError } from '../model/arguments.ts';
import { type Budget, parseBudget, withoutOverridden } from '../model/budget.ts';
import type { ConfiguredSample } from '../model/call.ts';
import { CHECK_SETTINGS, MUTATING_OPTIONS } from '../model/check-options.ts';
import { storedOf } from '../model/option.ts';
import { PROFILE_IDS } from '../model/profile.ts';
import type { ExploringSettings, RunSettings } from '../model/report.ts';
import { parseTarget } from '../model/target.ts';
import { refuseUrl } from '../probe/address-guard.ts';
import { certificatesIn } from '../probe/certificates.ts';
import { RATE_ON_LOOPBACK } from '../run/experiments/plan-sample.ts';
import { CHECK_EXPLORING } from '../run/steps/exploring-settings.ts';
import { matchesGlob } from '../text/glob.ts';
import { isLoopback } from '../text/loopback.ts';
import { parseUrl } from '../text/parse-url.ts';
import { type CheckOptions, TargetError } from './check-options.ts';
import { tokenVariables } from './given-tokens.ts';
import { mcpServerOf } from './mcp-options.ts';
import { givenHeaders } from './request-headers.ts';

const MAX_SEED = 2 ** 31;

/** Of a command, the command itself. */
export function targetUrlOf(url: string, publicOnly: boolean, mcp?: CheckOptions['mcp']): string {
  if (mcp?.command !== undefined) return url;
  const targetUrl = mcp === undefined ? baseOf(url) : endpointOf(url);
  const refusal = publicOnly ? refuseUrl(new URL(targetUrl)) : null;
  if (refusal !== null) throw new TargetError(refusal, 'Use a public address, or remove `publicOnly`.');
  return targetUrl;
}

function baseOf(url: string): string {
  const parsed = parseTarget(url);
  if ('problem' in parsed) throw new TargetError(parsed.problem, parsed.remedy);
  return parsed.target.url;
}

/** An endpoint of the Model Context Protocol: any address of a web server. */
function endpointOf(url: string): string {
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
  parsed.hash = '';
  return parsed.href;
}

/** Without a target, the rate for targets on other machines applies. */
export function settingsOf(options: CheckOptions, targetUrl?: string): RunSettings {
  const { mutating = {}, latency = {}, exploring, directory } = options;
  const samples = Object.entries(options.samples ?? {}).map(
    ([name, list]): [string, readonly ConfiguredSample[]] => [
      name,
      list.map(({ input, fails = false }) => ({ input, fails })),
    ],
  );
  const seed = options.seed ?? randomInt(MAX_SEED);
  return withoutUndefined<RunSettings>({
    ...storedOf(CHECK_SETTINGS, {
      ...options,
      portable: portableIn(options),
      seed,
      requestsPerSecond: options.requestsPerSecond ?? defaultRate(targetUrl, options.mcp),
      deadlineMs: deadlineMsOf(options),
    }),
    seed,
    samples: Object.fromEntries(samples),
    answers: options.answers,
    producers: options.producers,
    sources: options.sources,
    contract: options.contract,
    claimedResponseTimeMs: options.claimedResponseTimeMs ?? null,
    listingGiven: options.listingGiven === true ? true : undefined,
    mcp: targetUrl === undefined ? undefined : mcpServerOf(targetUrl, options),
    mutating: {
      default: mutating.default ?? MUTATING_OPTIONS.default.default,
      functions: { allow: mutating.allow ?? [], once: mutating.once ?? [], never: mutating.never ?? [] },
    },
    latency: {
      off: latency.off ?? false,
      samples: latency.samples ?? null,
      budgets: withoutOverridden((latency.budgets ?? []).map(budgetOf)),
      rateGiven: options.requestsPerSecond !== undefined,
    },
    exploring: exploring && {
      ...CHECK_EXPLORING,
      ...withoutUndefined<Partial<ExploringSettings>>(exploring),
    },
    targetName: options.targetName,
    files: options.files,
    headerNames: givenHeaders(options)
      .headers.map(({ name }) => name)
      // It gives no access, and differs in every run.
      .filter((name) => name !== 'traceparent'),
    bearerEnv: options.bearerEnv,
    ...tokenVariables(options),
    directory: directory && {
      entry: directory.entry ?? null,
      tryRateLimit: directory.tryRateLimit ?? false,
    },
  });
}

const PORTABILITY = 'portability/';

/** The profiles that the user named: as such, or by their rows. */
function portableIn({ portable = [], only = [] }: CheckOptions): CheckOptions['portable'] {
  const patterns = only.filter((pattern) => pattern.startsWith(PORTABILITY));
  const named = PROFILE_IDS.filter((id) =>
    patterns.some((pattern) => matchesGlob(pattern, `${PORTABILITY}${id}`)),
  );
  const all = [...new Set([...portable, ...named])];
  return all.length === 0 ? undefined : all;
}

/** Reports and structured clones would otherwise differ in members that say nothing. */
export function withoutUndefined<T extends object>(
  given: {
    readonly [Key in keyof T]: T[Key] | undefined;
  },
): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}

/** A target on this machine belongs to the user. */
function defaultRate(targetUrl: string | undefined, mcp: CheckOptions['mcp']): number {
  const isOwn =
    mcp?.command !== undefined || (targetUrl !== undefined && isLoopback(new URL(targetUrl).hostname));
  return isOwn ? RATE_ON_LOOPBACK : CHECK_SETTINGS.requestsPerSecond.default;
}

/** A directory is read page after page, and its tests of an entry may take a minute. */
const DIRECTORY_DEADLINE_MS = 180_000;

export function deadlineMsOf({
  deadlineMs,
  directory,
}: Pick<CheckOptions, 'deadlineMs' | 'directory'>): number {
  return deadlineMs ?? (directory === undefined ? CHECK_SETTINGS.deadlineMs.default : DIRECTORY_DEADLINE_MS);
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
