import type { ListingDecision } from 'probity/model';
import { allRows, firstRow, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { lockEntries } from './entries.ts';
import { type AuthorKind, noteAction, type OperatorAction } from './operator-log.ts';

/** What an operator can decide about an entry. */
export const DECISIONS = ['approve', 'hold', 'reject', 'release', 'pause', 'resume'] as const;
export type DecisionName = (typeof DECISIONS)[number];

export interface OperatorDecision
  extends Pick<OperatorAction, 'operator'>,
    Partial<Pick<OperatorAction, 'publicReason' | 'until'>> {
  readonly action: DecisionName;
  readonly reason: string;
}

/** What a decision of an operator led to. */
export interface Decided {
  readonly decision: ListingDecision;
  /** False: there was nothing to release or to resume, so that nothing was done. */
  readonly hasEffect: boolean;
}

/**
 * Lists, holds or rejects an entry until its release, whatever the checks decide; or releases it, with the decision of
 * its last test, and makes a test due. While an entry is paused, it is neither probed nor tested. Returns null when the
 * entry does not exist.
 */
export function decideAsOperator(db: Db, id: string, decision: OperatorDecision): Promise<Decided | null> {
  return db.transaction().execute(async (transaction) => {
    await lockEntries(transaction, [id]);
    return storeDecision(transaction, id, { ...decision, authorKind: 'operator' });
  });
}

/**
 * Puts an entry on hold, as the operator wants it for a change; not one about which the operator decided already. One that
 * the checks reject stays rejected, until it is released.
 */
export async function holdByPolicy(db: Db, id: string, reason: string): Promise<void> {
  const free = await firstRow<{ decision: ListingDecision }>(db)`
    select decision from entries join entry_details on entry_id = id where id = ${id} and operator_decision is null`;
  if (free === null) return;
  const action = free.decision === 'reject' ? 'reject' : 'hold';
  await storeDecision(db, id, { action, reason, authorKind: 'policy', operator: 'policy' });
}

/**
 * Puts an entry on hold that a followed registry no longer has, and releases it when the registry has it again. What an
 * operator decided stays. In the transaction `db`, after the entry is locked.
 */
export async function decideByRegistry(db: Db, id: string, url: string, isDeleted: boolean): Promise<void> {
  const entry = await firstRow<{ operatorDecision: ListingDecision | null; decidedBy: AuthorKind | null }>(
    db,
  )`
    select operator_decision as "operatorDecision", (
      select author_kind from operator_log where entry_id = ${id} and action in ('approve', 'hold', 'reject', 'release')
      order by operator_log.id desc limit 1
    ) as "decidedBy"
    from entries where id = ${id}`;
  if (entry === null) return;
  const { operatorDecision, decidedBy } = entry;
  const author = { authorKind: 'registry', operator: 'registry' } as const;
  if (isDeleted && operatorDecision === null)
    await storeDecision(db, id, {
      ...author,
      action: 'hold',
      reason: `${url} no longer has this server, or no address of it`,
      publicReason: 'The registry that this server came from no longer lists it.',
    });
  if (!isDeleted && operatorDecision === 'hold' && decidedBy === 'registry')
    await storeDecision(db, id, { ...author, action: 'release', reason: `${url} has it again` });
}

/**
 * Puts an entry on hold that an operator approved and a followed registry moves to another address, which nobody approved.
 * The directory decides it, and not the registry, whose later passes would release what it holds. In the transaction `db`, after the entry is locked.
 */
export async function endApproval(
  db: Db,
  id: string,
  { url, from, to }: { readonly url: string; readonly from: string | null; readonly to: string },
): Promise<void> {
  await storeDecision(db, id, {
    action: 'hold',
    authorKind: 'directory',
    operator: 'directory',
    reason: `${url} moved it from ${from} to ${to}, for which the approval does not count. Approve it again, or release it to the checks.`,
    publicReason: 'The address of this server changed, and is being reviewed.',
  });
}

/** Of some entries, those that an operator, or their policy, holds or rejects, and not only a followed registry. */
export async function withheldByOperator(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await allRows<{ id: string }>(db)`
    select id from entries where id = any(${ids}::text[]) and operator_decision in ('hold', 'reject') and (
      select author_kind from operator_log where entry_id = entries.id and action in ('approve', 'hold', 'reject', 'release')
      order by operator_log.id desc limit 1
    ) is distinct from 'registry'`;
  return new Set(rows.map(({ id }) => id));
}

const DECIDED = { approve: 'list', hold: 'hold', reject: 'reject', release: null } as const;

type AuthoredDecision = OperatorDecision & { readonly authorKind: AuthorKind };

/** In the transaction `db`, after the entry is locked. */
async function storeDecision(db: Db, id: string, decision: AuthoredDecision): Promise<Decided | null> {
  const { action, publicReason = null, until = null } = decision;
  const entry = await firstRow<{ decision: ListingDecision; isPaused: boolean; isDecided: boolean }>(db)`
    select decision, is_paused as "isPaused", operator_decision is not null as "isDecided"
    from entries where id = ${id}`;
  if (entry === null) return null;
  if ((action === 'resume' && !entry.isPaused) || (action === 'release' && !entry.isDecided))
    return { decision: entry.decision, hasEffect: false };
  await noteAction(db, { ...decision, entryId: id });
  if (action === 'pause' || action === 'resume') {
    await run(db)`update entries set is_paused = ${action === 'pause'} where id = ${id}`;
    await run(db)`
      update entry_details set paused_until = ${action === 'pause' ? until : null},
        pause_reason = ${action === 'pause' ? publicReason : null},
        next_probe_at = case when ${action === 'resume'} then now() else next_probe_at end,
        next_test_at = case when ${action === 'resume'} then now() else next_test_at end
      where entry_id = ${id}`;
    return { decision: entry.decision, hasEffect: true };
  }
  const wanted = DECIDED[action];
  const after = await oneRow<{ decision: ListingDecision }>(db)`
    update entries set operator_decision = ${wanted} where id = ${id} returning decision`;
  await run(db)`
    update entry_details set public_reason = ${wanted === null ? null : publicReason},
      decided_by = ${wanted === null ? 'checks' : 'operator'},
      next_test_at = case when ${wanted === null} then now() else next_test_at end
    where entry_id = ${id}`;
  return { decision: after.decision, hasEffect: true };
}

/** Whether an operator, not only their policy, rejected an entry: everybody else sees no more than the public reason. */
export async function isWithdrawn(
  db: Db,
  {
    id,
    decision,
    decided_by,
  }: { readonly id: string; readonly decision: ListingDecision; readonly decided_by: string },
): Promise<boolean> {
  if (decision !== 'reject' || decided_by !== 'operator') return false;
  const last = await firstRow<{ authorKind: AuthorKind }>(db)`
    select author_kind as "authorKind" from operator_log where entry_id = ${id} and action in ('approve', 'hold', 'reject')
    order by id desc limit 1`;
  return last?.authorKind !== 'policy';
}

/** The given ids of which an operator rejected the last entry, which was removed since, with the reason. */
export function rejectedBefore(
  db: Db,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly at: Date; readonly reason: string | null }[]> {
  return allRows<{ id: string; at: Date; reason: string | null }>(db)`
    select given.id, last.at, last.reason
    from unnest(${[...ids]}::text[]) as given (id)
    cross join lateral (
      select action, author_kind, at, reason from operator_log
      where entry_id = given.id and action in ('approve', 'hold', 'reject', 'release')
      order by operator_log.id desc limit 1
    ) as last
    where last.action = 'reject' and last.author_kind = 'operator'
      and not exists (select from entries where entries.id = given.id)
    order by given.id`;
}
