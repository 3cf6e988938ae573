import type { Log } from '../jobs/start-jobs.ts';
import type { Ending } from '../jobs/work-queue.ts';
import { type Follower, followPage, newReading, type Reading } from './follow.ts';
import { dueSource } from './sources.ts';

/** Shorter than the time after which a job counts as dead, and long enough for a page. The next one goes on with the next page. */
const MAX_JOB_MS = 30_000;

/** Reads the registries that are due, in turns of one page: a list that does not end keeps no others waiting. */
export async function followDue(follower: Follower, signal: AbortSignal, log: Log): Promise<Ending> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(MAX_JOB_MS)]);
  const readings = new Map<string, Reading>();
  for (;;) {
    const source = ending.aborted ? null : await dueSource(follower.db);
    if (source === null) return ending.aborted ? 'interrupted' : 'done';
    const { url } = source;
    const reading = await followPage(follower, url, readings.get(url) ?? newReading(), ending);
    readings.set(url, reading);
    if (!reading.isOver) continue;
    readings.delete(url);
    const { problem, lastRefusal, ...pass } = reading.pass;
    const about = { registry: url, ...pass, ...(lastRefusal === null ? {} : { lastRefusal }) };
    if (problem === null) log.info(about, 'a registry was read');
    else log.warn({ ...about, problem }, 'a registry could not be read');
  }
}
