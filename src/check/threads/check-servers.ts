import { availableParallelism } from 'node:os';
import { listOf, record, requireArguments, required, wholeFrom } from '../../model/arguments.ts';
import type { Kinds } from '../../model/kind.ts';
import type { TestResult } from '../../model/report.ts';
import { checkInputOf } from '../check-input.ts';
import { CHECK_ARGUMENTS, type CheckOptions } from '../check-options.ts';
import { WorkerPool } from './check-server.ts';
import { SharedWorkers } from './sharing.ts';

export interface ServerToCheck {
  readonly url: string;
  readonly options?: CheckOptions;
}

export interface CheckedServer extends ServerToCheck {
  readonly result: TestResult;
}

export interface CheckServersOptions {
  /** Maximum number of servers to check at once; 4 by default. Each needs a thread if any of them is timed. */
  readonly jobs?: number;
}

const SERVER = { url: CHECK_ARGUMENTS.url, options: CHECK_ARGUMENTS.options } satisfies Kinds<ServerToCheck>;
const OPTIONS = { jobs: wholeFrom(1) } satisfies Kinds<CheckServersOptions>;

const DEFAULT_JOBS = 4;

/**
 * Checks servers like `checkServer`, several at once, and yields each as soon as it is checked. Response times are
 * measured while no other server is checked; if none is timed, the checks share a few threads. The next check starts when the caller has taken a result, so that few
 * results are in memory. Leaving the loop interrupts the others.
 *
 * @throws OptionError and TargetError before the first request, and whatever an `onProgress` throws
 */
export function checkServers(
  servers: readonly ServerToCheck[],
  options: CheckServersOptions = {},
): AsyncGenerator<CheckedServer, void, void> {
  requireArguments(
    'checkServers',
    { servers, options },
    { servers: required(listOf(record(SERVER))), options: record(OPTIONS) },
  );
  for (const { url, options: own = {} } of servers) checkInputOf(url, own);
  return checkEach(servers, options.jobs ?? DEFAULT_JOBS);
}

/** In a thread with more, checks would mostly wait for each other. */
const MAX_IN_THREAD = 32;

/**
 * For checks of several targets, up to `jobs` at once. Untimed ones share threads, which takes half of the CPU time, but
 * only if none of the others is timed: it would wait for them until the process is quiet.
 */
export function poolFor(jobs: number, isUntimed: boolean): WorkerPool {
  const threads = Math.min(jobs, availableParallelism());
  const checksPerThread = Math.min(Math.ceil(jobs / threads), MAX_IN_THREAD);
  const shares = isUntimed && checksPerThread > 1;
  return new WorkerPool(jobs, shares ? new SharedWorkers({ threads, checksPerThread }) : null);
}

async function* checkEach(
  servers: readonly ServerToCheck[],
  jobs: number,
): AsyncGenerator<CheckedServer, void, void> {
  const pool = poolFor(
    jobs,
    servers.every(({ options: own }) => own?.latency?.off === true),
  );
  const waiting = servers.entries();
  const running = new Map<number, Promise<{ readonly index: number; readonly checked: CheckedServer }>>();
  const startNext = (): void => {
    const next = waiting.next();
    if (next.done === true) return;
    const [index, server] = next.value;
    const checked = pool.check(server.url, server.options);
    running.set(
      index,
      checked.then((result) => ({ index, checked: { ...server, result } })),
    );
  };
  try {
    for (let job = 0; job < jobs; job += 1) startNext();
    while (running.size > 0) {
      const { index, checked } = await Promise.race(running.values());
      running.delete(index);
      yield checked;
      startNext();
    }
  } finally {
    await pool.close();
  }
}
