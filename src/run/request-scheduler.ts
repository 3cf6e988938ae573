import pLimit from 'p-limit';
import {
  type Exchange,
  headerValue,
  interrupted,
  type TransportFailure,
  type TransportFailureCode,
} from '../model/exchange.ts';
import { retriedKey, waitedKey } from '../model/exchange-key.ts';
import type {
  Clock,
  OpeningExchanges,
  PlannedHttp,
  PlannedMessage,
  PlannedOpening,
  Probe,
} from '../model/probe.ts';
import { isRateLimited, retryAfterMs } from '../model/rate-limit.ts';
import type { RunSettings } from '../model/report.ts';
import { unsentExchange } from '../model/sent.ts';
import type { Retry } from '../model/suite.ts';

export type ScheduledRequest = (Omit<PlannedHttp, 'timeoutMs'> | Omit<PlannedMessage, 'timeoutMs'>) & {
  /** When it must end, on the monotonic clock; earlier than the run if time is reserved for later requests. */
  readonly endsAtMs: number;
  /** Minimum time to wait for the answer. */
  readonly minTimeoutMs?: number | null;
  /** Why it cannot be sent, if so. */
  readonly unsendable?: TransportFailure | null;
  /** The called function, if any. */
  readonly functionName?: string | null;
  /** It is sent once, whatever the answer is: the target's rate limiter is not waited for. */
  readonly sentOnce?: boolean;
  /** It is not repeated after this many calls of the function in this run. */
  readonly maxCalls?: number | null;
};

