import { shellQuote } from '../judge/curl.ts';
import { budgetLine } from '../model/budget.ts';
import type { ListingRequirement } from '../model/listing.ts';
import type { BridgedServer, ExploringSettings, RunSettings } from '../model/report.ts';

/** The target as an argument: an address, or the server behind a bridge. */
export function targetArguments(targetUrl: string, bridged: RunSettings['bridged']): readonly string[] {
  return bridged === undefined
    ? [shellQuote(targetUrl)]
    : ['--mcp', shellQuote(bridged.address), ...accessOptions(bridged)];
}

function accessOptions({ env = [], bearerEnv }: BridgedServer): readonly string[] {
  return [...env.flatMap((name) => ['--env', shellQuote(name)]), ...tokenOption(bearerEnv)];
}

/** The target by its name in the file that names it, which has its access and its form; null without a name. */
function byName({
  targetName,
  bridged,
}: Pick<RunSettings, 'targetName' | 'bridged'>): readonly string[] | null {
  if (targetName === undefined) return null;
  const file = bridged?.from === undefined ? [] : ['--from', shellQuote(bridged.from)];
  return [...file, '--target', shellQuote(targetName)];
}

/** The bridge at which the curl lines of a report are directed. */
export function bridgeCommand(bridged: BridgedServer): string {
  const address = shellQuote(bridged.address);
  const server = /^https?:/i.test(bridged.address) ? [address] : ['sh', '-c', address];
  return ['probity', 'bridge', ...accessOptions(bridged), ...server].join(' ');
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
  | 'bridged'
  | 'targetName'
>;

/**
 * The command that decides one requirement again as this run did. It names the variable of the token, not the secret,
 * and leaves out headers from --header. Pure.
 */
export function againCommand(requirement: string, targetUrl: string, settings: AgainSettings): string {
  const { seed, form, latency, directory, bearerEnv, exploring, bridged } = settings;
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
    ...(named ?? targetArguments(targetUrl, bridged)),
    ...['--only', requirement],
    ...(directory?.tryRateLimit === true ? ['--try-rate-limit'] : []),
    ...(directory?.entry ? ['--entry', shellQuote(directory.entry)] : []),
    ...(named === null ? accessAndForm(bearerEnv, form) : []),
    ...timed,
    ...['--seed', String(seed)],
  ].join(' ');
}

function accessAndForm(bearerEnv: string | undefined, form: RunSettings['form']): readonly string[] {
  return [...tokenOption(bearerEnv), ...(form === 'auto' ? [] : ['--form', form])];
}

/** A check sends too few inputs to see again what a longer exploring has found. */
function againWithFuzz(
  targetUrl: string,
  { seed, form, bearerEnv, mutating, bridged }: AgainSettings,
  { functions = [] }: ExploringSettings,
): string {
  return [
    ...['probity', 'fuzz', ...targetArguments(targetUrl, bridged)],
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
 * listing), it is the check of the server. Pure.
 */
export function againWithListing(
  requirement: ListingRequirement,
  targetUrl: string,
  settings: Pick<RunSettings, 'seed' | 'form' | 'bearerEnv' | 'bridged' | 'targetName'>,
  file: string | null,
): string {
  const { seed, form, bearerEnv, bridged } = settings;
  const named = byName(settings);
  return [
    ...['probity', 'check', ...(named ?? targetArguments(targetUrl, bridged))],
    ...(file === null ? [] : ['--listing', shellQuote(file)]),
    // Without a listing there is no such requirement.
    ...(file !== null && INDEPENDENT.has(requirement) ? ['--only', requirement] : []),
    ...(named === null ? accessAndForm(bearerEnv, form) : []),
    ...['--seed', String(seed)],
  ].join(' ');
}

/** Quoted, because a saved result is untrusted input. */
function tokenOption(bearerEnv: string | undefined): readonly string[] {
  return bearerEnv === undefined ? [] : ['--bearer-env', shellQuote(bearerEnv)];
}
