import type { PlannedHttp } from '../../model/probe.ts';
import { EventReader, type ReadMessage } from '../../wires/mcp/messages.ts';
import type { HttpExchange } from './resumed-stream.ts';

// Until revision 2025-11-25, a server may also ask the client on a stream that belongs to no request (transports,
// listening for messages from the server). A server that does, and finds no such stream, waits for an answer that never
// comes, and its tool would be blamed for that.

const DAY_MS = 86_400_000;
/** A server may close it at any time. */
const MAX_CONNECTIONS = 20;
const WAIT_MS = 1000;

export interface StandingStreamOptions {
  /** Requests the stream, after the event with this id. */
  readonly connect: (
    lastEventId: string | null,
    planned: Pick<PlannedHttp, 'key' | 'method' | 'timeoutMs' | 'events'>,
  ) => Promise<HttpExchange>;
  readonly take: (messages: readonly ReadMessage[]) => void;
  readonly sleep: (durationMs: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Listens until the signal fires, or the server offers no stream. Never rejects. */
export async function listen({ connect, take, sleep, signal }: StandingStreamOptions): Promise<void> {
  let lastEventId: string | null = null;
  for (let connections = 0; connections < MAX_CONNECTIONS && !signal.aborted; connections += 1) {
    const reader = new EventReader(take);
    const push = (part: Uint8Array): boolean => {
      reader.push(part);
      return false;
    };
    const planned = { key: 'listening', method: 'GET', timeoutMs: DAY_MS, events: { push } };
    const exchange = await connect(lastEventId, planned);
    const isStream = exchange.kind === 'answered' && exchange.stream !== undefined;
    if (!isStream) return;
    lastEventId = reader.lastEventId ?? lastEventId;
    await sleep(Math.max(reader.retryMs ?? WAIT_MS, WAIT_MS));
  }
}
