import { type LimitLeft, limitLeftOf, requestedWaitMs, TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import type { Answer, Call } from './call.ts';
import { badAnswer, DirectoryError, placeOf, refusedError, unansweredError } from './directory-error.ts';
import type { ClientClock, DirectoryClientOptions, RateLimitWait } from './options.ts';

const MAX_WAIT_MS = 60_000;
const MAX_REPEATS = 2;
const MAX_REFUSALS = 10;
const FIRST_BACKOFF_MS = 250;
const FIRST_REFUSAL_MS = 1000;

/**
 * Sends requests until they are answered: waits for rate limits, and repeats what may be repeated. Instead of ky, whose
 * retries know neither a limit that is used up nor a total of all waits, and do not wait by the clock of the caller.
 */
export class RequestSender {
  readonly #fetch: typeof fetch;
  readonly #clock: ClientClock;
  readonly #maxWaitMs: number;
  readonly #onRateLimited: DirectoryClientOptions['onRateLimited'];
  readonly #limits = new KnownLimits();

  constructor(
    send: typeof fetch,
    clock: ClientClock,
    { maxWaitMs = MAX_WAIT_MS, onRateLimited }: DirectoryClientOptions,
  ) {
    this.#fetch = send;
    this.#clock = clock;
    this.#maxWaitMs = maxWaitMs;
    this.#onRateLimited = onRateLimited;
  }

  /**
   * Returns an answer with a status of 2xx or 304.
   *
   * @throws DirectoryError for everything else
   */
  async send(call: Call): Promise<Answer> {
    let leftMs = this.#maxWaitMs;
    let repeats = 0;
    let refusals = 0;
    for (;;) {
      // Counted without a wait in between, because another call may be next.
      const limitMs = this.#limits.take(call.subject, this.#clock.nowMs());
      if (limitMs > 0) {
        if (limitMs > leftMs) throw this.#noneLeft(call, limitMs);
        leftMs -= limitMs;
        await this.#waitForLimit(call, limitMs, 'none-left');
        continue;
      }
      const answer = await sendCall(call, this.#fetch).catch((error: unknown) => {
        const isUnreachable = error instanceof DirectoryError && error.code === 'unreachable';
        if (isUnreachable && call.isRepeatable && repeats < MAX_REPEATS) return null;
        throw error;
      });
      if (answer === null) {
        repeats += 1;
        await this.#backOff(call, repeats);
        continue;
      }
      const { status, headers } = answer;
      const nowMs = this.#clock.nowMs();
      const left = limitLeftOf(headers, nowMs);
      if (left !== null) this.#limits.note(call.subject, left, nowMs);
      if ((status >= 200 && status < 300) || status === 304) return answer;
      const requestedMs = requestedWaitMs(headers, nowMs);
      if (status === TOO_MANY_REQUESTS) {
        const saidMs = requestedMs ?? (left?.remaining === 0 ? left.resetMs : null);
        if (left === null) this.#limits.note(call.subject, { remaining: 0, resetMs: saidMs }, nowMs);
        // A wait of 0 would be a busy loop.
        const waitMs =
          saidMs !== null && saidMs >= FIRST_REFUSAL_MS ? saidMs : FIRST_REFUSAL_MS * 2 ** refusals;
        if (refusals === MAX_REFUSALS || waitMs > leftMs) throw refusedError(call, answer, nowMs);
        refusals += 1;
        leftMs -= waitMs;
        await this.#waitForLimit(call, waitMs, 'refused');
        continue;
      }
      const waitMs = requestedMs ?? 0;
      const isPassing = call.operation === 'read' && status >= 500 && status !== 501;
      if (!isPassing || repeats === MAX_REPEATS || waitMs > leftMs) throw refusedError(call, answer, nowMs);
      repeats += 1;
      leftMs -= waitMs;
      await this.#backOff(call, repeats, waitMs);
    }
  }

  async #waitForLimit(call: Call, waitMs: number, because: RateLimitWait['because']): Promise<void> {
    this.#onRateLimited?.({ operation: call.operation, waitMs, because });
    await this.#sleep(call, waitMs);
  }

  async #backOff(call: Call, attempt: number, minMs = 0): Promise<void> {
    const spreadMs = FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + this.#clock.random());
    await this.#sleep(call, Math.max(minMs, Math.round(spreadMs)));
  }

  async #sleep({ what, signal }: Call, durationMs: number): Promise<void> {
    await this.#clock.sleep(durationMs, signal);
    if (signal.aborted) throw new DirectoryError(`${what} was interrupted.`, { code: 'interrupted' });
  }

  #noneLeft({ what, operation }: Call, waitMs: number): DirectoryError {
    const seconds = Math.ceil(waitMs / 1000);
    return new DirectoryError(
      `${what} was not sent: the directory allows no more calls to ${operation} for ${seconds} s, and a call waits at most ${this.#maxWaitMs / 1000} s. Try again in ${seconds} s, or allow a longer wait (maxWaitMs).`,
      { code: 'rate-limited', retryAfterSeconds: seconds },
    );
  }
}

