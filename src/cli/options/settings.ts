import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CheckOptions, LatencyOptions, MutatingOptions } from '../../app/check-options.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { readAuthorities } from '../../command-line/read-authorities.ts';
import { parseBudget } from '../../model/budget.ts';
import type { FormChoice } from '../../model/judgement.ts';
import type { ParsedListing } from '../../model/listing.ts';
import type { MutatingPolicy } from '../../model/report.ts';
import type { Suite, TargetKind } from '../../model/suite.ts';
import type { Transport } from '../../model/target.ts';
import type { RawConfig } from '../../suite/config-language.ts';
import { loadSuites } from '../../suite/load-suites.ts';
import type { FormatFlags } from '../terminal/output.ts';
import type { TargetFlags } from './chosen-target.ts';

/** The options of `check` and `plan` as the command line gives them. */
export interface CheckFlags extends FormatFlags, TargetFlags {
  /** What a directory's entry says of the server; the configuration wins. */
  readonly listed?: { readonly transport: readonly Transport[]; readonly responseTime?: number };
  readonly form?: FormChoice;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly suite?: readonly string[];
  readonly config?: string;
  readonly header?: readonly string[];
  readonly bearerEnv?: string;
  readonly ca?: string;
  readonly failOn?: 'must' | 'should';
  readonly readOnly?: boolean;
  readonly mutating?: MutatingPolicy;
  readonly publicOnly?: boolean;
  readonly maxFunctions?: number;
  readonly concurrency?: number;
  readonly maxRate?: number;
  readonly samples?: number;
  readonly budget?: readonly string[];
  /** False where nothing is to be timed. */
  readonly latency?: boolean;
  readonly deadline?: number;
  readonly timeout?: number;
  readonly seed?: number;
  readonly json?: boolean;
  readonly reports: string;
  /** How long to wait for the server, in seconds. */
  readonly wait?: number;
  /** The command that starts the server. */
  readonly start?: string;
  /** For `check` a file of accepted findings, for `bench` a saved result. */
  readonly baseline?: string;
  /** What the author says of the server for the directory. */
  readonly listing?: string;
  /** The trusted root of another instance of Sigstore than the public one. */
  readonly trustedRoot?: string;
}

export interface Settings {
  readonly options: CheckOptions;
  /** The configuration that was used, if there was one. */
  readonly configFile: string | undefined;
  /** What the configuration and the command line name, relative to the current folder. */
  readonly suiteFiles: readonly string[];
  /** How long to wait for the server; null where nobody asked for that. */
  readonly waitMs: number | null;
  /** The findings that are accepted beforehand, if the configuration names any. */
  readonly configuredBaseline: string | undefined;
  /** What the server's author says of it, whose requirements are decided too. */
  readonly listing: ParsedListing | undefined;
}

export const DEFAULT_CONFIG = 'probity.config.yaml';

/** Null for none at all. */
export function usualConfig(flags: Pick<CheckFlags, 'config' | 'directory'>): string | null {
  if (flags.config !== undefined) return flags.config;
  // One that merely lies there is about a server: its key is for that and for nobody else.
  return flags.directory === undefined && existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : null;
}

/** Flags win over the configuration, and the configuration over the defaults. */
export async function readSettings(
  flags: CheckFlags,
  environment: NodeJS.ProcessEnv,
  chosenConfig: string | null = usualConfig(flags),
): Promise<Settings> {
  const configFile = chosenConfig ?? undefined;
  const config = configFile === undefined ? undefined : await readConfig(configFile);
  const suiteFiles = [
    ...(config?.suites ?? []).map(({ value }) => path.join(path.dirname(configFile ?? ''), value)),
    ...(flags.suite ?? []),
  ];
  // The product's own are loaded where they are needed.
  const suites =
    suiteFiles.length === 0
      ? undefined
      : await suitesFor(flags.directory === undefined ? 'server' : 'directory', suiteFiles);
  const listing = await readNamedListing(flags, config, configFile);
  const claimed = typeof config?.listing === 'object' ? config.listing : undefined;
  const said = listing?.said;
  const bearerEnv = flags.bearerEnv ?? config?.bearerEnv ?? said?.bearerEnv;
  const form = flags.form ?? config?.form;
  const seconds = (own: number | undefined, configured: number | undefined): number | undefined => {
    const chosen = own ?? configured;
    return chosen === undefined ? undefined : chosen * 1000;
  };
  const options: CheckOptions = withoutUndefined({
    form,
    only: flags.only ?? config?.only,
    skip: flags.skip ?? config?.skip,
    readOnly: flags.readOnly ?? config?.readOnly,
    publicOnly: flags.publicOnly,
    failOn: flags.failOn ?? config?.failOn,
    maxFunctions: flags.maxFunctions ?? config?.maxFunctions,
    concurrency: flags.concurrency ?? config?.concurrency,
    requestsPerSecond: flags.maxRate ?? config?.requestsPerSecond,
    transports: claimed?.transport ?? said?.transport ?? flags.listed?.transport,
    claimedResponseTimeMs: claimed?.responseTime ?? said?.responseTime ?? flags.listed?.responseTime,
    listingGiven: listing === undefined ? undefined : true,
    mutating: withoutUndefined<MutatingOptions>({
      default: flags.mutating ?? config?.mutating?.default,
      allow: config?.mutating?.allow,
      once: config?.mutating?.once,
      never: config?.mutating?.never,
    }),
    latency: await latencyOf(flags, config),
    deadlineMs: seconds(flags.deadline, config?.deadlineSeconds),
    requestTimeoutMs: seconds(flags.timeout, config?.timeoutSeconds),
    seed: flags.seed,
    samples: { ...said?.samples, ...samplesOf(config) },
    headers: { ...configuredHeaders(config, environment), ...flagHeaders(flags.header ?? []) },
    bearerToken:
      bearerEnv === undefined ? undefined : fromEnvironment(bearerEnv, environment, '--bearer-env'),
    bearerEnv,
    ca: flags.ca === undefined ? undefined : await readAuthorities(flags.ca),
    suites,
  });
  const waitMs = seconds(flags.wait, config?.waitSeconds) ?? null;
  const configuredBaseline =
    config?.baseline === undefined ? undefined : path.join(path.dirname(configFile ?? ''), config.baseline);
  return { options, configFile, suiteFiles, waitMs, configuredBaseline, listing };
}

