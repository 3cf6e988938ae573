import type { Exchange } from '../model/exchange.ts';
import type { Clock, PlannedRequest, Probe } from '../model/probe.ts';
import { unsentExchange } from '../model/unsent-exchange.ts';

/** Answers every request from saved exchanges, so that a run can be judged again without a network. */
export function createReplayingProbe(exchanges: readonly Exchange[]): Probe {
  const byKey = new Map(exchanges.map((exchange) => [exchange.request.key, exchange]));
  return { send: async (request) => byKey.get(request.key) ?? notRecorded(request), close: () => undefined };
}

function notRecorded(planned: PlannedRequest): Exchange {
  return unsentExchange(
    planned,
    {
      code: 'not-recorded',
      fault: 'harness',
      message: 'the saved report holds no answer to this request',
    },
    0,
  );
}

/** A clock that always shows 0 and never waits. */
export const replayClock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: async () => undefined,
};
