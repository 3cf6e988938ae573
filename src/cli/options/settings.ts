import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CheckOptions } from '../../check/check-options.ts';
import type { McpOptions } from '../../check/mcp-options.ts';
import { withoutUndefined } from '../../check/run-settings.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import { readAuthorities } from '../../command-line/read-authorities.ts';
import { parseBudget } from '../../model/budget.ts';
import { CHECK_SETTINGS, LATENCY_OPTIONS, MUTATING_OPTIONS } from '../../model/check-options.ts';
import type { ParsedListing } from '../../model/listing.ts';
import type { FlagsOf } from '../../model/option.ts';
import { isFor, type Suite, type TargetKind } from '../../model/suite.ts';
import type { Transport } from '../../model/target.ts';
import { COMMAND_SETTINGS } from '../../suite/config/command-settings.ts';
import type { RawConfig } from '../../suite/config/config-language.ts';
import type { TargetConfig } from '../../suite/config/parse-config.ts';
import { loadSuites } from '../../suite/load-suites.ts';
import { chosenOptions } from './chosen-options.ts';
import type { TargetFlags } from './chosen-target.ts';
import { type Deciding, decideWire } from './decide-wire.ts';
import { DEFAULT_CONFIG, KEY_VARIABLE } from './default-names.ts';
import { configuredHeaders, flagHeaders, fromEnvironment, tokensIn } from './given-headers.ts';
import type { DetailFlags, FormatFlags, StoreFlags } from './output-flags.ts';

/** The options of `check` and `plan` on the command line. */
export interface CheckFlags
  extends FlagsOf<typeof CHECK_SETTINGS>,
    FlagsOf<typeof COMMAND_SETTINGS>,
    FlagsOf<typeof MUTATING_OPTIONS>,
    FlagsOf<typeof LATENCY_OPTIONS>,
    FormatFlags,
    DetailFlags,
    StoreFlags,
    TargetFlags {
  /** Decide only what failed in the newest report of the target. */
  readonly lastFailed?: boolean;
  /** Renew the contract instead of comparing with it. */
  readonly accept?: boolean;
  /** The target of the configuration that is checked. */
  readonly configured?: TargetConfig;
  /** The server of the Model Context Protocol that is the target. */
  readonly mcpServer?: McpOptions;
  readonly deciding?: Deciding | undefined;
  /** An earlier run of the command, which found out what the target speaks, has printed what it works on. */
  readonly announced?: boolean;
  /** Values from a directory's entry; the configuration takes precedence. */
  readonly listed?: {
    readonly transport: readonly Transport[];
    readonly responseTime?: number;
    readonly samples?: NonNullable<CheckOptions['samples']>;
  };
  readonly json?: boolean;
  /** The environment variable with the address of a webhook. */
  readonly webhookEnv?: string;
}

export type Settings = Awaited<ReturnType<typeof readSettings>>;

export function usualConfig(flags: Pick<CheckFlags, 'config' | 'directory'>): string | null {
  if (flags.config !== undefined) return flags.config;
  // The default configuration describes a server, and its key must not be sent to a directory.
  return flags.directory === undefined && existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : null;
}

/** Flags take precedence over the configuration, and the configuration over the defaults. */
export async function readSettings(
  flags: Omit<CheckFlags, keyof StoreFlags>,
  environment: NodeJS.ProcessEnv,
  chosenConfig: string | null = usualConfig(flags),
) {
  const configFile = chosenConfig ?? undefined;
  const config =
    flags.configured?.config ?? (configFile === undefined ? undefined : await readConfig(configFile));
  // Relative to the current folder.
  const suiteFiles = [
    ...(config?.suites ?? []).map(({ value }) => path.join(path.dirname(configFile ?? ''), value)),
    ...(flags.suite ?? []),
  ];
  // The check itself loads the product's suites.
  const suites = suiteFiles.length === 0 ? undefined : await suitesFor(kindOfTarget(flags), suiteFiles);
  const listing = await readNamedListing(flags, config, configFile);
  const claimed = typeof config?.listing === 'object' ? config.listing : undefined;
  const said = listing?.said;
  const bearerEnv =
    flags.bearerEnv ?? config?.bearerEnv ?? said?.bearerEnv ?? directoryKeyVariable(flags, environment);
  const budgets = await budgetsOf(flags, config);
  const chosen = chosenOptions(CHECK_SETTINGS, flags, config);
  const options: CheckOptions = withoutUndefined({
    ...chosen,
    transports: claimed?.transport ?? said?.transport ?? flags.listed?.transport,
    claimedResponseTimeMs: claimed?.responseTime ?? said?.responseTime ?? flags.listed?.responseTime,
    listingGiven: listing === undefined ? undefined : true,
    targetName: flags.configured?.name,
    files: (flags.config ?? flags.suite ?? flags.contract) && {
      config: flags.config,
      suites: flags.suite,
      contract: flags.contract,
    },
    mcp: flags.mcpServer,
    mutating: chosenOptions(MUTATING_OPTIONS, flags, config?.mutating),
    latency: { ...chosenOptions(LATENCY_OPTIONS, flags, config?.latency), budgets },
    samples: { ...flags.listed?.samples, ...said?.samples, ...samplesOf(config) },
    answers: answersOf(config),
    producers: producersOf(config),
    sources: await configuredSources(config, configFile),
    headers: { ...configuredHeaders(config, environment), ...flagHeaders(flags.header ?? []) },
    bearerToken:
      bearerEnv === undefined ? undefined : fromEnvironment(bearerEnv, environment, '--bearer-env'),
    bearerEnv,
    bearerTokens: tokensIn(chosen, environment),
    ca: flags.ca === undefined ? undefined : await readAuthorities(flags.ca),
    suites,
  });
  const { deciding, directory } = flags;
  // A question in the Model Context Protocol is a POST.
  const decides = deciding !== undefined && directory === undefined && options.readOnly !== true;
  const beside = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : path.join(path.dirname(configFile ?? ''), file);
  return {
    options: decides ? { ...options, onUnlikeAnswer: decideWire(deciding, options) } : options,
    configFile,
    suiteFiles,
    // How long to wait for the server; null for no wait.
    waitMs: chosenOptions(COMMAND_SETTINGS, flags, config).wait ?? null,
    configuredBaseline: beside(config?.baseline),
    contractFile: flags.contract ?? beside(config?.contract),
    listing,
  };
}

