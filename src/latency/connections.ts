import type { LoadConnection, LoadFailure, LoadModel, LoadRequest, LoadTransport } from '../model/load.ts';
import type { LoadHooks } from './load-plan.ts';

export interface Connection {
  readonly link: LoadConnection;
  /** Index of the request in the plan. */
  index: number;
  busy: boolean;
  /** Start time of the call's latency. Monotonic milliseconds, like all times here. */
  countsFromMs: number;
  sentMs: number;
  /** When its write was over; the bytes left between `sentMs` and then. */
  leftMs: number;
  measured: boolean;
  /** Since when the connection has been idle. */
  freeSinceMs: number;
}

/** Called when a call has ended, before the connection gets the next one. */
export interface ConnectionListener {
  answered(connection: Connection, status: number, nowMs: number): void;
  failed(connection: Connection, failure: LoadFailure, nowMs: number): void;
  free(connection: Connection, nowMs: number, failed: boolean): void;
}

export interface Connections {
  readonly all: readonly Connection[];
  /** Opens `count` connections ahead of their first calls; the others when they are needed. */
  open(count: number): Promise<void>;
  busyCount(): number;
  send(connection: Connection, index: number, countsFromMs: number, nowMs: number, measured: boolean): void;
  /** Cancels the calls in flight, and closes all connections. */
  close(): void;
}

const MIN_SWEEPS = 20;
const MAX_SWEEP_MS = 50;

/** The connections of a load. A call without an answer ends with a time-out. */
export function createConnections(
  count: number,
  requests: readonly LoadRequest[],
  transport: LoadTransport,
  requestTimeoutMs: number,
  listener: ConnectionListener,
): Connections {
  let busy = 0;
  const end = (connection: Connection, nowMs: number): void => {
    connection.busy = false;
    connection.freeSinceMs = nowMs;
    busy -= 1;
  };
  const createConnection = (): Connection => {
    const link = transport.connect(requests, {
      onAnswer: (status, atMs) => {
        end(connection, atMs);
        listener.answered(connection, status, atMs);
        listener.free(connection, atMs, false);
      },
      onFailure: (failure) => endWithFailure(connection, failure),
    });
    const connection: Connection = {
      link,
      index: 0,
      busy: false,
      countsFromMs: 0,
      sentMs: 0,
      leftMs: 0,
      measured: false,
      freeSinceMs: Number.NEGATIVE_INFINITY,
    };
    return connection;
  };
  const endWithFailure = (connection: Connection, failure: LoadFailure): void => {
    const nowMs = performance.now();
    end(connection, nowMs);
    listener.failed(connection, failure, nowMs);
    listener.free(connection, nowMs, true);
  };
  const all = Array.from({ length: count }, createConnection);
  // One timer for all calls: one for each would cost more than the call.
  const sweep = setInterval(
    () => {
      const nowMs = performance.now();
      for (const connection of all) {
        if (!connection.busy || nowMs - connection.sentMs < requestTimeoutMs) continue;
        connection.link.drop();
        endWithFailure(connection, {
          code: 'timeout',
          message: `no answer within ${requestTimeoutMs / 1000} s`,
        });
      }
    },
    Math.max(1, Math.min(MAX_SWEEP_MS, requestTimeoutMs / MIN_SWEEPS)),
  );
  return {
    all,
    open: async (wanted) =>
      // The open loop takes connections from the end of the list.
      void (await Promise.all(all.slice(-wanted).map(({ link }) => link.open()))),
    busyCount: () => busy,
    send: (connection, index, countsFromMs, nowMs, measured) => {
      connection.index = index;
      connection.busy = true;
      connection.countsFromMs = countsFromMs;
      connection.sentMs = nowMs;
      connection.measured = measured;
      busy += 1;
      connection.link.send(index, nowMs);
    },
    close: () => {
      clearInterval(sweep);
      for (const { link } of all) link.drop();
    },
  };
}

/** Enough for calls of 0.1 s. */
const CONNECTIONS_PER_RATE = 0.1;

/** No more connections than a low rate needs, because a target may handle one connection at a time. */
export function connectionsAtStart(model: LoadModel): number {
  if (model.kind === 'closed') return model.connections;
  return Math.min(model.maxConnections, Math.max(1, Math.ceil(model.ratePerSecond * CONNECTIONS_PER_RATE)));
}

const CHECKS_PER_STALL = 10;

/**
 * Notices when the target does not answer.
 *
 * @param isWaiting whether an answer or a connection is awaited
 */
export function watchStalls({ afterMs, onStall }: NonNullable<LoadHooks['stall']>, isWaiting: () => boolean) {
  let sinceMs = performance.now();
  let stalled = false;
  const checking = setInterval(() => {
    const nowMs = performance.now();
    if (!isWaiting()) sinceMs = nowMs;
    if (stalled || nowMs - sinceMs < afterMs) return;
    stalled = true;
    onStall();
  }, afterMs / CHECKS_PER_STALL);
  return {
    answered: (nowMs: number): void => {
      sinceMs = nowMs;
    },
    /** Whether the load must end with the call that ends now, because there was a stall. */
    isOver: () => stalled,
    close: () => clearInterval(checking),
  };
}
