import type { ServiceSettings } from './service-settings.ts';
import type { Entry } from './store/entries.ts';

/** What is needed of an entry to ask its target. */
export type EntryTarget = Pick<Entry, 'id' | 'endpoint' | 'listing'>;

/**
 * The target's own key, from the variable that the listing names. Only variables that are named after the entry count: a
 * listing is a stranger's, and must not have any other of the operator's secrets sent to its endpoint.
 */
export function targetKeyOf(
  { id, listing: { bearerEnv } }: EntryTarget,
  { environment }: Pick<ServiceSettings, 'environment'>,
): string | null {
  if (bearerEnv === undefined) return null;
  const own = `PROBITY_TARGET_${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
  if (bearerEnv !== own && !bearerEnv.startsWith(`${own}_`)) return null;
  const key = Object.hasOwn(environment, bearerEnv) ? environment[bearerEnv] : undefined;
  return key === undefined || key === '' ? null : key;
}
