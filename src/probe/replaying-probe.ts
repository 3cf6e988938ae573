import type { Exchange, TransportFailure } from '../model/exchange.ts';
import { openingKey } from '../model/exchange-key.ts';
import type { Clock, PlannedRequest, Probe } from '../model/probe.ts';
import { unsentExchange } from '../model/sent.ts';
import type { Conversation } from '../model/wire.ts';
import { openedBy } from '../wires/mcp/opening.ts';

/** Answers every request from saved exchanges, so that a run can be judged again without a network. */
export function createReplayingProbe(
  exchanges: readonly Exchange[],
  conversations: readonly Conversation[] = [],
): Probe {
  const byKey = new Map(exchanges.map((exchange) => [exchange.request.key, exchange]));
  return {
    send: async (request) => byKey.get(request.key) ?? unsentExchange(request, NOT_RECORDED, 0),
    open: async ({ key, conversation }) => {
      const others: Exchange[] = [];
      for (let other = byKey.get(openingKey(key, 1)); other !== undefined; ) {
        others.push(other);
        other = byKey.get(openingKey(key, others.length + 1));
      }
      const deciding = byKey.get(key) ?? unsentExchange({ key, conversation }, NOT_RECORDED, 0);
      return { deciding, others, opened: openedBy([...others, deciding]) };
    },
    close: async () => conversations,
  };
}

const NOT_RECORDED = {
  code: 'not-recorded',
  fault: 'harness',
  message: 'the saved report holds no answer to this request',
} as const;

/** A clock that always shows 0 and never waits. */
export const replayClock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: async () => undefined,
};

/** The requests of a run that its first thread sent. */
export interface SentBefore {
  readonly exchanges: readonly Exchange[];
  /** Keys of calls whose answer was lost with the thread. */
  readonly lost: readonly string[];
}

/** Continues a run in another thread: what was sent before is not sent again. */
export function createContinuingProbe(probe: Probe, { exchanges, lost }: SentBefore): Probe {
  const answered = new Map(exchanges.map((exchange) => [exchange.request.key, exchange]));
  const lostKeys = new Set(lost);
  /** Connections of the other thread, which closed them. */
  const closed = new Set<string>();
  const open = probe.open?.bind(probe);
  const wasSent = ({ key }: Pick<PlannedRequest, 'key'>): boolean => answered.has(key) || lostKeys.has(key);
  return {
    send: async (request) => {
      const { key } = request;
      const connection = 'connection' in request ? request.connection : null;
      if (connection !== null && wasSent(request)) closed.add(connection);
      const known = answered.get(key);
      if (known !== undefined) return known;
      // On a new connection, the target would seem to have closed the first one.
      const isCutOff = lostKeys.has(key) || (connection !== null && closed.has(connection));
      return isCutOff ? unsentExchange(request, THREAD_ENDED, 0) : probe.send(request);
    },
    // A server of the Model Context Protocol is checked in one thread from its start to its end.
    ...(open === undefined ? {} : { open }),
    wasSent,
    close: (onLogs) => probe.close(onLogs),
  };
}

const THREAD_ENDED: TransportFailure = {
  code: 'client-suspended',
  fault: 'harness',
  message: 'the thread of this check ended before the answer, and the request was not sent again',
};
