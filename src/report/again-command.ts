import { budgetLine } from '../model/budget.ts';
import type { ListingRequirement } from '../model/listing.ts';
import type { RunSettings } from '../model/report.ts';
import { shellQuote } from '../run/curl.ts';

const TIMED_AREA = 'performance/';

/** The command that decides one requirement again as this run did; what it needs of secrets is left to the reader. Pure. */
export function againCommand(
  requirement: string,
  targetUrl: string,
  { seed, form, latency, directory }: Pick<RunSettings, 'seed' | 'form' | 'latency' | 'directory'>,
): string {
  const timed = requirement.startsWith(TIMED_AREA)
    ? [
        ...(latency.samples === null ? [] : ['--samples', String(latency.samples)]),
        ...latency.budgets.flatMap((budget) => ['--budget', shellQuote(budgetLine(budget))]),
      ]
    : [];
  return [
    ...['probity', 'check', ...(directory === undefined ? [] : ['--directory']), shellQuote(targetUrl)],
    ...['--only', requirement],
    ...(directory?.tryRateLimit === true ? ['--try-rate-limit'] : []),
    ...(directory?.entry ? ['--entry', shellQuote(directory.entry)] : []),
    ...(form === 'auto' ? [] : ['--form', form]),
    ...timed,
    ...['--seed', String(seed)],
  ].join(' ');
}

/** These rest on nothing that the run asks besides whether the target answers. */
const STANDS_ALONE = new Set<string>(['listing/open-or-verifiable', 'listing/record']);

/** The same for a requirement of a listing, which may rest on all other rows. Pure. */
export function againWithListing(
  requirement: ListingRequirement,
  targetUrl: string,
  { seed, form }: Pick<RunSettings, 'seed' | 'form'>,
  file: string,
): string {
  return [
    ...['probity', 'check', shellQuote(targetUrl), '--listing', shellQuote(file)],
    ...(STANDS_ALONE.has(requirement) ? ['--only', requirement] : []),
    ...(form === 'auto' ? [] : ['--form', form]),
    ...['--seed', String(seed)],
  ].join(' ');
}