/**
 * The variable that also `search` and `--server` read, for the check of a directory to which no other key is given.
 * `--server` has removed `directory` from the flags: the servers that a directory lists must never get its key.
 */
function directoryKeyVariable(
  { directory, header = [] }: Pick<CheckFlags, 'directory' | 'header'>,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const isGiven = header.some((line) => /^authorization\s*:/i.test(line));
  const hasKey = (environment[KEY_VARIABLE] ?? '') !== '';
  return directory !== undefined && hasKey && !isGiven ? KEY_VARIABLE : undefined;
}

/** The listing of the command line or, without one, of the configuration. */
async function readNamedListing(
  flags: Omit<CheckFlags, keyof StoreFlags>,
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

const KIND_WORDS = {
  server: 'a server',
  directory: 'a directory',
  mcp: 'a server of the Model Context Protocol',
} as const satisfies Readonly<Record<TargetKind, string>>;

/** The product's suites and the user's. Refuses a suite for the other kind of target, which would send nothing. */
async function suitesFor(kind: TargetKind, files: readonly string[]): Promise<readonly Suite[]> {
  const { suites } = await loadSuites(files, kind);
  const other = suites.find((suite) => !isFor(kind, suite));
  if (other === undefined) return suites;
  throw new UsageError(
    `The suite ${other.file} checks ${KIND_WORDS[other.target]}, but the target is ${KIND_WORDS[kind]}. ${kind === 'directory' ? 'Set `target: directory` in the suite, or remove it.' : `Select such a target with ${other.target === 'mcp' ? '--mcp' : '--directory'}, or remove the suite.`}`,
  );
}

async function budgetsOf(
  flags: Pick<CheckFlags, 'latency' | 'budget' | 'readOnly'>,
  config: RawConfig | undefined,
): Promise<readonly string[]> {
  const off = flags.latency === false || config?.latency?.off === true;
  const budgets = flags.budget ?? [];
  for (const line of budgets) {
    const budget = parseBudget(line);
    if ('problem' in budget) throw new UsageError(`--budget: ${budget.problem}. ${budget.remedy}`);
    if (off)
      throw new UsageError(
        `--budget ${line} cannot be judged: ${flags.latency === false ? '--no-latency' : 'latency: off in the configuration'} turns timing off. Remove one of the two.`,
      );
    if (budget.operation === 'execute' && (flags.readOnly ?? config?.readOnly) === true)
      throw new UsageError(
        `--budget ${line} cannot be judged: a read-only run calls no function. Remove the budget or --read-only.`,
      );
  }
  const configured = config?.budgets === undefined ? [] : await configuredBudgets(config);
  return [...configured, ...budgets];
}

async function configuredBudgets(config: RawConfig): Promise<readonly string[]> {
  const { budgetLines } = await import('../../suite/config/parse-config.ts');
  return budgetLines(config).map(({ line }) => line);
}

export async function readConfig(file: string): Promise<RawConfig> {
  const { readConfig: read } = await import('../../suite/read-config.ts');
  return read(file);
}

function samplesOf(config: RawConfig | undefined): NonNullable<CheckOptions['samples']> {
  return Object.fromEntries(
    (config?.samples ?? []).map(({ key, value }) => [
      key,
      value.map(({ input, fails }) => ({ input, fails: fails ?? false })),
    ]),
  );
}

function answersOf(config: RawConfig | undefined): CheckOptions['answers'] {
  if (config?.answers === undefined) return undefined;
  const { elicitation, sampling, roots } = config.answers;
  return withoutUndefined({ elicitation, sampling, roots });
}

function producersOf(config: RawConfig | undefined): CheckOptions['producers'] {
  if (config?.producers === undefined) return undefined;
  return Object.fromEntries(
    config.producers.map(({ key, value }) => [
      key,
      Object.fromEntries(
        value.map(({ key: parameter, value: { from, at } }) => [parameter, { from, at: at.value }]),
      ),
    ]),
  );
}

async function configuredSources(
  config: RawConfig | undefined,
  configFile: string | undefined,
): Promise<CheckOptions['sources']> {
  if (config?.sources === undefined || configFile === undefined) return undefined;
  const { sourcesOf } = await import('../../suite/read-config.ts');
  return sourcesOf(config, configFile);
}

function kindOfTarget({ directory, mcpServer }: Pick<CheckFlags, 'directory' | 'mcpServer'>): TargetKind {
  if (directory !== undefined) return 'directory';
  return mcpServer === undefined ? 'server' : 'mcp';
}
