import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { run } from './rows.ts';
import type { Db } from './tables.ts';

/** The subjects of wake-ups, each with the meaning of its messages. */
export type WakeUpTopic =
  /** Jobs were added to the queue with this name. */
  | 'queue'
  /** The test with this job id ended. */
  | 'test';

/** Null: the connection was new or interrupted, so messages may be lost. Read again what you wait for. */
export type WakeUpListener = (message: string | null) => void;

/**
 * Messages between the processes of a directory: something changed, so read it again. A message may be lost when a
 * connection ends; therefore it carries no data, and a waiting process reads again after a while without one.
 */
export interface WakeUps {
  /** Returns a function that ends the subscription. */
  on(topic: WakeUpTopic, listener: WakeUpListener): () => void;
  /** Sends a message to all processes, this one included: when the transaction `db` commits, if it is one. */
  send(db: Db, topic: WakeUpTopic, message: string): Promise<void>;
  close(): Promise<void>;
}

const CHANNEL = 'probity';
const RECONNECT_MS = 500;

/**
 * Wake-ups over LISTEN and NOTIFY, on one dedicated connection, which opens with the first subscription and is replaced
 * when it ends.
 */
export function createWakeUps(connection: pg.ClientConfig): WakeUps {
  const listeners = new Map<string, Set<WakeUpListener>>();
  const closing = new AbortController();
  const closed = new Promise<void>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve());
  });
  let listening: Promise<void> | null = null;

  const receive = (payload: string): void => {
    const [topic = '', message = ''] = payload.split(/ (.*)/s);
    for (const listener of listeners.get(topic) ?? []) listener(message);
  };
  const listenOnce = async (): Promise<void> => {
    const client = new pg.Client({ ...connection, keepAlive: true, connectionTimeoutMillis: 10_000 });
    const ended = new Promise<void>((resolve) => {
      for (const event of ['error', 'end'] as const) client.once(event, () => resolve());
      void closed.then(resolve);
    });
    // A later error would otherwise end the process.
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => receive(payload));
    try {
      const opened = client.connect().then(() => client.query(`listen ${CHANNEL}`));
      opened.catch(() => undefined);
      // A stop does not wait for a database that does not answer.
      if ((await Promise.race([opened, ended])) === undefined) return;
      for (const topic of listeners.values()) for (const listener of topic) listener(null);
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const listen = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      // The next attempt reports nothing either: who waits for a message also reads again without one.
      await listenOnce().catch(() => undefined);
      await setTimeout(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };

  return {
    on: (topic, listener) => {
      const ofTopic = listeners.get(topic) ?? new Set();
      listeners.set(topic, ofTopic.add(listener));
      listening ??= listen();
      return () => ofTopic.delete(listener);
    },
    send: async (db, topic, message) => {
      await run(db)`select pg_notify(${CHANNEL}, ${`${topic} ${message}`})`;
    },
    close: async () => {
      closing.abort();
      await listening;
    },
  };
}