/** The listing that the command line names, or else the configuration. */
async function readNamedListing(
  flags: CheckFlags,
  config: RawConfig | undefined,
  configFile: string | undefined,
): Promise<ParsedListing | undefined> {
  const configured =
    typeof config?.listing === 'string'
      ? path.join(path.dirname(configFile ?? ''), config.listing)
      : undefined;
  const file = flags.listing ?? configured;
  if (file === undefined) return undefined;
  const { readListing } = await import('../../suite/read-listings.ts');
  return readListing(file);
}

/** A user's suites beside the product's own; one that is about another kind of target would ask nothing. */
async function suitesFor(kind: TargetKind, files: readonly string[]): Promise<readonly Suite[]> {
  const { suites } = await loadSuites(files, kind);
  const other = suites.find(({ target }) => target !== kind);
  if (other === undefined) return suites;
  throw new UsageError(
    `The suite ${other.file} is about a ${other.target}, and a ${kind} is checked. ${kind === 'server' ? 'Name the directory with --directory, or leave the suite out.' : 'Write `target: directory` into it, or leave it out.'}`,
  );
}

async function latencyOf(flags: CheckFlags, config: RawConfig | undefined): Promise<LatencyOptions> {
  const off = flags.latency === false || config?.latency?.off === true;
  const budgets = flags.budget ?? [];
  for (const line of budgets) {
    const budget = parseBudget(line);
    if ('problem' in budget) throw new UsageError(`--budget: ${budget.problem}. ${budget.remedy}`);
    if (off)
      throw new UsageError(
        `--budget ${line} cannot be judged: ${flags.latency === false ? '--no-latency' : 'latency: off in the configuration'} says that nothing is timed. Leave out one of the two.`,
      );
    if (budget.operation === 'execute' && (flags.readOnly ?? config?.readOnly) === true)
      throw new UsageError(
        `--budget ${line} cannot be judged: in a run that only reads, no function is called. Leave out the budget or --read-only.`,
      );
  }
  const configured = config?.budgets === undefined ? [] : await configuredBudgets(config);
  return {
    off,
    budgets: [...configured, ...budgets],
    ...withSamples(flags.samples ?? config?.latency?.samples),
  };
}

function withSamples(samples: number | undefined): Pick<LatencyOptions, 'samples'> {
  return samples === undefined ? {} : { samples };
}

async function configuredBudgets(config: RawConfig): Promise<readonly string[]> {
  const { budgetLines } = await import('../../suite/parse-config.ts');
  return budgetLines(config).map(({ line }) => line);
}

async function readConfig(file: string): Promise<RawConfig> {
  const { parseConfig } = await import('../../suite/parse-config.ts');
  const { readSource } = await import('../../suite/read-source.ts');
  return parseConfig(readSource(file).text, file);
}

function withoutUndefined<T>(options: { readonly [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function samplesOf(config: RawConfig | undefined): NonNullable<CheckOptions['samples']> {
  return Object.fromEntries(
    (config?.samples ?? []).map(({ key, value }) => [
      key,
      value.map(({ input, fails }) => ({ input, fails: fails ?? false })),
    ]),
  );
}

function configuredHeaders(
  config: RawConfig | undefined,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (config?.headers ?? []).map(({ key, value }) => [
      key,
      typeof value === 'string' ? value : fromEnvironment(value.env, environment, `headers: ${key}`),
    ]),
  );
}

const HEADER_LINE = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([^\r\n]*)$/;

function flagHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = HEADER_LINE.exec(line) ?? [];
      if (name === undefined || value === undefined)
        // Not quoted: what is written wrongly is secret all the same.
        throw new UsageError('What --header was given is not a header. Write it as "Name: value".');
      return [name, value.trim()];
    }),
  );
}

export function fromEnvironment(name: string, environment: NodeJS.ProcessEnv, where: string): string {
  // Whoever gives the secret itself should not find it in a log.
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))
    throw new UsageError(
      `${where} takes the name of an environment variable, and what it was given is none. Put the value into a variable, and give its name.`,
    );
  const value = environment[name];
  if (value === undefined || value === '')
    throw new UsageError(
      `${where} names the environment variable ${name}, which is not set. Set it, for example: export ${name}=…`,
    );
  return value;
}
