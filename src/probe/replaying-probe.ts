import type { Exchange } from '../model/exchange.ts';
import { openingKey } from '../model/exchange-key.ts';
import type { Clock, Probe } from '../model/probe.ts';
import { unsentExchange } from '../model/unsent-exchange.ts';
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
    open: async ({ key, conversation, ...planned }) => {
      const others: Exchange[] = [];
      for (let other = byKey.get(openingKey(key, 1)); other !== undefined; ) {
        others.push(other);
        other = byKey.get(openingKey(key, others.length + 1));
      }
      const sends = { kind: 'close' } as const;
      const asked = { ...planned, key, conversation, sends, headers: [], anonymous: false };
      const deciding = byKey.get(key) ?? unsentExchange(asked, NOT_RECORDED, 0);
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
