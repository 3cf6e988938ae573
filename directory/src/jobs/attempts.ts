import { type RawBuilder, sql } from 'kysely';
import { visible } from 'probity/model';
import { allRows, hasRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { QueueName } from '../settings/settings.ts';
import type { JobData } from './queues.ts';

/** One attempt at a job, by the process that fetched it. */
export interface Attempt<Name extends QueueName = QueueName> {
  readonly queue: Name;
  readonly jobId: string;
  /** 0 for the first. When another process takes over the job, its number is higher. */
  readonly number: number;
  readonly priority: number;
  readonly data: JobData[Name];
  /** How the attempt before ended; null without one. */
  readonly output: unknown;
}

type AttemptId = Pick<Attempt, 'queue' | 'jobId' | 'number'>;

/**
 * Ends an attempt, and deletes its job. In the transaction that stores the outcome, it makes sure that the outcome is
 * stored once: false when the attempt expired, so that the job was given to another process or has ended.
 */
export function endAttempt(db: Db, attempt: AttemptId): Promise<boolean> {
  return hasRow(db)`${endingOf(attempt)}`;
}

/** The same as a part of a statement that stores the outcome if this returns a row. */
export function endingOf(attempt: AttemptId): RawBuilder<unknown> {
  return sql`delete from pgboss.job where ${isUnderWay(attempt)} returning id`;
}

/** Ends an attempt whose outcome is stored nowhere else, and keeps the job with it for a minute. */
export function endAttemptWith(db: Db, attempt: AttemptId, output: object): Promise<boolean> {
  return hasRow(db)`
    update pgboss.job set state = 'completed', completed_on = now(), output = ${JSON.stringify(output)}::jsonb
    where ${isUnderWay(attempt)} returning id`;
}

/** Gives a job back that was interrupted: any process can take it after the pause, and the attempt does not count. */
export function putBack(
  db: Db,
  attempt: AttemptId,
  againAfterMs = 0,
  output: object | null = null,
): Promise<boolean> {
  return hasRow(db)`
    update pgboss.job set state = 'created', started_on = null,
      output = ${output === null ? null : JSON.stringify(output)}::jsonb,
      start_after = now() + ${againAfterMs}::double precision * interval '1 ms'
    where ${isUnderWay(attempt)} returning id`;
}

/** Locks the job of an attempt. False when the attempt is not the current one. */
export function lockAttempt(db: Db, attempt: AttemptId): Promise<boolean> {
  return hasRow(db)`select id from pgboss.job where ${isUnderWay(attempt)} for update`;
}

function isUnderWay({ queue, jobId, number }: AttemptId) {
  return sql`name = ${queue} and id = ${jobId}::uuid and state = 'active' and retry_count = ${number}`;
}

/** Which of these jobs a caller waits for. */
export async function urgentJobs(
  db: Db,
  queue: QueueName,
  jobIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await allRows<{ id: string }>(db)`
    select id from pgboss.job where name = ${queue} and id = any(${[...jobIds]}::uuid[]) and priority > 0`;
  return new Set(rows.map(({ id }) => id));
}

/** Whether a job of this queue waits that a caller waits for. */
export function hasUrgentJob(db: Db, queue: QueueName): Promise<boolean> {
  return hasRow(db)`
    select 1 from pgboss.job
    where name = ${queue} and state < 'active' and priority > 0 and start_after < now() limit 1`;
}

/** An error as a job keeps it. Hostile texts may contain U+0000, which `jsonb` refuses. */
export function outputOf(error: unknown): object {
  return { message: visible(error instanceof Error ? error.message : String(error)) };
}
