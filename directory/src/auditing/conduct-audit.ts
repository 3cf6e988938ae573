import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { allRows, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { Jobs } from '../jobs/start-jobs.ts';
import { type Audit, countOutcomes, endAudit } from './audits.ts';

interface Conducting {
  readonly db: Db;
  readonly jobs: Jobs;
  readonly audit: Audit;
  /** How long a job may take before another worker gets it. */
  readonly expireInSeconds: number;
  readonly signal: AbortSignal;
  /** How many entries have no outcome yet. */
  readonly onProgress: (waiting: number) => void;
}

/** How many entries of an audit may be in the queue. The others wait in the audit, where they cost nothing. */
const MAX_QUEUED = 500;
const PAUSE_MS = 250;
/** Counting reads all rows of the audit, so it is done for this share of the time. */
const COUNT_SHARE = 0.05;
const RECOVER_EVERY_MS = 10_000;

/** The audit is frozen when so many of the last outcomes may be the fault of the directory, and such a share of them. */
const LAST = 100;
const MAX_SUSPECTS = 10;
const MAX_SUSPECT_SHARE = 0.2;

/**
 * Moves the entries of an audit into its queue until each has an outcome, the signal aborts, or the audit must be frozen.
 * Workers of this and other processes do the rest.
 */
export async function conductAudit(conducting: Conducting): Promise<void> {
  const { db, audit, signal, onProgress } = conducting;
  let countAtMs = 0;
  let recoverAtMs = 0;
  while (!signal.aborted) {
    await moveToQueue(conducting);
    const nowMs = performance.now();
    if (nowMs >= recoverAtMs) {
      await recoverLost(db, audit.id);
      recoverAtMs = nowMs + RECOVER_EVERY_MS;
    }
    if (nowMs >= countAtMs) {
      const countedFromMs = performance.now();
      const counts = await countOutcomes(db, audit.id);
      const waiting = counts.find(({ outcome }) => outcome === null)?.count ?? 0;
      onProgress(waiting);
      const why = await whyFrozen(db, audit.id);
      if (why !== null) return endAudit(db, audit.id, 'frozen', why);
      if (waiting === 0) return endAudit(db, audit.id, 'ended');
      const endMs = performance.now();
      countAtMs = endMs + (endMs - countedFromMs) / COUNT_SHARE;
    }
    await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  await endAudit(db, audit.id, 'interrupted');
}

async function moveToQueue({ db, jobs, audit, expireInSeconds }: Conducting): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const room = MAX_QUEUED - (await countQueued(transaction, audit.id));
    if (room <= 0) return;
    const ids = await takeToQueue(transaction, audit.id, room);
    if (ids.length === 0) return;
    await jobs.insert(
      transaction,
      'audit',
      ids.map((entryId) => ({
        key: `${audit.id}/${entryId}`,
        data: { auditId: audit.id, entryId },
        expireInSeconds,
      })),
    );
    await jobs.wake(transaction, 'audit');
  });
}

/** Why the last outcomes must not be believed; null when they may. */
async function whyFrozen(db: Db, auditId: string): Promise<string | null> {
  const rows = await allRows<{ cause: string | null; count: number; suspects: number }>(db)`
    select cause, count(*)::integer as count, count(*) filter (where is_suspect)::integer as suspects from (
      select cause, is_suspect from audit_outcomes
      where audit_id = ${auditId} and at is not null and outcome <> 'paused' order by at desc limit ${LAST}
    ) as last group by cause order by suspects desc, cause`;
  const of = rows.reduce((sum, { count }) => sum + count, 0);
  const suspects = rows.reduce((sum, row) => sum + row.suspects, 0);
  if (suspects < MAX_SUSPECTS || suspects < MAX_SUSPECT_SHARE * of) return null;
  const causes = rows.filter((row) => row.suspects > 0);
  const list = causes.map((row) => `${row.cause ?? ''} ${row.suspects}`).join(', ');
  return `${suspects} of the last ${of} servers could not be asked for a reason that is probably on the side of this directory: ${list}. No server was marked as down for it.`;
}

/** Sorts by time, and is unique when two audits begin in the same second. */
export function newAuditId(): string {
  return `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${randomBytes(2).toString('hex')}`;
}

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
 * Lets an entry wait again whose host or address has no lease: outside the queue, where it would take the room of others,
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
async function recoverLost(db: Db, auditId: string): Promise<void> {
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
