import type { ListingDecision } from 'probity/model';
import { allRows, firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { lockEntries } from './entries.ts';

/** A decision of the operator, or its end. */
interface OperatorDecision {
  readonly at: Date;
  readonly decision: 'hold' | 'reject' | 'release';
  readonly reason: string;
  /** Who decided. */
  readonly operator: string;
}

/**
 * Puts an entry on hold or rejects it until its release, whatever the checks decide; or releases it, with the decision of
 * its last test, and makes a test due. Returns the decision, or null when the entry does not exist.
 */
export function decideAsOperator(
  db: Db,
  id: string,
  { decision, reason, operator }: Omit<OperatorDecision, 'at'>,
): Promise<ListingDecision | null> {
  return db.transaction().execute(async (transaction) => {
    await lockEntries(transaction, [id]);
    return storeDecision(transaction, id, { decision, reason, operator });
  });
}

/** Who holds an entry because the operator wants that for such changes. */
const POLICY = 'policy';

/**
 * Puts an entry on hold, as the operator wants it for a change; not one about which the operator decided already. One that
 * the checks reject stays rejected, until it is released.
 */
export async function holdByPolicy(db: Db, id: string, reason: string): Promise<void> {
  const free = await firstRow<{ decision: ListingDecision }>(db)`
    select decision from entries join entry_details on entry_id = id where id = ${id} and operator_decision is null`;
  if (free === null) return;
  const decision = free.decision === 'reject' ? 'reject' : 'hold';
  await storeDecision(db, id, { decision, reason, operator: POLICY });
}

/** In the transaction `db`, after the entry is locked. */
async function storeDecision(
  db: Db,
  id: string,
  { decision, reason, operator }: Omit<OperatorDecision, 'at'>,
): Promise<ListingDecision | null> {
  const entry = await firstRow<{ hasFigures: boolean }>(db)`
    select uptime is not null and response_time_ms is not null as "hasFigures" from entries where id = ${id}`;
  if (entry === null) return null;
  await run(db)`
    insert into operator_decisions (entry_id, decision, reason, operator)
    values (${id}, ${decision}, ${reason}, ${operator})`;
  const isReleased = decision === 'release';
  const after = isReleased ? await lastDecision(db, id) : decision;
  const shown = after === 'list' && !entry.hasFigures ? 'hold' : after;
  await run(db)`update entries set decision = ${shown} where id = ${id}`;
  await run(db)`
    update entry_details set operator_decision = ${isReleased ? null : decision},
      decided_by = ${isReleased ? 'checks' : 'operator'},
      next_test_at = case when ${isReleased} then now() else next_test_at end
    where entry_id = ${id}`;
  return shown;
}

async function lastDecision(db: Db, id: string): Promise<ListingDecision> {
  const row = await firstRow<{ decision: ListingDecision }>(db)`
    select decision from results where entry_id = ${id} order by started_at desc limit 1`;
  return row?.decision ?? 'hold';
}

/** The newest first. */
export function operatorDecisions(db: Db, id: string): Promise<readonly OperatorDecision[]> {
  return allRows<OperatorDecision>(db)`
    select at, decision, reason, operator from operator_decisions where entry_id = ${id} order by at desc`;
}
