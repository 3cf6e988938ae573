import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { Jobs } from '../jobs/start-jobs.ts';
import { countQueued, recoverLost, takeToQueue } from './audit-queue.ts';
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
      if (why !== null) return endAudit(db, audit.id, { state: 'frozen', reason: why });
      if (waiting === 0) return endAudit(db, audit.id, { state: 'ended', reason: null });
      const endMs = performance.now();
      countAtMs = endMs + (endMs - countedFromMs) / COUNT_SHARE;
    }
    await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  await endAudit(db, audit.id, { state: 'interrupted', reason: null });
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
