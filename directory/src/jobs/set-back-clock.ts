import { run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** No job is planned further ahead, and no wait at a host is longer. */
const MAX_AHEAD = '2 hours';
/** Clocks of several machines differ. */
const TOLERANCE = '1 minute';

/**
 * Corrects times that a clock left in the future before it was set back: what waits for them would wait for days. The
 * times of the next probes and tests are corrected where they are read, in `schedule-due.ts`.
 */
export async function correctFutureTimes(db: Db): Promise<void> {
  await run(db)`
    update pgboss.job set start_after = now()
    where state < 'active' and start_after > now() + ${MAX_AHEAD}::interval`;
  // Otherwise the job of a worker that died would not be given to another one.
  await run(db)`
    update pgboss.job set started_on = now()
    where state = 'active' and started_on > now() + ${TOLERANCE}::interval`;
  await run(db)`
    update pgboss.version set
      maintained_on = case when maintained_on <= now() + ${TOLERANCE}::interval then maintained_on end,
      cron_on = case when cron_on <= now() + ${TOLERANCE}::interval then cron_on end
    where maintained_on > now() + ${TOLERANCE}::interval or cron_on > now() + ${TOLERANCE}::interval`;
  await run(db)`
    update target_paces set
      free_at = least(free_at, now()), reserved_until = least(reserved_until, now()),
      closed_until = case when closed_until > now() + ${MAX_AHEAD}::interval then now() else closed_until end
    where greatest(free_at, reserved_until, closed_until) > now() + ${MAX_AHEAD}::interval`;
  await run(db)`delete from leases where until > now() + ${MAX_AHEAD}::interval`;
  // Observations of hours that count as closed are dropped when they are old.
  await run(db)`
    update closed_hours set until_hour = floor(extract(epoch from now()) / 3600)::integer
    where until_hour > floor(extract(epoch from now()) / 3600)::integer`;
}