interface Known {
  readonly remaining: number;
  readonly resetsAtMs: number;
}

const MAX_SUBJECTS = 1000;
/** Answers report the end of a window in whole seconds, so those of the same window may differ by this much. */
const SAME_WINDOW_MS = 1500;

/** The rate limits that answers reported. The requests of one subject share a limit. */
export class KnownLimits {
  readonly #known = new Map<string, Known>();

  /** Counts a call that is about to be sent, and returns 0; or returns how long to wait before it. */
  take(subject: string, nowMs: number): number {
    const limit = this.#current(subject, nowMs);
    if (limit === null) return 0;
    if (limit.remaining === 0) return limit.resetsAtMs - nowMs;
    this.#keep(subject, { ...limit, remaining: limit.remaining - 1 });
    return 0;
  }

  note(subject: string, { remaining, resetMs }: LimitLeft, nowMs: number): void {
    if (resetMs === null) return;
    const resetsAtMs = nowMs + resetMs;
    const before = this.#current(subject, nowMs);
    // Answers may arrive out of order; within a window, the remaining number never grows.
    const isSame = before !== null && Math.abs(before.resetsAtMs - resetsAtMs) <= SAME_WINDOW_MS;
    this.#keep(subject, {
      resetsAtMs: isSame ? Math.max(before.resetsAtMs, resetsAtMs) : resetsAtMs,
      remaining: isSame ? Math.min(before.remaining, remaining) : remaining,
    });
  }

  #current(subject: string, nowMs: number): Known | null {
    const limit = this.#known.get(subject);
    return limit === undefined || limit.resetsAtMs <= nowMs ? null : limit;
  }

  #keep(subject: string, limit: Known): void {
    this.#known.delete(subject);
    this.#known.set(subject, limit);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_SUBJECTS && oldest !== undefined) this.#known.delete(oldest);
  }
}

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Sends a request once, with limits of time and size; follows no redirect.
 *
 * @throws DirectoryError without a complete answer
 */
async function sendCall(call: Call, send: typeof fetch): Promise<Answer> {
  const timeout = AbortSignal.timeout(call.timeoutMs);
  const signal = AbortSignal.any([call.signal, timeout]);
  const failure = (error: unknown): DirectoryError => {
    const ending = timeout.aborted ? 'timeout' : 'unreachable';
    return unansweredError(call, call.signal.aborted ? 'interrupted' : ending, error);
  };
  async function* chunksOf(body: Response['body']): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body ?? []) yield chunk;
    } catch (error) {
      throw failure(error);
    }
  }
  let response: Response;
  try {
    signal.throwIfAborted();
    const { url, method, headers, body } = call;
    response = await send(url, { method, headers, body, redirect: 'manual', signal });
  } catch (error) {
    throw failure(error);
  }
  const { status, headers, ok } = response;
  const chunks = chunksOf(response.body);
  if (call.read === undefined || !ok) return { status, headers, body: await textOf(chunks, call) };
  await call.read(chunks);
  return { status, headers, body: '' };
}

async function textOf(body: AsyncIterable<Uint8Array>, call: Call): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES)
      throw new DirectoryError(
        `${call.what} was answered by ${placeOf(call)} with more than ${MAX_ANSWER_BYTES} bytes. Use a smaller limit, or contact the directory’s operator.`,
        { code: 'answer-too-large' },
      );
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw badAnswer(call, { at: '', expected: 'JSON in UTF-8', received: 'other bytes' });
  }
}
