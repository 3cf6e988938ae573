import { shellQuote } from '../judge/curl.ts';
import { budgetLine } from '../model/budget.ts';
import type { ListingRequirement } from '../model/listing.ts';
import {
  type ExploringSettings,
  type McpServer,
  type RunSettings,
  START_TIMEOUT_MS,
} from '../model/report.ts';
import type { Level } from '../model/requirement.ts';

/** The target as an argument: an address, or the command of a server of the Model Context Protocol. */
export function targetArguments(targetUrl: string, mcp: RunSettings['mcp']): readonly string[] {
  return mcp === undefined
    ? [shellQuote(targetUrl)]
    : [
        '--mcp',
        shellQuote(mcp.address),
        ...(mcp.env ?? []).flatMap((name) => ['--env', shellQuote(name)]),
        ...openingOptions(mcp),
      ];
}

function openingOptions({
  era,
  startTimeoutMs,
}: Pick<McpServer, 'era' | 'startTimeoutMs'>): readonly string[] {
  return [
    ...(era === 'auto' ? [] : ['--era', era]),
    ...(startTimeoutMs === START_TIMEOUT_MS ? [] : ['--start-timeout', String(startTimeoutMs / 1000)]),
  ];
}

/** The target by its name in the file that names it, which has its access and its form; null without a name. */
function byName({ targetName, mcp }: Pick<RunSettings, 'targetName' | 'mcp'>): readonly string[] | null {
  if (targetName === undefined) return null;
  const file = mcp?.from === undefined ? [] : ['--from', shellQuote(mcp.from)];
  return [...file, '--target', shellQuote(targetName), ...(mcp === undefined ? [] : openingOptions(mcp))];
}

function fileArguments({ config, suites = [] }: NonNullable<RunSettings['files']> = {}): readonly string[] {
  return [
    ...(config === undefined ? [] : ['--config', shellQuote(config)]),
    // Without a suite of the user's own, its requirements are unknown.
    ...suites.flatMap((file) => ['--suite', shellQuote(file)]),
  ];
}

const TIMED_AREA = 'performance/';

export type AgainSettings = Pick<
  RunSettings,
  | 'seed'
  | 'form'
  | 'latency'
  | 'directory'
  | 'bearerEnv'
  | 'exploring'
  | 'mutating'
  | 'mcp'
  | 'targetName'
  | 'files'
  | 'requestTimeoutMs'
>;

/**
 * The command that decides one requirement again as this run did. It names the variable of the token, not the secret,
 * and leaves out headers from --header. `isLate`: what it shows depends on the time-out. `failOn`: with
 * SHOULD, the command fails as long as a warning holds. Pure.
 */
export function againCommand(
  requirement: string,
  targetUrl: string,
  settings: AgainSettings,
  { isLate = false, failOn = 'MUST' }: { readonly isLate?: boolean; readonly failOn?: Level } = {},
): string {
  const { seed, form, latency, directory, bearerEnv, exploring, mcp, requestTimeoutMs } = settings;
  const named = byName(settings);
  if (exploring !== undefined) return againWithFuzz(targetUrl, settings, exploring);
  const timed = requirement.startsWith(TIMED_AREA)
    ? [
        ...(latency.samples === null ? [] : ['--samples', String(latency.samples)]),
        ...latency.budgets.flatMap((budget) => ['--budget', shellQuote(budgetLine(budget))]),
      ]
    : [];
  return [
    ...['probity', 'check', ...(directory === undefined ? [] : ['--directory'])],
    ...(named ?? targetArguments(targetUrl, mcp)),
    ...fileArguments(settings.files),
    ...['--only', requirement],
    ...(directory?.tryRateLimit === true ? ['--try-rate-limit'] : []),
    ...(directory?.entry ? ['--entry', shellQuote(directory.entry)] : []),
    ...(named === null ? accessAndForm(bearerEnv, form) : []),
    ...timed,
    ...(failOn === 'SHOULD' ? ['--fail-on', 'should'] : []),
    ...(isLate ? ['--timeout', String(requestTimeoutMs / 1000)] : []),
    ...['--seed', String(seed)],
  ].join(' ');
}

function accessAndForm(bearerEnv: string | undefined, form: RunSettings['form']): readonly string[] {
  return [
    // Quoted, because a saved result is untrusted input.
    ...(bearerEnv === undefined ? [] : ['--bearer-env', shellQuote(bearerEnv)]),
    ...(form === 'auto' ? [] : ['--form', form]),
  ];
}

/** A check sends too few inputs to see again what a longer exploring has found. */
function againWithFuzz(
  targetUrl: string,
  { seed, form, bearerEnv, mutating, mcp, files }: AgainSettings,
  { functions = [] }: ExploringSettings,
): string {
  return [
    ...['probity', 'fuzz', ...targetArguments(targetUrl, mcp), ...fileArguments({ config: files?.config })],
    ...functions.flatMap((name) => ['--function', shellQuote(name)]),
    ...(mutating.default === 'allow' ? ['--allow-mutating'] : []),
    ...accessAndForm(bearerEnv, form),
    ...['--seed', String(seed)],
  ].join(' ');
}

/** These need no other request than one that shows whether the target answers. */
const INDEPENDENT = new Set<string>(['listing/open-or-verifiable', 'listing/record']);

/**
 * The same for a requirement of a listing, which may depend on all other rows. Without a file (a directory stores the
 * listing), no command decides it: null. Pure.
 */
export function againWithListing(
  requirement: ListingRequirement,
  targetUrl: string,
  settings: Pick<RunSettings, 'seed' | 'form' | 'bearerEnv' | 'mcp' | 'targetName' | 'files'>,
  file: string | null,
): string | null {
  if (file === null) return null;
  const { seed, form, bearerEnv, mcp } = settings;
  const named = byName(settings);
  return [
    ...['probity', 'check', ...(named ?? targetArguments(targetUrl, mcp)), ...fileArguments(settings.files)],
    ...['--listing', shellQuote(file)],
    ...(INDEPENDENT.has(requirement) ? ['--only', requirement] : []),
    ...(named === null ? accessAndForm(bearerEnv, form) : []),
    ...['--seed', String(seed)],
  ].join(' ');
}
