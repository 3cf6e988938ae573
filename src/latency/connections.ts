import type { LoadRequest } from '../model/load.ts';
import type { LoadConnection, LoadFailure, LoadTransport } from '../model/load-transport.ts';

/** A connection and the call that is under way over it. */
export interface Connection {
  readonly link: LoadConnection;
  /** Place of the request in the plan. */
  index: number;
  busy: boolean;
  /** What the call's latency counts from. Monotonic milliseconds, as all times here. */
  countsFromMs: number;
  sentMs: number;
  measured: boolean;
  /** Since when no call is under way. */
  freeSinceMs: number;
}

/** Called when a call has ended, before its connection is given another. */
export interface ConnectionListener {
  answered(connection: Connection, status: number, nowMs: number): void;
  failed(connection: Connection, failure: LoadFailure, nowMs: number): void;
  /** The connection can carry another call. */
  free(connection: Connection, nowMs: number, failed: boolean): void;
}

export interface Connections {
  readonly all: readonly Connection[];
  /** Opens `count` connections ahead of their first calls; the others when they are needed. */
  open(count: number): Promise<void>;
  busyCount(): number;
  send(connection: Connection, index: number, countsFromMs: number, nowMs: number, measured: boolean): void;
  /** Gives up what is under way, and closes everything. */
  close(): void;
}

const MIN_SWEEPS = 20;
const LONGEST_SWEEP_MS = 50;

/** The connections of a load. A call without an answer is ended when its time is up. */
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
      onFailure: (failure) => giveUp(connection, failure),
    });
    const connection: Connection = {
      link,
      index: 0,
      busy: false,
      countsFromMs: 0,
      sentMs: 0,
      measured: false,
      freeSinceMs: Number.NEGATIVE_INFINITY,
    };
    return connection;
  };
  const giveUp = (connection: Connection, failure: LoadFailure): void => {
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
        giveUp(connection, { code: 'timeout', message: `no answer within ${requestTimeoutMs / 1000} s` });
      }
    },
    Math.max(1, Math.min(LONGEST_SWEEP_MS, requestTimeoutMs / MIN_SWEEPS)),
  );
  return {
    all,
    open: async (wanted) =>
      // The last are taken first.
      void (await Promise.all(all.slice(-wanted).map(({ link }) => link.open()))),
    busyCount: () => busy,
    send: (connection, index, countsFromMs, nowMs, measured) => {
      connection.index = index;
      connection.busy = true;
      connection.countsFromMs = countsFromMs;
      connection.sentMs = nowMs;
      connection.measured = measured;
      busy += 1;
      connection.link.send(index);
    },
    close: () => {
      clearInterval(sweep);
      for (const { link } of all) link.drop();
    },
  };
}
