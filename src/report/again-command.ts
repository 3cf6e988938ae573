import { shellQuote } from '../judge/curl.ts';
import { budgetLine } from '../model/budget.ts';
import { CHECK_SETTINGS } from '../model/check-options.ts';
import type { ListingRequirement } from '../model/listing.ts';
import {
  type ExploringSettings,
  type McpServer,
  type RunSettings,
  START_TIMEOUT_MS,
} from '../model/report.ts';
import { TOKEN_SETTINGS } from '../model/request-template.ts';
import type { Level } from '../model/requirement.ts';

/** The target as an argument: an address, or the command of a server of the Model Context Protocol. */
function targetArguments(targetUrl: string, mcp: RunSettings['mcp']): readonly string[] {
  if (mcp === undefined) return [shellQuote(targetUrl)];
  const env = (mcp.env ?? []).flatMap((name) => ['--env', shellQuote(name)]);
  return ['--mcp', shellQuote(mcp.address), ...env, ...openingOptions(mcp)];
}

function openingOptions({ era, startTimeoutMs }: McpServer): readonly string[] {
  return [
    ...(era === 'auto' ? [] : ['--era', era]),
    ...(startTimeoutMs === START_TIMEOUT_MS ? [] : ['--start-timeout', String(startTimeoutMs / 1000)]),
  ];
}

/** The target, by its name in the file that names it if it has one, with the files of the user. */
function targetAndFiles(targetUrl: string, { targetName, mcp, files }: RunSettings): readonly string[] {
  const { config, suites = [], contract } = files ?? {};
  return [
    ...(targetName === undefined
      ? targetArguments(targetUrl, mcp)
      : [
          ...(mcp?.from === undefined ? [] : ['--from', shellQuote(mcp.from)]),
          ...['--target', shellQuote(targetName), ...(mcp === undefined ? [] : openingOptions(mcp))],
        ]),
    ...(config === undefined ? [] : ['--config', shellQuote(config)]),
    // Without a suite of the user's own, its requirements are unknown.
    ...suites.flatMap((file) => ['--suite', shellQuote(file)]),
    ...(contract === undefined ? [] : ['--contract', shellQuote(contract)]),
  ];
}

const TIMED_AREA = 'performance/';

/**
 * The command that decides one requirement again as this run did. It names the variable of the token, not the secret,
 * and leaves out headers from --header. `isLate`: what it shows depends on the time-out. `failOn`: with
 * SHOULD, the command fails as long as a warning holds. Pure.
 */
export function againCommand(
  requirement: string,
  targetUrl: string,
  settings: RunSettings,
  { isLate = false, failOn = 'MUST' }: { readonly isLate?: boolean; readonly failOn?: Level } = {},
): string {
  const { seed, latency, directory, exploring, requestTimeoutMs } = settings;
  if (exploring !== undefined) return againWithFuzz(targetUrl, settings, exploring);
  const timed = requirement.startsWith(TIMED_AREA)
    ? [
        ...(latency.samples === null ? [] : ['--samples', String(latency.samples)]),
        ...latency.budgets.flatMap((budget) => ['--budget', shellQuote(budgetLine(budget))]),
      ]
    : [];
  return [
    ...['probity', 'check', ...(directory === undefined ? [] : ['--directory'])],
    ...targetAndFiles(targetUrl, settings),
    ...['--only', requirement],
    ...(directory?.tryRateLimit === true ? ['--try-rate-limit'] : []),
    ...(directory?.entry ? ['--entry', shellQuote(directory.entry)] : []),
    ...accessAndForm(settings),
    ...timed,
    ...(failOn === 'SHOULD' ? ['--fail-on', 'should'] : []),
    ...(isLate ? ['--timeout', String(requestTimeoutMs / 1000)] : []),
    ...['--seed', String(seed)],
  ].join(' ');
}

/** The file that names a target has both. */
function accessAndForm(settings: RunSettings): readonly string[] {
  const { targetName, bearerEnv, form } = settings;
  if (targetName !== undefined) return [];
  const tokens = Object.values(TOKEN_SETTINGS).flatMap((name) => {
    const variable = settings[name];
    return variable === undefined ? [] : [...CHECK_SETTINGS[name].flag.split(' ', 1), shellQuote(variable)];
  });
  return [
    // Quoted, because a saved result is untrusted input.
    ...(bearerEnv === undefined ? [] : ['--bearer-env', shellQuote(bearerEnv)]),
    ...tokens,
    ...(form === 'auto' ? [] : ['--form', form]),
  ];
}

/** A check sends too few inputs to see again what a longer exploring has found; fuzz takes no name and no suites. */
function againWithFuzz(
  targetUrl: string,
  { targetName: _, files, ...settings }: RunSettings,
  { functions = [] }: ExploringSettings,
): string {
  const own = { ...settings, files: { config: files?.config } };
  return [
    ...['probity', 'fuzz', ...targetAndFiles(targetUrl, own)],
    ...functions.flatMap((name) => ['--function', shellQuote(name)]),
    ...(settings.mutating.default === 'allow' ? ['--allow-mutating'] : []),
    ...accessAndForm(own),
    ...['--seed', String(settings.seed)],
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
  settings: RunSettings,
  file: string | null,
): string | null {
  if (file === null) return null;
  return [
    ...['probity', 'check', ...targetAndFiles(targetUrl, settings), '--listing', shellQuote(file)],
    ...(INDEPENDENT.has(requirement) ? ['--only', requirement] : []),
    ...accessAndForm(settings),
    ...['--seed', String(settings.seed)],
  ].join(' ');
}
