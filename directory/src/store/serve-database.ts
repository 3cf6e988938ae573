import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import { readClient } from './client-messages.ts';
import { readNotifications } from './notifications.ts';

/** The part of PGlite that is used here. */
export type ServedDatabase = Pick<PGlite, 'execProtocolRawStream' | 'runExclusive'>;

export interface DatabaseServer {
  /** Finishes the running batch, then closes all connections. */
  stop(): Promise<void>;
}

interface Turn {
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
 */
export async function serveDatabase(db: ServedDatabase, path: string): Promise<DatabaseServer> {
  const connections = new Set<Socket>();
  /** Clients whose connection is established. */
  const started = new Set<Socket>();
  const turns: Turn[] = [];
  /** The client with an open transaction. */
  let owner: Socket | null = null;
  let working: Promise<void> | null = null;
  let pause: NodeJS.Timeout | undefined;

  const nextTurn = (): Turn | undefined => {
    if (owner === null) return turns.shift();
    const at = turns.findIndex(({ client }) => client === owner);
    return at === -1 ? undefined : turns.splice(at, 1)[0];
  };
  const run = async ({ client, bytes }: Turn): Promise<void> => {
    let status = IDLE;
    const notificationsIn = readNotifications();
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
    if (connections.has(client)) started.add(client);
  };
  const runTurns = async (): Promise<void> => {
    clearTimeout(pause);
    for (;;) {
      if (owner?.destroyed === true) {
        await run({ client: owner, bytes: simpleQuery('rollback') });
        owner = null;
      }
      const turn = nextTurn();
      if (turn === undefined) break;
      if (!turn.client.destroyed) await run(turn);
    }
    const waitedFor = owner;
    if (waitedFor !== null) pause = setTimeout(() => waitedFor.destroy(), TRANSACTION_PAUSE_MS).unref();
  };
  const work = (): void => {
    if (working !== null) return;
    working = runTurns().then(() => {
      working = null;
      // Turns may have arrived after the last check.
      if (owner?.destroyed === true || (owner === null && turns.length > 0)) work();
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
        if (message.kind === 'encryption') socket.write('N');
        else if (message.kind === 'batch') turns.push({ client: socket, bytes: message.bytes });
        else socket.destroySoon();
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
