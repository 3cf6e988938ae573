import type { Json } from '../../json/json.ts';
import {
  type AnsweredExchange,
  isEventStream,
  type TransportFailureCode,
  type UnansweredExchange,
} from '../../model/exchange.ts';
import type { Clock } from '../../model/probe.ts';
import { bufferFrom, bytesFrom } from '../../model/sent.ts';
import { answersTo, completeEvents, EventReader, type ReadMessage } from '../../wires/mcp/messages.ts';

// Until revision 2025-11-25, a server may close the connection of a stream after an event with an id, and give the
// answer to the client that connects again with that id (transports, resumability and redelivery). A client that does
// not come back would blame it for an answer that it never fetched.

/** The events of one request, over all connections that its server makes of them. */
export class ResumableStream {
  isAnswered = false;
  readonly #awaited: Json;
  readonly #until: string | undefined;
  readonly #take: (messages: readonly ReadMessage[]) => void;
  #reader: EventReader;
  #lastEventId = '';

  constructor(awaited: Json, take: (messages: readonly ReadMessage[]) => void, until?: string) {
    this.#awaited = awaited;
    this.#until = until;
    this.#take = take;
    this.#reader = this.#connection();
  }

  push(part: Uint8Array): boolean {
    this.#reader.push(part);
    return this.isAnswered;
  }

  /** Empty if the server gave no event an id. */
  get lastEventId(): string {
    return this.#reader.lastEventId ?? this.#lastEventId;
  }

  /** How long a client waits before it connects again. */
  get waitMs(): number {
    return Math.max(this.#reader.retryMs ?? DEFAULT_WAIT_MS, MIN_WAIT_MS);
  }

  connectAgain(): void {
    this.#lastEventId = this.lastEventId;
    this.#reader = this.#connection(this.#reader.retryMs);
  }

  #connection(retryMs: number | null = null): EventReader {
    const reader = new EventReader((messages) => {
      this.#take(messages);
      this.isAnswered ||=
        this.#awaited !== null &&
        messages.some(
          ({ message }) =>
            answersTo(this.#awaited, message) ||
            (message.kind === 'notification' && message.method === this.#until),
        );
    });
    reader.retryMs = retryMs;
    return reader;
  }
}

export type HttpExchange = AnsweredExchange | UnansweredExchange;

const DEFAULT_WAIT_MS = 1000;
/** A server that says 0 is not asked without a pause. */
const MIN_WAIT_MS = 100;

export interface Resuming {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** For the whole exchange. */
  readonly timeoutMs: number;
  /** Requests what comes after this event. */
  readonly connect: (lastEventId: string, timeoutMs: number) => Promise<HttpExchange>;
}

/** The exchange with the rest of its stream, which the server gives over further connections; as it is without one. */
export async function resumed(
  first: HttpExchange,
  stream: ResumableStream,
  { clock, signal, timeoutMs, connect }: Resuming,
): Promise<HttpExchange> {
  const startMs = clock.monotonicMs() - first.timing.durationMs;
  let whole = first;
  while (isInterrupted(whole) && !stream.isAnswered && stream.lastEventId !== '') {
    const { waitMs } = stream;
    const atMs = clock.monotonicMs() - startMs + waitMs;
    if (atMs >= timeoutMs) return late(whole, timeoutMs);
    await clock.sleep(waitMs, signal);
    const { lastEventId } = stream;
    stream.connectAgain();
    const next = await connect(lastEventId, timeoutMs - atMs);
    if (next.kind === 'answered' && isEventStream(next.response.headers)) whole = joined(whole, next, atMs);
    else if (next.kind === 'answered') return whole;
    else if (next.reason.code === 'timeout') return late(whole, timeoutMs);
    else if (!CUT_OFF.has(next.reason.code))
      return next.reason.code === 'interrupted' ? { ...next, request: whole.request } : whole;
  }
  return whole;
}

const CUT_OFF: ReadonlySet<TransportFailureCode> = new Set(['closed-early', 'connection-reset']);

/** Whether the server closed the connection, and not the stream, if it is one. */
function isInterrupted(exchange: HttpExchange): boolean {
  return exchange.kind === 'answered'
    ? exchange.stream?.closedBy === 'server'
    : CUT_OFF.has(exchange.reason.code);
}

function late(whole: HttpExchange, timeoutMs: number): HttpExchange {
  if (whole.kind === 'answered') return { ...whole, stream: { answeredAtMs: null, closedBy: 'probe' } };
  const message = `no answer within ${Math.round(timeoutMs) / 1000} s`;
  return { ...whole, reason: { code: 'timeout', fault: 'server', message } };
}

function joined(whole: HttpExchange, next: AnsweredExchange, atMs: number): AnsweredExchange {
  const [received, resumptions] =
    whole.kind === 'answered' ? [whole.response, whole.stream?.resumed ?? 0] : [next.response, 0];
  const before = whole.kind === 'answered' ? completeEvents(bufferFrom(received.body)) : Buffer.alloc(0);
  const answeredAtMs = next.stream?.answeredAtMs ?? null;
  return {
    ...next,
    request: 'url' in whole.request ? whole.request : next.request,
    response: {
      ...next.response,
      status: received.status,
      headers: received.headers,
      body: bytesFrom(Buffer.concat([before, bufferFrom(next.response.body)])),
      repeatedSecrets: [...new Set([...received.repeatedSecrets, ...next.response.repeatedSecrets])],
      oddities: [...new Set([...received.oddities, ...next.response.oddities])],
    },
    stream: {
      answeredAtMs: answeredAtMs === null ? null : atMs + answeredAtMs,
      closedBy: next.stream?.closedBy ?? 'server',
      resumed: resumptions + 1,
    },
    timing: { ...whole.timing, durationMs: atMs + next.timing.durationMs },
  };
}
