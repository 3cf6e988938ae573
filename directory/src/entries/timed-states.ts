import { allRows, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { noteAction } from './operator-log.ts';

/** So many usual times without a test that decides anything make an entry stale. */
const STALE_AFTER_TIMES = 3;

/** Ends the pauses whose time is over: their servers are probed and tested at once. */
export async function endPauses(db: Db): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const ended = await allRows<{ id: string }>(transaction)`
      update entries set is_paused = false from entry_details
      where entry_id = id and is_paused and paused_until <= now() returning id`;
    if (ended.length === 0) return;
    await run(transaction)`
      update entry_details set paused_until = null, pause_reason = null, next_probe_at = now(), next_test_at = now()
      where entry_id = any(${ended.map(({ id }) => id)}::text[])`;
    for (const { id } of ended)
      await noteAction(transaction, {
        authorKind: 'directory',
        operator: 'directory',
        action: 'resume',
        entryId: id,
        reason: 'the time of its pause is over',
      });
  });
}

/** Marks the entries about which no test decided for long. A test that decides unmarks them. */
export async function markStale(db: Db, { testEveryMs }: { readonly testEveryMs: number }): Promise<void> {
  await run(db)`
    update entries set is_stale = true from entry_details
    where entry_id = id and not is_stale and accepts_tests
      and coalesce(decided_at, added_at) < now() - ${STALE_AFTER_TIMES * testEveryMs}::double precision * interval '1 ms'
      and coalesce(decided_at, added_at) < now()
        - ${STALE_AFTER_TIMES}::integer * coalesce(test_every_ms, 0) * interval '1 ms'`;
}
