import { sql } from 'kysely';
import { holdsMsOf, type ServiceSettings } from '../settings/service-settings.ts';
import { purgeAudits } from './audits.ts';
import { purgeRemovals } from './change-feed.ts';
import { closeHours } from './close-hours.ts';
import { deleteOldCalls } from './idempotent-calls.ts';
import type { Db } from './open-store.ts';
import { purgeTurns } from './turns.ts';

/** Sums up the observations of hours that have ended, and deletes data that is no longer used. */
export async function purge(
  db: Db,
  settings: Pick<ServiceSettings, 'limits' | 'probeEveryMs'>,
  now: Date,
): Promise<void> {
  await closeHours(db, { now, holdsMs: holdsMsOf(settings) });
  await deleteOldCalls(db, sql<Date>`now() - interval '24 hours'`);
  await purgeRemovals(db);
  await purgeTurns(db);
  await purgeAudits(db);
  for (const { name, windowSeconds } of Object.values(settings.limits).filter(
    (limit) => typeof limit === 'object',
  ))
    await sql`
      delete from rate_limits
      where subject like ${`%:${name.replaceAll(/[\\%_]/g, '\\$&')}`}
        and window_number < floor(extract(epoch from now()) / ${windowSeconds}::integer)::bigint`.execute(db);
}

const TABLES = [
  'entries',
  'entry_details',
  'capabilities',
  'results',
  'observations',
  'entry_changes',
  'observed_days',
] as const;

/**
 * Removes dead rows, and updates the statistics of the planner. Needed after large writes, because the embedded database
 * does not vacuum automatically.
 */
export async function tidyStore(db: Db): Promise<void> {
  for (const table of TABLES) await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
}

/** The same for the jobs: their rows are short-lived, and every fetch reads past the dead ones. */
export async function tidyJobs(db: Db): Promise<void> {
  await sql`vacuum (analyze) pgboss.job`.execute(db);
  await sql`vacuum (analyze) pgboss.archive`.execute(db);
}
