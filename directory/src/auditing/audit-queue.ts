import { allRows, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** How many entries are in the queue, or with a worker. */
export async function countQueued(db: Db, auditId: string): Promise<number> {
  const { queued } = await oneRow<{ queued: number }>(db)`
    select count(*)::integer as queued from audit_outcomes
    where audit_id = ${auditId} and outcome is null and is_queued`;
  return queued;
}

/** Takes entries that wait into the queue, in their order; later those that a crowded host put off. */
export async function takeToQueue(db: Db, auditId: string, max: number): Promise<readonly string[]> {
  const rows = await allRows<{ entry_id: string }>(db)`
    with taken as materialized (
      select entry_id from audit_outcomes
      where audit_id = ${auditId} and outcome is null and not is_queued and not_before <= now()
      order by place, entry_id limit ${max} for update skip locked
    )
    update audit_outcomes as one set is_queued = true, tries = tries + 1
    from taken where one.audit_id = ${auditId} and one.entry_id = taken.entry_id
    returning one.entry_id`;
  return rows.map(({ entry_id }) => entry_id);
}

const MAX_PUT_OFF_MS = 30_000;
const FIRST_PUT_OFF_MS = 500;

/**
 * Lets an entry wait again whose host or address has no turn: outside the queue, where it would take the room of others,
 * and each time longer, because many of its neighbours wait with it.
 */
export async function putOff(
  db: Db,
  { auditId, entryId }: { readonly auditId: string; readonly entryId: string },
  afterMs: number,
): Promise<void> {
  await run(db)`
    update audit_outcomes set is_queued = false, tries = tries - 1, put_off = put_off + 1,
      not_before = now() + interval '1 ms' * (${afterMs}::double precision
        + random() * least(${MAX_PUT_OFF_MS}::double precision, ${FIRST_PUT_OFF_MS}::double precision * 2 ^ least(put_off, 10)))
    where audit_id = ${auditId} and entry_id = ${entryId} and outcome is null`;
}

const MAX_TRIES = 3;

/** Lets entries wait again whose jobs are gone without an outcome, and gives up those that were tried often. */
export async function recoverLost(db: Db, auditId: string): Promise<void> {
  await run(db)`
    with lost as (
      select entry_id, tries from audit_outcomes
      where audit_id = ${auditId} and outcome is null and is_queued and not exists (
        select from pgboss.job
        where name = 'audit' and singleton_key = ${auditId} || '/' || audit_outcomes.entry_id and state < 'completed'
      ) for update skip locked
    )
    update audit_outcomes as one set is_queued = false,
      outcome = case when lost.tries >= ${MAX_TRIES}::integer then 'undecided' end,
      cause = case when lost.tries >= ${MAX_TRIES}::integer then 'attempts-failed' end,
      at = case when lost.tries >= ${MAX_TRIES}::integer then now() end
    from lost where one.audit_id = ${auditId} and one.entry_id = lost.entry_id`;
}
