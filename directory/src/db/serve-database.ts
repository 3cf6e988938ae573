import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import { mayWrite } from './written.ts';

/** The part of PGlite that is used here. */
export type ServedDatabase = Pick<PGlite, 'execProtocolRawStream' | 'runExclusive'>;

interface Batch {
  readonly client: Socket;
  readonly bytes: Uint8Array;
}

/** The last byte of an answer, in its ReadyForQuery message, is the transaction status; this one means none is open. */
const IDLE = 'I'.charCodeAt(0);

/** The time that a client has to send the next statement of its transaction, while all others wait. */
const TRANSACTION_PAUSE_MS = 20_000;

/**
 * Shares the single session of PGlite among several clients. A client gets it for a whole batch of messages, and keeps
 * it while its transaction is open. Otherwise the unnamed statement of one client could run with another's values.
 * `onWrite` is called before
 * each batch that may change something. A client whose transaction is open and that sends nothing for `pauseMs` is
 * disconnected. `stop` finishes the running batch, then closes all connections.
 *
 * Instead of pglite-socket, because there one idle transaction keeps all other clients waiting (seen with 0.2.17 for
 * 25 s).
 */
export async function serveDatabase(
  db: ServedDatabase,
  path: string,
  onWrite: () => void = () => undefined,
  pauseMs = TRANSACTION_PAUSE_MS,
): Promise<{ readonly stop: () => Promise<void> }> {
  const connections = new Set<Socket>();
  /** Clients whose connection is established. */
  const started = new Set<Socket>();
  const batches: Batch[] = [];
  /** The client with an open transaction. */
  let owner: Socket | null = null;
  let working: Promise<void> | null = null;
  let pause: NodeJS.Timeout | undefined;

  const nextBatch = (): Batch | undefined => {
    if (owner === null) return batches.shift();
    const at = batches.findIndex(({ client }) => client === owner);
    return at === -1 ? undefined : batches.splice(at, 1)[0];
  };
  const run = async ({ client, bytes }: Batch): Promise<void> => {
    let status = IDLE;
    const notificationsIn = readNotifications();
    // Before it runs: a statement that is sent after this waits for it.
    if (mayWrite(bytes)) onWrite();
    await db.runExclusive(() =>
      db.execProtocolRawStream(bytes, {
        onRawData: (answer) => {
          status = answer.at(-1) ?? status;
          // Copied, because the next answer overwrites the same memory.
          const copy = Buffer.from(answer);
          if (!client.destroyed) client.write(copy);
          // The session listens for all clients. They are idle, so that no other message is cut.
          for (const notification of notificationsIn(copy))
            for (const other of started) if (other !== client && !other.destroyed) other.write(notification);
        },
      }),
    );
    owner = status === IDLE ? null : client;
    // Only its own batches begin the pause again: what others send meanwhile must wait for its end.
    clearTimeout(pause);
    if (owner !== null) pause = setTimeout(() => client.destroy(), pauseMs).unref();
    if (connections.has(client)) started.add(client);
  };
  const runBatches = async (): Promise<void> => {
    for (;;) {
      if (owner?.destroyed === true) {
        await run({ client: owner, bytes: simpleQuery('rollback') });
        owner = null;
      }
      const batch = nextBatch();
      if (batch === undefined) break;
      if (!batch.client.destroyed) await run(batch);
    }
  };
  const work = (): void => {
    if (working !== null) return;
    working = runBatches().then(() => {
      working = null;
      // Batches may have arrived after the last check.
      if (owner?.destroyed === true || (owner === null && batches.length > 0)) work();
    });
  };

  const server = createServer((socket) => {
    connections.add(socket);
    const read = readClient();
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      connections.delete(socket);
      started.delete(socket);
      work();
    });
    socket.on('data', (piece: Buffer) => {
      for (const message of read(piece)) {
        if (message === 'encryption') socket.write('N');
        else if (message === 'end') socket.destroySoon();
        else batches.push({ client: socket, bytes: message });
      }
      work();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return {
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await working;
      for (const socket of connections) socket.destroy();
      await closed;
      await working;
    },
  };
}

function simpleQuery(statement: string): Uint8Array {
  const text = Buffer.from(`${statement}\0`);
  const message = Buffer.alloc(5 + text.length, 'Q');
  message.writeInt32BE(4 + text.length, 1);
  text.copy(message, 5);
  return message;
}

const NOTIFICATION = 'A'.charCodeAt(0);
const HEADER_BYTES = 5;

/**
 * Finds the notifications in the answer to one batch, whose pieces are given in order. A message is a letter, its length
 * in four bytes, and its content; a piece can end in the middle of one.
 */
function readNotifications(): (piece: Buffer) => readonly Buffer[] {
  /** The start of a message whose header, or whose notification, is not complete. */
  let kept: Buffer = Buffer.alloc(0);
  /** The rest of a message that is not a notification. */
  let skipped = 0;
  return (piece) => {
    const bytes = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    const found: Buffer[] = [];
    let at = skipped;
    while (at + HEADER_BYTES <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (bytes[at] === NOTIFICATION) {
        if (end > bytes.length) break;
        found.push(bytes.subarray(at, end));
      }
      at = end;
    }
    skipped = Math.max(0, at - bytes.length);
    kept = bytes.subarray(Math.min(at, bytes.length));
    return found;
  };
}

/**
 * What a PostgreSQL client sent: a request for an encrypted connection, the end of this one, or messages that are executed
 * together: the startup message, a simple query, or everything up to a Sync.
 */
type FromClient = 'encryption' | 'end' | Uint8Array;

const ENCRYPTION_REQUESTS: ReadonlySet<number> = new Set([80_877_103, 80_877_104]);
const CANCEL_REQUEST = 80_877_102;
const LENGTH_BYTES = 4;
const SIMPLE_QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);

/** Parses the bytes of one connection, in order, and returns the complete messages. */
function readClient(): (piece: Buffer) => readonly FromClient[] {
  let received: Buffer = Buffer.alloc(0);
  let isStarted = false;
  /** Length of the complete messages of an unfinished batch in `received`. */
  let batchBytes = 0;
  const take = (bytes: number): Buffer => {
    const taken = received.subarray(0, bytes);
    received = received.subarray(bytes);
    batchBytes = 0;
    return taken;
  };
  const first = (): FromClient | null => {
    if (received.length < 2 * LENGTH_BYTES || received.length < received.readInt32BE()) return null;
    const message = take(received.readInt32BE());
    const code = message.readInt32BE(LENGTH_BYTES);
    if (ENCRYPTION_REQUESTS.has(code)) return 'encryption';
    if (code === CANCEL_REQUEST) return 'end';
    isStarted = true;
    return message;
  };
  const next = (): FromClient | null => {
    if (!isStarted) return first();
    for (;;) {
      if (received.length < batchBytes + 1 + LENGTH_BYTES) return null;
      const type = received[batchBytes];
      const end = batchBytes + 1 + received.readInt32BE(batchBytes + 1);
      if (received.length < end) return null;
      batchBytes = end;
      if (type === TERMINATE) return 'end';
      if (type === SIMPLE_QUERY || type === SYNC) return take(end);
    }
  };
  return (piece) => {
    received = received.length === 0 ? piece : Buffer.concat([received, piece]);
    const whole: FromClient[] = [];
    for (let found = next(); found !== null; found = next()) {
      whole.push(found);
      if (found === 'end') break;
    }
    return whole;
  };
}
