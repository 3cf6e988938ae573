import type { Log } from '../jobs/start-jobs.ts';
import type { Ending } from '../jobs/work-queue.ts';
import { type Follower, followOnce } from './follow.ts';
import { dueSource } from './sources.ts';

/** Shorter than the time after which a job counts as dead, and long enough for a page. The next one goes on with the next page. */
const MAX_JOB_MS = 30_000;

/** Reads the registries that are due, one after another. */
export async function followDue(follower: Follower, signal: AbortSignal, log: Log): Promise<Ending> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(MAX_JOB_MS)]);
  for (;;) {
    const source = ending.aborted ? null : await dueSource(follower.db);
    if (source === null) return ending.aborted ? 'interrupted' : 'done';
    const { problem, ...pass } = await followOnce(follower, source.url, ending);
    const about = { registry: source.url, ...pass };
    if (problem === null) log.info(about, 'a registry was read');
    else log.warn({ ...about, problem }, 'a registry could not be read');
  }
}
