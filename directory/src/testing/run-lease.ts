import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../store/open-store.ts';
import { renewRun } from '../store/runs.ts';

export type Log = Pick<FastifyBaseLogger, 'error' | 'warn'>;

export interface Lease {
  /** Aborts when another instance has taken over the run. */
  readonly lost: AbortSignal;
  stopRenewing(): void;
}

/** How long the run of a dead instance blocks other tests of its target. */
export const LEASE_MS = 15_000;
const RENEW_MS = 4000;

/** Renews the lease of a run until `stopRenewing` is called or another instance takes over the run. */
export function keepLease(db: Db, entryId: string, runId: string, log: Log): Lease {
  const losing = new AbortController();
  let renewing = false;
  const renew = async (): Promise<void> => {
    if (renewing) return;
    renewing = true;
    try {
      if (!(await renewRun(db, entryId, runId, LEASE_MS))) losing.abort();
    } catch (error) {
      // The lease outlasts several failures. If the store stays unavailable, the result cannot be stored either.
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
