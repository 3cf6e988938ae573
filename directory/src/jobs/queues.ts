// The folder `jobs` has the queues, on pg-boss: `schedule-due.ts` moves due entries into them, `work-queue.ts` runs the
// handlers of `worker.ts`, and `attempts.ts` makes sure that an outcome is stored once.

import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { QueueName } from '../settings/settings.ts';

/** The data of a job, by queue. All of it must survive `jsonb`, which refuses U+0000 in texts. */
export interface JobData {
  /** Moves due entries into the queues `probe` and `test`. */
  readonly schedule: NoData;
  /** Reads /health of an entry. */
  readonly probe: { readonly entryId: string };
  readonly test: {
    readonly entryId: string;
    /** The samples with a caller's input, as JSON text; null: those of the listing. */
    readonly samples: string | null;
    /** Of the request of a caller, in the format of W3C Trace Context; null: there is no trace. */
    readonly traceparent: string | null;
  };
  /** Finds out what an audit shows of an entry. */
  readonly audit: { readonly auditId: string; readonly entryId: string };
  /** Reads the registries that are due. */
  readonly follow: NoData;
  /** Checks the package with this name; without one, moves those that are due into the queue. */
  readonly 'package-check': { readonly name?: string };
  /** Closes the hours that have ended, and deletes old data. */
  readonly 'clean-up': NoData;
  /** Removes dead rows of jobs, and updates the statistics of the planner. Only the embedded store needs it. */
  readonly statistics: NoData;
  /** The data of a job that failed too often, from any queue. */
  readonly 'dead-letter': { readonly queue: string; readonly entryId?: string };
}

type NoData = Readonly<Record<never, never>>;

export interface Queue {
  /** Attempts after the first one, with growing pauses. */
  readonly retryLimit: number;
  /** A worker that takes longer is considered dead. `send` can set another time for a job. */
  readonly expireInSeconds: number;
  /** A job that nobody takes is deleted after this time; its entry is then due again. */
  readonly retentionMinutes: number;
  /** How many of its jobs a process runs at once, unless the operator sets another number. */
  readonly concurrency: number;
  /** When a job is added without an entry that is due; null: never. */
  readonly cron: string | null;
}

const DAY_MINUTES = 24 * 60;

/**
 * All queues. To add one: its name in `settings/service-settings.ts`, its data and its row here, and its handler in
 * `worker.ts`; the compiler requires each. In every queue except `dead-letter`, the jobs that have not ended have
 * different keys.
 */
export const QUEUES: Readonly<Record<QueueName, Queue>> = {
  // Short, so that another process soon takes over from one that was killed.
  schedule: { retryLimit: 10, expireInSeconds: 10, retentionMinutes: 5, concurrency: 1, cron: '* * * * *' },
  probe: { retryLimit: 5, expireInSeconds: 120, retentionMinutes: 60, concurrency: 64, cron: null },
  // Each job has its own expiry, because the operator chooses the deadline.
  test: { retryLimit: 5, expireInSeconds: 60, retentionMinutes: DAY_MINUTES, concurrency: 2, cron: null },
  // A check may take as long as a test.
  audit: { retryLimit: 2, expireInSeconds: 120, retentionMinutes: DAY_MINUTES, concurrency: 32, cron: null },
  // Short, so that another process soon takes over from one that was killed.
  follow: { retryLimit: 2, expireInSeconds: 60, retentionMinutes: 5, concurrency: 1, cron: '* * * * *' },
  // Each job about a package has its own expiry, as a test. The commands of the operator run one at a time.
  'package-check': {
    retryLimit: 1,
    expireInSeconds: 60,
    retentionMinutes: DAY_MINUTES,
    concurrency: 1,
    cron: '* * * * *',
  },
  'clean-up': {
    retryLimit: 2,
    expireInSeconds: 10 * 60,
    retentionMinutes: 60,
    concurrency: 1,
    // When the last hour can be closed.
    cron: '17 * * * *',
  },
  statistics: { retryLimit: 0, expireInSeconds: 120, retentionMinutes: 5, concurrency: 1, cron: '* * * * *' },
  'dead-letter': {
    retryLimit: 2,
    expireInSeconds: 60,
    retentionMinutes: 30 * DAY_MINUTES,
    concurrency: 1,
    cron: null,
  },
};

/** The priority of jobs that a caller waits for. Others have 0. */
export const CALLER_PRIORITY = 10;

interface QueueState {
  readonly queue: string;
  /** Jobs that can start now. */
  readonly waiting: number;
  /** Jobs that start later: the pauses before repetitions. */
  readonly delayed: number;
  readonly running: number;
  /** Jobs of the last day whose attempts all failed. */
  readonly failed: number;
  /** How long the oldest waiting job could have started; 0 without one. */
  readonly oldestWaitingSeconds: number;
}

/** The state of every queue, for metrics and for the operator. */
export function readQueueStates(db: Db): Promise<readonly QueueState[]> {
  return allRows<QueueState>(db)`
    select queue.name as queue,
      count(*) filter (where state < 'active' and start_after <= now())::integer as waiting,
      count(*) filter (where state < 'active' and start_after > now())::integer as delayed,
      count(*) filter (where state = 'active')::integer as running,
      count(*) filter (where state = 'failed')::integer as failed,
      coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active' and start_after <= now())), 0)
        ::double precision as "oldestWaitingSeconds"
    from pgboss.queue left join pgboss.job on job.name = queue.name
    where queue.name not like '\\_\\_%'
    group by queue.name order by queue.name`;
}
