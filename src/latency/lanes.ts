import type { LoadRequest } from '../model/load.ts';
import type { LoadConnection, LoadFailure, LoadTransport } from '../model/load-transport.ts';

/** A connection and the call that is under way over it. */
export interface Lane {
  readonly connection: LoadConnection;
  /** Place of the request in the plan. */
  index: number;
  busy: boolean;
  /** What the call's latency counts from. Monotonic milliseconds, as all times here. */
  countsFromMs: number;
  sentMs: number;
  measured: boolean;
  /** Since when the lane has had nothing to do. */
  freeSinceMs: number;
}

/** Told of every call that ended, before its lane is given another. */
export interface LaneWatch {
  answered(lane: Lane, status: number, nowMs: number): void;
  failed(lane: Lane, failure: LoadFailure, nowMs: number): void;
  /** The lane can carry another call. */
  free(lane: Lane, nowMs: number, failed: boolean): void;
}

export interface Lanes {
  readonly all: readonly Lane[];
  /** Opens so many connections ahead of their first calls; the others when they are needed. */
  open(count: number): Promise<void>;
  busyCount(): number;
  send(lane: Lane, index: number, countsFromMs: number, nowMs: number, measured: boolean): void;
  /** Gives up what is under way, and closes everything. */
  close(): void;
}

const MIN_SWEEPS = 20;
const LONGEST_SWEEP_MS = 50;

/** The connections of a load. A call without an answer is ended when its time is up. */
export function createLanes(
  count: number,
  requests: readonly LoadRequest[],
  transport: LoadTransport,
  requestTimeoutMs: number,
  watch: LaneWatch,
): Lanes {
  let busy = 0;
  const end = (lane: Lane, nowMs: number): void => {
    lane.busy = false;
    lane.freeSinceMs = nowMs;
    busy -= 1;
  };
  const createLane = (): Lane => {
    const connection = transport.connect(requests, {
      onAnswer: (status, atMs) => {
        end(lane, atMs);
        watch.answered(lane, status, atMs);
        watch.free(lane, atMs, false);
      },
      onFailure: (failure) => giveUp(lane, failure),
    });
    const lane: Lane = {
      connection,
      index: 0,
      busy: false,
      countsFromMs: 0,
      sentMs: 0,
      measured: false,
      freeSinceMs: Number.NEGATIVE_INFINITY,
    };
    return lane;
  };
  const giveUp = (lane: Lane, failure: LoadFailure): void => {
    const nowMs = performance.now();
    end(lane, nowMs);
    watch.failed(lane, failure, nowMs);
    watch.free(lane, nowMs, true);
  };
  const all = Array.from({ length: count }, createLane);
  // One timer for all calls: one for each would cost more than the call.
  const sweep = setInterval(
    () => {
      const nowMs = performance.now();
      for (const lane of all) {
        if (!lane.busy || nowMs - lane.sentMs < requestTimeoutMs) continue;
        lane.connection.drop();
        giveUp(lane, { code: 'timeout', message: `no answer within ${requestTimeoutMs / 1000} s` });
      }
    },
    Math.max(1, Math.min(LONGEST_SWEEP_MS, requestTimeoutMs / MIN_SWEEPS)),
  );
  return {
    all,
    open: async (wanted) =>
      // The last are taken first.
      void (await Promise.all(all.slice(-wanted).map(({ connection }) => connection.open()))),
    busyCount: () => busy,
    send: (lane, index, countsFromMs, nowMs, measured) => {
      lane.index = index;
      lane.busy = true;
      lane.countsFromMs = countsFromMs;
      lane.sentMs = nowMs;
      lane.measured = measured;
      busy += 1;
      lane.connection.send(index);
    },
    close: () => {
      clearInterval(sweep);
      for (const { connection } of all) connection.drop();
    },
  };
}
