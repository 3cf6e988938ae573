import { sql } from 'kysely';
import type { RateLimit } from '../settings/service-settings.ts';
import { holdsMsOf, type ServiceLimits, type ServiceSettings } from '../settings/service-settings.ts';
import { purgeRemovals } from './change-feed.ts';
import { DAY_MS, UPTIME_DAYS } from './observations.ts';
import type { Db } from './open-store.ts';

/** Deletes data that is no longer used. */
export async function purge(
  db: Db,
  settings: Pick<ServiceSettings, 'limits' | 'probeEveryMs'>,
  now: Date,
): Promise<void> {
  // The last state observed before the 30 days lasts into them.
  const oldest = new Date(now.getTime() - UPTIME_DAYS * DAY_MS - holdsMsOf(settings));
  await db.deleteFrom('observations').where('at', '<', oldest).execute();
  await db
    .deleteFrom('idempotent_calls')
    .where('started_at', '<', sql<Date>`now() - interval '24 hours'`)
    .execute();
  await purgeRemovals(db);
  for (const { name, windowSeconds } of limitsIn(settings.limits))
    await sql`
      delete from rate_limits
      where subject like ${`%:${name.replaceAll(/[\\%_]/g, '\\$&')}`}
        and window_number < floor(extract(epoch from now()) / ${windowSeconds}::integer)::bigint`.execute(db);
}

function limitsIn(limits: ServiceLimits): readonly RateLimit[] {
  return Object.values(limits).filter((limit) => typeof limit === 'object');
}