export interface RequestSchedulerOptions {
  readonly probe: Probe;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly settings: Pick<
    RunSettings,
    'deadlineMs' | 'requestTimeoutMs' | 'concurrency' | 'requestsPerSecond'
  >;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

/** What a run waits for when no request is in flight. */
export type WaitedFor = 'timed-calls' | 'repeated-read';

/** Reported before a request is sent, after it was answered, and when a longer wait begins. */
export interface Progress {
  readonly kind: 'sent' | 'answered' | 'waiting';
  readonly key: string;
  readonly sent: number;
  readonly answered: number;
  readonly waitingFor: WaitedFor | null;
}

/** Sends each request once, within the run's deadline; waits when the target's rate limiter requires it. */
export interface RequestScheduler {
  send(request: ScheduledRequest, retry: Retry | null): Promise<Exchange>;
  /** Opens a conversation. */
  open(opening: Omit<PlannedOpening, 'timeoutMs'> & { readonly endsAtMs: number }): Promise<OpeningExchanges>;
  /** Sends at once and does not wait after a 429, for a step that provokes one. */
  press(request: ScheduledRequest): Promise<Exchange>;
  /** Waits until the load engine can send this many requests at this rate within the pace of the run. */
  reserve(count: number, ratePerSecond: number, endsAtMs: number): Promise<void>;
  /** Waits for the duration, but not past the end. */
  wait(durationMs: number, endsAtMs: number): Promise<void>;
  /** Does the work, and meanwhile reports what the run waits for. */
  during<T>(waitingFor: WaitedFor, key: string, work: () => Promise<T>): Promise<T>;
  /** Every exchange so far, in the order in which the requests were sent. */
  exchanges(): readonly Exchange[];
  /** Calls of each function so far, including refused ones and those not sent yet. */
  calls(): ReadonlyMap<string, number>;
}

const MAX_WAITS = 10;
/** The minimum wait, even if a rate limiter says 0. */
const MIN_WAIT_MS = 100;
const DEFAULT_WAIT_MS = 1000;

export function createRequestScheduler(options: RequestSchedulerOptions): RequestScheduler {
  const { probe, clock, signal, settings } = options;
  const limit = pLimit(settings.concurrency);
  const pace = createPace(settings.requestsPerSecond);
  const requested = new Map<string, Promise<Exchange>>();
  const order: (Exchange | undefined)[] = [];
  const calls = new Map<string, number>();
  const shares = createShares(settings.deadlineMs);
  let sent = 0;
  let answered = 0;
  const waits: WaitedFor[] = [];

  const report = (kind: Progress['kind'], key: string): void =>
    options.onProgress?.({ kind, key, sent, answered, waitingFor: waits.at(-1) ?? null });

  const callsOf = (functionName: string): number => calls.get(functionName) ?? 0;

  const count = ({ functionName = null }: ScheduledRequest): void => {
    if (functionName !== null) calls.set(functionName, callsOf(functionName) + 1);
  };

  const maySendAgain = ({ functionName = null, maxCalls = null }: ScheduledRequest): boolean =>
    functionName === null || maxCalls === null || callsOf(functionName) < maxCalls;

  const remainingMs = (endsAtMs: number): number => endsAtMs - clock.monotonicMs();

  const wait = (durationMs: number, endsAtMs: number): Promise<void> =>
    clock.sleep(Math.min(durationMs, Math.max(0, remainingMs(endsAtMs))), signal);

  const leaveOut = (request: ScheduledRequest, reason: TransportFailure): Exchange => {
    const exchange = unsentExchange(request, reason, clock.nowMs());
    order.push(exchange);
    return exchange;
  };

  const sendOnce = async (
    {
      minTimeoutMs,
      unsendable: _unsendable,
      functionName = null,
      maxCalls: _max,
      sentOnce: _sentOnce,
      ...request
    }: ScheduledRequest,
    isPaced = true,
  ): Promise<Exchange> => {
    const takesTurn = isPaced && probe.wasSent?.(request) !== true;
    const waitMs = takesTurn ? pace.takeTurn(clock.monotonicMs(), pathOf(request)) : 0;
    if (waitMs > 0) await wait(waitMs, request.endsAtMs);
    const left = remainingMs(request.endsAtMs);
    if (signal.aborted || left <= 0)
      return leaveOut(request, signal.aborted ? interrupted : overDeadline(settings.deadlineMs));
    if (functionName !== null && shares.isUsedUp(functionName))
      return leaveOut(request, shareUsedUp(functionName, request, settings.deadlineMs));
    const position = order.push(undefined) - 1;
    sent += 1;
    report('sent', request.key);
    const patienceMs = Math.max(settings.requestTimeoutMs, minTimeoutMs ?? 0);
    const timeoutMs = Math.min(patienceMs, left);
    const over = functionName === null ? null : shares.begin(functionName, clock.monotonicMs());
    const answer = await probe.send({ ...request, timeoutMs });
    over?.(clock.monotonicMs());
    const exchange = blameDeadline(answer, timeoutMs < patienceMs, settings.deadlineMs);
    order[position] = exchange;
    options.onExchange?.(exchange);
    answered += 1;
    report('answered', request.key);
    return exchange;
  };

  const sendPatiently = async (request: ScheduledRequest, retry: Retry | null): Promise<Exchange> => {
    let exchange = await sendOnce(request);
    for (let waits = 1; waits <= MAX_WAITS && isRateLimited(exchange); waits += 1) {
      const waitMs = Math.max(MIN_WAIT_MS, requestedWaitMs(exchange, clock.nowMs()));
      if (waitMs >= remainingMs(request.endsAtMs) || !maySendAgain(request)) break;
      count(request);
      pace.pause(clock.monotonicMs() + waitMs, pathOf(request));
      const next = await sendOnce({ ...request, key: waitedKey(request.key, waits) });
      if (isUnrecorded(next)) return exchange;
      exchange = next;
    }
    for (
      let attempt = 2;
      retry !== null &&
      attempt <= retry.attempts &&
      isWorthRetrying(exchange, retry) &&
      maySendAgain(request);
      attempt += 1
    ) {
      count(request);
      await wait(retry.waitMs, request.endsAtMs);
      const next = await sendOnce({ ...request, key: retriedKey(request.key, attempt) });
      if (isUnrecorded(next)) return exchange;
      exchange = next;
    }
    return exchange;
  };

  const begin = (request: ScheduledRequest, sendIt: () => Promise<Exchange>): Promise<Exchange> => {
    const { unsendable } = request;
    if (unsendable) return limit(() => leaveOut(request, unsendable));
    count(request);
    return limit(sendIt);
  };

  return {
    send: (request, retry) => {
      const known = requested.get(request.key);
      if (known !== undefined) return known;
      const exchange = begin(request, () =>
        request.sentOnce === true ? sendOnce(request) : sendPatiently(request, retry),
      );
      requested.set(request.key, exchange);
      return exchange;
    },
    open: (opening) =>
      limit(async () => {
        const left = remainingMs(opening.endsAtMs);
        const { open } = probe;
        if (signal.aborted || left <= 0 || open === undefined) {
          const reason = signal.aborted ? interrupted : overDeadline(settings.deadlineMs);
          const { key, conversation } = opening;
          const unsent = unsentExchange(openingAsMessage(key, conversation), reason, clock.nowMs());
          order.push(unsent);
          return { deciding: unsent, others: [], opened: null };
        }
        sent += 1;
        report('sent', opening.key);
        const made = await open.call(probe, { ...opening, timeoutMs: left });
        for (const exchange of [...made.others, made.deciding]) {
          order.push(exchange);
          options.onExchange?.(exchange);
        }
        answered += 1;
        report('answered', opening.key);
        return made;
      }),
    press: (request) => begin(request, () => sendOnce(request, false)),
    reserve: async (count, ratePerSecond, endsAtMs) => {
      const waitMs = pace.reserve(clock.monotonicMs(), count, ONE_SECOND_MS / ratePerSecond);
      if (waitMs > 0) await wait(waitMs, endsAtMs);
    },
    wait,
    during: async (waitingFor, key, work) => {
      waits.push(waitingFor);
      report('waiting', key);
      return work().finally(() => waits.splice(waits.indexOf(waitingFor), 1));
    },
    exchanges: () => order.filter((exchange) => exchange !== undefined),
    calls: () => calls,
  };
}

/** A saved run that is judged again stops waiting where the original run did. */
function isUnrecorded(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.code === 'not-recorded';
}

function pathOf(request: ScheduledRequest): string {
  if (!('url' in request)) return request.conversation;
  return request.url.split('?', 1)[0] ?? request.url;
}

function openingAsMessage(key: string, conversation: string): Omit<PlannedMessage, 'timeoutMs'> {
  const sends = { kind: 'close' } as const;
  return { key, conversation, sends, headers: [], anonymous: false, feedsLaterSteps: false };
}

const ONE_SECOND_MS = 1000;

/** Limits the starts within any second, and pauses requests to a path as its rate limiter requires. */
function createPace(requestsPerSecond: number) {
  const startsMs: number[] = [];
  const pausedUntilMs = new Map<string, number>();
  return {
    /** Reserves the next start, and returns how long to wait for it. */
    takeTurn: (nowMs: number, path: string): number => {
      const oldestMs = startsMs.length < requestsPerSecond ? undefined : startsMs.shift();
      const startMs = Math.max(
        nowMs,
        pausedUntilMs.get(path) ?? nowMs,
        oldestMs === undefined ? nowMs : oldestMs + ONE_SECOND_MS,
      );
      startsMs.push(startMs);
      startsMs.sort((left, right) => left - right);
      return startMs - nowMs;
    },
    /** Reserves evenly spaced starts, and returns how long to wait so that all starts keep the pace. */
    reserve: (nowMs: number, count: number, apartMs: number): number => {
      const firstMs = startsMs
        .slice(-requestsPerSecond)
        .reduce(
          (latest, earlierMs, index, recent) =>
            Math.max(
              latest,
              earlierMs + ONE_SECOND_MS - (requestsPerSecond - recent.length + index) * apartMs,
            ),
          nowMs,
        );
      for (let index = Math.max(0, count - requestsPerSecond); index < count; index += 1)
        startsMs.push(firstMs + index * apartMs);
      startsMs.splice(0, Math.max(0, startsMs.length - requestsPerSecond));
      return firstMs - nowMs;
    },
    pause: (untilMs: number, path: string): void => {
      pausedUntilMs.set(path, Math.max(untilMs, pausedUntilMs.get(path) ?? untilMs));
    },
  };
}

/** Of the deadline: what slow functions may use of it together, and from where on a function is slow. */
const SHARE_OF_SLOW = 2 / 3;
const SLOW_FROM_SHARE = 1 / 12;

/**
 * Divides the time until the deadline among slow functions, so that nothing of the others is left out because of them. It
 * never changes which inputs are sent, only where the calls of a function end.
 */
function createShares(deadlineMs: number) {
  /** While a call is under way, and before. Calls at the same moment take time once. */
  const times = new Map<string, { underWay: number; sinceMs: number; usedMs: number }>();
  return {
    begin: (functionName: string, nowMs: number): ((endMs: number) => void) => {
      const time = times.get(functionName) ?? { underWay: 0, sinceMs: 0, usedMs: 0 };
      times.set(functionName, time);
      if (time.underWay === 0) time.sinceMs = nowMs;
      time.underWay += 1;
      return (endMs) => {
        time.underWay -= 1;
        if (time.underWay === 0) time.usedMs += endMs - time.sinceMs;
      };
    },
    isUsedUp: (functionName: string): boolean => {
      const usedMs = times.get(functionName)?.usedMs ?? 0;
      const slow = [...times.values()].filter((time) => time.usedMs >= deadlineMs * SLOW_FROM_SHARE).length;
      return usedMs >= (deadlineMs * SHARE_OF_SLOW) / slow;
    },
  };
}

function isWorthRetrying(exchange: Exchange, retry: Retry): boolean {
  if (exchange.kind === 'unanswered') return retry.on.includes('unanswered');
  return exchange.kind === 'answered' && retry.on.includes(exchange.response.status);
}

function requestedWaitMs(exchange: Exchange, nowMs: number): number {
  const field =
    exchange.kind === 'answered' ? headerValue(exchange.response.headers, 'retry-after') : undefined;
  return retryAfterMs(field, nowMs) ?? DEFAULT_WAIT_MS;
}

const CUT_SHORT: ReadonlySet<TransportFailureCode> = new Set([
  'client-suspended',
  'timeout',
  'connect-timeout',
  'tls-timeout',
  'slow-upload',
]);

/** A time-out that the run's deadline shortened is not blamed on the server. */
function blameDeadline(exchange: Exchange, cutShort: boolean, deadlineMs: number): Exchange {
  if (!cutShort || exchange.kind !== 'unanswered') return exchange;
  const { code } = exchange.reason;
  return CUT_SHORT.has(code) ? { ...exchange, reason: overDeadline(deadlineMs) } : exchange;
}

/** In the Model Context Protocol, which sets no time for a call, a slow tool is only not exercised. */
function shareUsedUp(functionName: string, request: object, deadlineMs: number): TransportFailure {
  return {
    code: 'sends' in request ? 'share-used-up' : 'deadline',
    fault: 'harness',
    message: `the earlier calls of "${functionName}" used up its share of the run’s deadline of ${deadlineMs / 1000} s`,
  };
}

function overDeadline(deadlineMs: number): TransportFailure {
  return {
    code: 'deadline',
    fault: 'harness',
    message: `the run’s deadline of ${deadlineMs / 1000} s was over`,
  };
}
