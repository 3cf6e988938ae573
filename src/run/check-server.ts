import { randomInt, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createSchemaEvaluator } from '../checks/schema-evaluator.ts';
import type { Header } from '../model/exchange.ts';
import { ExpectedError } from '../model/expected-error.ts';
import type { FormChoice } from '../model/judgement.ts';
import type { ConfiguredSample, RunSettings, TestResult } from '../model/report.ts';
import type { Suite } from '../model/suite.ts';
import { parseTarget } from '../model/target.ts';
import { createLiveProbe, DEFAULT_BOUNDS, type GivenHeader } from '../probe/live-probe.ts';
import type { Secret } from '../probe/redactor.ts';
import { systemClock } from '../probe/system-clock.ts';
import { buildReport } from '../report/build-report.ts';
import { loadSuites } from '../suite/load-suites.ts';
import { harnessVersion } from '../suite/product-files.ts';
import type { Progress } from './asker.ts';
import { judgeRun } from './judge-run.ts';
import { runSuites } from './run-suites.ts';
import { selectSteps } from './selection.ts';

/** What may be said about a check; everything has a default. */
export interface CheckOptions {
  /** Wire form; `auto` detects it for each operation. */
  readonly form?: FormChoice;
  /** Makes generated values repeatable; drawn when left out. */
  readonly seed?: number;
  /** Requirement ids and globs to decide; all when empty. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Sends nothing but GET requests. */
  readonly readOnly?: boolean;
  /** Level from which a failed requirement fails the run. */
  readonly failOn?: 'must' | 'should';
  /** Most items of a loop, chosen evenly: how many functions are called. */
  readonly maxFunctions?: number;
  readonly concurrency?: number;
  readonly deadlineMs?: number;
  readonly requestTimeoutMs?: number;
  /** Sample inputs by function name. */
  readonly samples?: Readonly<
    Record<string, readonly { readonly input: ConfiguredSample['input']; readonly fails?: boolean }[]>
  >;
  /** Sent with every request. Their values are secrets and are kept nowhere. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer …`; a secret too. */
  readonly bearerToken?: string;
  /** Suites to run; the product's own when left out. */
  readonly suites?: readonly Suite[];
  /** Ends the run early; what was collected is still judged. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** The address of a target that cannot be checked, with what to do about it. */
export class TargetError extends ExpectedError {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(`${problem}. ${remedy}`);
    this.name = 'TargetError';
    this.remedy = remedy;
  }
}

export const DEFAULT_SETTINGS = {
  form: 'auto',
  readOnly: false,
  failOn: 'must',
  maxItems: 50,
  concurrency: 4,
  deadlineMs: 60_000,
  requestTimeoutMs: 10_000,
} as const;

const MAX_SEED = 2 ** 31;

/**
 * Checks a server and returns the test result (specification, section 2.3). Prints and writes nothing.
 *
 * @param url the server's base address, `{server_url}`: http or https, without /health and the like
 * @throws TargetError when the address cannot be a target
 * @throws UnknownPattern when `only` or `skip` names no requirement
 */
export async function checkServer(url: string, options: CheckOptions = {}): Promise<TestResult> {
  const targetUrl = targetUrlOf(url);
  const { signal = new AbortController().signal } = options;
  // Every wait of a run listens to the one signal, and there may be many.
  setMaxListeners(0, signal);
  const settings = settingsOf(options);
  const given = givenHeaders(options);
  const probe = createLiveProbe({
    clock: systemClock,
    signal,
    headers: given.headers,
    secrets: given.secrets,
    ...DEFAULT_BOUNDS,
  });
  const startedAtMs = systemClock.nowMs();
  const suites = options.suites ?? (await loadSuites()).suites;
  const selection = selectSteps(suites, settings);
  const schemas = createSchemaEvaluator();
  const record = await runSuites({
    selection,
    targetUrl,
    settings,
    probe,
    clock: systemClock,
    signal,
    schemas,
    commonHeaders: commonHeaders(),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  });
  const judgements = judgeRun({ record, settings, targetUrl, schemas });
  return buildReport({
    id: randomUUID(),
    harnessVersion: harnessVersion(),
    suites,
    settings,
    targetUrl,
    requirements: selection.requirements,
    record,
    judgements,
    startedAtMs,
    finishedAtMs: systemClock.nowMs(),
  });
}

export function targetUrlOf(url: string): string {
  const parsed = parseTarget(url);
  if ('problem' in parsed) throw new TargetError(parsed.problem, parsed.remedy);
  return parsed.target.url;
}

export function settingsOf(options: CheckOptions): RunSettings {
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
    failOn: options.failOn ?? DEFAULT_SETTINGS.failOn,
    maxItems: options.maxFunctions ?? DEFAULT_SETTINGS.maxItems,
    concurrency: options.concurrency ?? DEFAULT_SETTINGS.concurrency,
    deadlineMs: options.deadlineMs ?? DEFAULT_SETTINGS.deadlineMs,
    requestTimeoutMs: options.requestTimeoutMs ?? DEFAULT_SETTINGS.requestTimeoutMs,
    samples: Object.fromEntries(samples),
    headerNames: givenHeaders(options).headers.map(({ name }) => name),
  };
}

/** Headers that every request carries; `identity` because compression is not what is being judged. */
export function commonHeaders(): readonly Header[] {
  return [
    ['accept', 'application/json'],
    ['accept-encoding', 'identity'],
    ['user-agent', `probity/${harnessVersion()} (conformance check)`],
  ];
}

/** Headers whose values say nothing that must be kept. */
const NOT_SECRET = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

export function givenHeaders(options: Pick<CheckOptions, 'headers' | 'bearerToken'>): {
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
} {
  const bearer = options.bearerToken;
  const headers: GivenHeader[] = [];
  const secrets: Secret[] = [];
  if (bearer !== undefined) {
    headers.push({ name: 'authorization', value: `Bearer ${bearer}`, shownValue: 'Bearer $PROBITY_TOKEN' });
    secrets.push({ value: bearer, variable: 'PROBITY_TOKEN' });
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    const lowerName = name.toLowerCase();
    if (NOT_SECRET.has(lowerName)) {
      headers.push({ name: lowerName, value, shownValue: value });
      continue;
    }
    const variable = `PROBITY_HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;
    headers.push({ name: lowerName, value, shownValue: `$${variable}` });
    secrets.push({ value, variable });
    const [, credentials] = /^\S+\s+(\S+)$/.exec(value) ?? [];
    if (credentials !== undefined) secrets.push({ value: credentials, variable });
  }
  return { headers, secrets };
}
