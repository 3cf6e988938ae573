import type { Clock } from '../model/probe.ts';
import { type Session, SubjectError } from './subject.ts';

export interface PoolOptions {
  /** Number of sessions that are kept open. */
  readonly size: number;
  /** The signal is aborted when the pool is closed. */
  readonly open: (signal: AbortSignal) => Promise<Session>;
  readonly clock: Clock;
  /** Called when a session ended by itself or could not be opened, with the time until the next attempt. */
  readonly onLost: ((reason: string, retryInMs: number) => void) | undefined;
  readonly onOpen: (session: Session) => void;
}

/** Keeps sessions with one server open, each independent of the others. */
export interface SessionPool {
  start(): void;
  /**
   * The open session with the fewest calls under way. Without one, waits for the next attempt to open one, up to the
   * time-out; rejects with a SubjectError.
   */
  session(timeoutMs: number): Promise<Session>;
  /** An open session, or why there is none. */
  now(): Session | SubjectError;
  /** Closes a session that can no longer be used; another one is opened. */
  discard(session: Session, reason: string): void;
  /** Ends all sessions and waits for them. */
  close(): Promise<void>;
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 10_000;
/** After this time the next loss counts as the first one. */
const STABLE_MS = 10_000;

export function createSessionPool({ size, open, clock, onLost, onOpen }: PoolOptions): SessionPool {
  const closing = new AbortController();
  const sessions = new Set<Session>();
  const discarded = new Map<Session, string>();
  let lastError = new SubjectError('unavailable', 'it has not started yet');
  let failedAttempts = 0;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resume of woken) resume();
  };

  const keepOpen = async (): Promise<void> => {
    for (let waitMs = FIRST_WAIT_MS; !closing.signal.aborted; ) {
      const openedAtMs = clock.monotonicMs();
      lastError = await openOnce().catch((error: unknown) => {
        failedAttempts += 1;
        return unavailable(error);
      });
      if (closing.signal.aborted) return;
      if (clock.monotonicMs() - openedAtMs > STABLE_MS) waitMs = FIRST_WAIT_MS;
      onLost?.(lastError.message, waitMs);
      wake();
      await clock.sleep(waitMs, closing.signal);
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
  };

  /** Opens a session and waits for its end. */
  const openOnce = async (): Promise<SubjectError> => {
    const session = await open(closing.signal);
    if (closing.signal.aborted) {
      await session.close();
      return lastError;
    }
    sessions.add(session);
    onOpen(session);
    wake();
    const reason = await session.ended;
    sessions.delete(session);
    const why = discarded.get(session) ?? reason;
    discarded.delete(session);
    await session.close();
    return new SubjectError('unavailable', why);
  };

  let kept: readonly Promise<void>[] = [];
  const leastBusy = (): Session | undefined =>
    [...sessions]
      .filter((session) => !discarded.has(session))
      .toSorted((one, other) => one.pending() - other.pending())[0];

  return {
    start: () => {
      kept = Array.from({ length: size }, keepOpen);
    },
    now: () => leastBusy() ?? lastError,
    session: async (timeoutMs) => {
      const endsAtMs = clock.monotonicMs() + timeoutMs;
      const failedBefore = failedAttempts;
      for (;;) {
        const found = leastBusy();
        if (found !== undefined) return found;
        const leftMs = endsAtMs - clock.monotonicMs();
        if (leftMs <= 0 || failedAttempts > failedBefore || closing.signal.aborted) throw lastError;
        const enough = new AbortController();
        await Promise.race([
          new Promise<void>((resolve) => {
            waiting.push(resolve);
          }),
          clock.sleep(leftMs, AbortSignal.any([enough.signal, closing.signal])),
        ]);
        enough.abort();
      }
    },
    discard: (session, reason) => {
      if (!sessions.has(session) || discarded.has(session)) return;
      discarded.set(session, reason);
      void session.close();
    },
    close: async () => {
      closing.abort();
      wake();
      await Promise.all([...sessions].map((session) => session.close()));
      await Promise.all(kept);
    },
  };
}

function unavailable(cause: unknown): SubjectError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const failure = cause instanceof SubjectError ? cause.failure : null;
  return new SubjectError('unavailable', message, { cause, failure });
}
