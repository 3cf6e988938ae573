import { type LimitLeft, limitLeftOf, requestedWaitMs, TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import {
  type ClientClock,
  type ClientSettings,
  type Operation,
  type RateLimitWait,
  requireMs,
} from './client-settings.ts';
import { DirectoryError } from './directory-error.ts';
import { type Call, failureError, problemError, redirectError } from './directory-problem.ts';
import { type ReceivedAnswer, type SendBounds, sendOnce } from './send-once.ts';

export interface Order extends Call {
  readonly operation: Operation;
  /** Requests with the same subject share a rate limit; see `KnownLimits`. */
  readonly subject: string;
  /** Whether it may be repeated if its outcome is unknown. */
  readonly repeatable: boolean;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly receive?: SendBounds['receive'];
}

export interface AskContext {
  readonly settings: ClientSettings;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal | undefined;
  readonly clock: ClientClock;
  readonly limits: KnownLimits;
  readonly onRateLimited: ((wait: RateLimitWait) => void) | undefined;
}

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_REPEATS = 2;
const MAX_REFUSALS = 10;
const FIRST_BACKOFF_MS = 250;
const FIRST_REFUSAL_MS = 1000;

/**
 * Sends a request until it is answered: waits for rate limits, and repeats the request if it is repeatable. Returns an
 * answer with a status of 2xx or 304.
 *
 * @throws DirectoryError for everything else
 */
export async function ask(order: Order, context: AskContext): Promise<ReceivedAnswer> {
  const { settings, clock, limits } = context;
  const { withoutKey } = settings;
  const timeoutMs = order.timeoutMs ?? settings.timeoutMs;
  requireMs('timeoutMs', timeoutMs, 1);
  const bounds = { timeoutMs, maxBytes: MAX_ANSWER_BYTES };
  const signals = [order.signal, context.signal].filter((signal) => signal !== undefined);
  const wait = createWait(order, context, signals);
  let repeats = 0;
  let refusals = 0;
  for (;;) {
    await wait.forLimit();
    const answer = await sendOnce(order.request, context.fetch, {
      ...bounds,
      signals,
      receive: order.receive,
    });
    if (answer.kind !== 'answered') {
      if (!order.repeatable || answer.kind !== 'unreachable' || repeats >= MAX_REPEATS)
        throw failureError(order, answer, bounds, withoutKey);
      repeats += 1;
      await wait.backOff(repeats, 0);
      continue;
    }
    const nowMs = clock.nowMs();
    const left = limitLeftOf(answer.headers, nowMs);
    if (left !== null) limits.note(order.subject, left, nowMs);
    if ((answer.status >= 200 && answer.status < 300) || answer.status === 304) return answer;
    if (answer.status === TOO_MANY_REQUESTS) {
      const requestedMs =
        requestedWaitMs(answer.headers, nowMs) ?? (left?.remaining === 0 ? left.resetMs : null);
      // A wait of 0 would be a busy loop.
      const waitMs =
        requestedMs !== null && requestedMs >= FIRST_REFUSAL_MS
          ? requestedMs
          : FIRST_REFUSAL_MS * 2 ** refusals;
      if (left === null) limits.note(order.subject, { remaining: 0, resetMs: requestedMs }, nowMs);
      refusals += 1;
      if (refusals > MAX_REFUSALS || !wait.allows(waitMs))
        throw problemError(order, answer, withoutKey, nowMs);
      await wait.refused(waitMs);
      continue;
    }
    if (order.operation === 'read' && isPassing(answer) && repeats < MAX_REPEATS) {
      const requestedMs = requestedWaitMs(answer.headers, nowMs) ?? 0;
      if (wait.allows(requestedMs)) {
        repeats += 1;
        await wait.backOff(repeats, requestedMs);
        continue;
      }
    }
    if (isRedirect(answer)) throw redirectError(order, answer, withoutKey);
    throw problemError(order, answer, withoutKey, nowMs);
  }
}

/** Browsers report a redirect that is not followed as status 0. */
function isRedirect({ status }: ReceivedAnswer): boolean {
  return (status >= 300 && status < 400) || status === 0;
}

function isPassing({ status }: ReceivedAnswer): boolean {
  return status >= 500 && status !== 501;
}

function createWait(order: Order, context: AskContext, signals: readonly AbortSignal[]) {
  const { settings, clock, limits, onRateLimited } = context;
  let leftMs = settings.maxWaitMs;
  const sleep = async (durationMs: number): Promise<void> => {
    const signal =
      signals.length === 1 && signals[0] !== undefined ? signals[0] : AbortSignal.any([...signals]);
    await clock.sleep(durationMs, signal);
    if (signal.aborted)
      throw failureError(
        { ...order, writes: false },
        { kind: 'interrupted' },
        NO_BOUNDS,
        settings.withoutKey,
      );
  };
  const forRateLimit = async (waitMs: number, because: RateLimitWait['because']): Promise<void> => {
    leftMs -= waitMs;
    onRateLimited?.({ operation: order.operation, waitMs, because });
    await sleep(waitMs);
  };
  return {
    allows: (waitMs: number): boolean => waitMs <= leftMs,
    forLimit: async (): Promise<void> => {
      for (;;) {
        const waitMs = limits.waitMs(order.subject, clock.nowMs());
        // Check and take without a wait in between, because another call may be next.
        if (waitMs === 0) return limits.take(order.subject, clock.nowMs());
        if (waitMs > leftMs) throw noneLeft(order, waitMs, settings.maxWaitMs);
        await forRateLimit(waitMs, 'none-left');
      }
    },
    refused: (waitMs: number): Promise<void> => forRateLimit(waitMs, 'refused'),
    backOff: (attempt: number, minMs: number): Promise<void> => {
      leftMs -= minMs;
      const spreadMs = FIRST_BACKOFF_MS * 2 ** (attempt - 1);
      return sleep(Math.max(minMs, Math.round(spreadMs * (0.5 + clock.random()))));
    },
  };
}

const NO_BOUNDS = { timeoutMs: 0, maxBytes: 0 };

function noneLeft({ what, operation }: Order, waitMs: number, maxWaitMs: number): DirectoryError {
  const seconds = Math.ceil(waitMs / 1000);
  return new DirectoryError(
    `${what} was not sent: the directory allows no more calls to ${operation} for ${seconds} s, and a call waits at most ${maxWaitMs / 1000} s. Try again in ${seconds} s, or allow a longer wait (maxWaitMs).`,
    { code: 'rate-limited', retryAfterSeconds: seconds },
  );
}

/** The known rate limits. The requests of one subject share a limit. */
interface KnownLimits {
  /** How long to wait before the next call; 0 if it may be sent now. */
  waitMs(subject: string, nowMs: number): number;
  /** Counts a call that is about to be sent. */
  take(subject: string, nowMs: number): void;
  note(subject: string, left: LimitLeft, nowMs: number): void;
}

interface Known {
  readonly remaining: number;
  readonly resetsAtMs: number;
}

const MAX_SUBJECTS = 1000;
/** Answers report the end of a window in whole seconds, so those of the same window may differ by this much. */
const SAME_WINDOW_MS = 1500;

export function createKnownLimits(): KnownLimits {
  const known = new Map<string, Known>();
  const current = (subject: string, nowMs: number): Known | null => {
    const limit = known.get(subject);
    if (limit === undefined || limit.resetsAtMs > nowMs) return limit ?? null;
    known.delete(subject);
    return null;
  };
  const keep = (subject: string, limit: Known): void => {
    known.delete(subject);
    known.set(subject, limit);
    const [oldest] = known.keys();
    if (known.size > MAX_SUBJECTS && oldest !== undefined) known.delete(oldest);
  };
  return {
    waitMs: (subject, nowMs) => {
      const limit = current(subject, nowMs);
      return limit === null || limit.remaining > 0 ? 0 : limit.resetsAtMs - nowMs;
    },
    take: (subject, nowMs) => {
      const limit = current(subject, nowMs);
      if (limit !== null) keep(subject, { ...limit, remaining: Math.max(0, limit.remaining - 1) });
    },
    note: (subject, { remaining, resetMs }, nowMs) => {
      if (resetMs === null) return;
      const resetsAtMs = nowMs + resetMs;
      const before = current(subject, nowMs);
      // Answers may arrive out of order; within a window, the remaining number never grows.
      const same = before !== null && Math.abs(before.resetsAtMs - resetsAtMs) <= SAME_WINDOW_MS;
      keep(subject, {
        resetsAtMs: same ? Math.max(before.resetsAtMs, resetsAtMs) : resetsAtMs,
        remaining: same ? Math.min(before.remaining, remaining) : remaining,
      });
    },
  };
}
