import { sql } from 'kysely';
import type { Db } from '../store/open-store.ts';

/** The state of a queue. */
export interface QueueState {
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
export async function readQueueStates(db: Db): Promise<readonly QueueState[]> {
  const { rows } = await sql<QueueState>`
    select queue.name as queue,
      count(*) filter (where state < 'active' and start_after <= now())::integer as waiting,
      count(*) filter (where state < 'active' and start_after > now())::integer as delayed,
      count(*) filter (where state = 'active')::integer as running,
      count(*) filter (where state = 'failed')::integer as failed,
      coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active' and start_after <= now())), 0)
        ::double precision as "oldestWaitingSeconds"
    from pgboss.queue left join pgboss.job on job.name = queue.name
    where queue.name not like '\\_\\_%'
    group by queue.name order by queue.name`.execute(db);
  return rows;
}
