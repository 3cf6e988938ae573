import { setTimeout as sleep } from 'node:timers/promises';
import { CallBook } from '../../src/latency/call-book.ts';
import { createConnections } from '../../src/latency/connections.ts';
import { unreliableBecause } from '../../src/latency/reliability.ts';
import { type LoadResult, percentileMs } from '../../src/model/load.ts';
import { createLeanTransport } from '../../src/probe/load/lean-transport.ts';
import type { OfferLoad } from '../../src/run/timing/load-attempt.ts';

/** The clock of a test server. */
export interface ServerTime {
  readonly nowMs: () => number;
  readonly pass: (ms: number) => Promise<void>;
}

export const realTime: ServerTime = {
  nowMs: () => performance.now(),
  pass: async (ms) => void (await sleep(ms)),
};

/** A clock that only advances when a server says that it takes time. */
export function createTestTime(): ServerTime {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    pass: async (ms) => {
      nowMs += ms;
    },
  };
}

const CALL_MS = 1;
const BLOCK_MS = 1000;

/**
 * Sends the calls of a load one after the other, and times them with a clock that only the server advances. The client
 * of such a load is never late, so its figures are reliable on a busy machine too.
 */
export function offerInTestTime(time: ServerTime): OfferLoad {
  return async (plan, options, signal) => {
    const book = new CallBook(plan.requests.length, BLOCK_MS);
    const startedMs = time.nowMs();
    let stoppedBy: string | null = null;
    let sentMs = startedMs;
    let ended: () => void = () => undefined;
    const connections = createConnections(
      1,
      plan.requests,
      createLeanTransport(options),
      plan.requestTimeoutMs,
      {
        answered: (connection, status) => {
          book.answered({ ...connection, countsFromMs: sentMs }, status, time.nowMs(), 0);
          if (plan.stopOnStatuses.includes(status)) stoppedBy = `the target answered ${status}`;
        },
        failed: (connection, failure) =>
          book.failed({ ...connection, countsFromMs: sentMs }, failure, time.nowMs()),
        free: () => ended(),
      },
    );
    for (let sent = 0; sent < (plan.maxRequests ?? 0) && stoppedBy === null; sent += 1) {
      if (signal.aborted) stoppedBy = 'it was interrupted';
      else {
        sentMs = time.nowMs();
        await time.pass(CALL_MS);
        await new Promise<void>((resolve) => {
          ended = resolve;
          for (const connection of connections.all)
            connections.send(connection, 0, sentMs, performance.now(), true);
        });
      }
    }
    connections.close();
    const series = book.series();
    const durationMs = time.nowMs() - startedMs;
    const client: LoadResult['client'] = {
      pacing: 'none',
      latenessMs: { p50Ms: 0, p99Ms: 0, maxMs: 0 },
      loopDelayP99Ms: 0,
      loopUtilisation: 0,
      waitedForCpu: 0,
      achievedShare: 1,
      waitedForConnection: 0,
      cpuMicrosecondsPerRequest: 0,
    };
    return {
      model: plan.model,
      transport: 'lean',
      startedAtMs: Date.now(),
      durationMs,
      warmUp: { count: 0, durationMs: 0, steady: true },
      series,
      throughputPerSecond: durationMs > 0 ? (book.ended * 1000) / durationMs : 0,
      client,
      doubts: unreliableBecause(plan.model, client, percentileMs(series[0]?.latency, 'p50')),
      fellBehind: false,
      stoppedBy,
    };
  };
}
