import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../store/open-store.ts';
import { renewRun } from '../store/runs.ts';

export type Log = Pick<FastifyBaseLogger, 'error' | 'warn'>;

export interface Lease {
  /** Fires when somebody else has taken the run. */
  readonly lost: AbortSignal;
  stopRenewing(): void;
}

/** An instance that dies keeps nobody from testing a target for longer than this. */
export const LEASE_MS = 15_000;
const RENEW_MS = 4000;

/** Renews a run's lease until it is told to stop, or the run is no longer ours. */
export function keepLease(db: Db, entryId: string, runId: string, log: Log): Lease {
  const losing = new AbortController();
  let renewing = false;
  const renew = async (): Promise<void> => {
    if (renewing) return;
    renewing = true;
    try {
      if (!(await renewRun(db, entryId, runId, LEASE_MS))) losing.abort();
    } catch (error) {
      // The lease outlasts a few of these; when the store stays away, the result cannot be kept either.
      log.warn({ err: error, entryId }, 'the lease of a test could not be renewed');
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void renew(), RENEW_MS);
  const stopRenewing = (): void => clearInterval(timer);
  losing.signal.addEventListener('abort', stopRenewing);
  return { lost: losing.signal, stopRenewing };
}
