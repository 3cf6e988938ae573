import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import { readClient } from './client-messages.ts';

/** What of PGlite is used here. */
export type ServedDatabase = Pick<PGlite, 'execProtocolRawStream' | 'runExclusive'>;

export interface DatabaseServer {
  /** Ends all connections; what is under way is finished first. */
  stop(): Promise<void>;
}

interface Turn {
  readonly of: Socket;
  readonly bytes: Uint8Array;
}

/** The last message of an answer is ReadyForQuery, and its last byte says where the session stands. */
const IDLE = 'I'.charCodeAt(0);

/** For a client to send the next statement of its transaction, while all others wait for it. */
const TRANSACTION_PAUSE_MS = 20_000;

/**
 * Lets several clients use the one session that PGlite has. Each gets it for a whole batch of messages, and keeps it
 * while its transaction is open: in between, the statement that one client has just named nothing would be run with
 * the values that another one binds.
 */
export async function serveDatabase(db: ServedDatabase, path: string): Promise<DatabaseServer> {
  const connections = new Set<Socket>();
  const turns: Turn[] = [];
  /** Whose transaction is open. */
  let owner: Socket | null = null;
  let working: Promise<void> | null = null;
  let pause: NodeJS.Timeout | undefined;

  const nextTurn = (): Turn | undefined => {
    if (owner === null) return turns.shift();
    const at = turns.findIndex(({ of }) => of === owner);
    return at === -1 ? undefined : turns.splice(at, 1)[0];
  };
  const run = async ({ of, bytes }: Turn): Promise<void> => {
    let status = IDLE;
    await db.runExclusive(() =>
      db.execProtocolRawStream(bytes, {
        onRawData: (answer) => {
          status = answer.at(-1) ?? status;
          // What it is a view of is overwritten by the next answer.
          if (!of.destroyed) of.write(Buffer.from(answer));
        },
      }),
    );
    owner = status === IDLE ? null : of;
  };
  const workOff = async (): Promise<void> => {
    clearTimeout(pause);
    for (;;) {
      if (owner?.destroyed === true) {
        await run({ of: owner, bytes: simpleQuery('rollback') });
        owner = null;
      }
      const turn = nextTurn();
      if (turn === undefined) break;
      if (!turn.of.destroyed) await run(turn);
    }
    const waitedFor = owner;
    if (waitedFor !== null) pause = setTimeout(() => waitedFor.destroy(), TRANSACTION_PAUSE_MS).unref();
  };
  const work = (): void => {
    if (working !== null) return;
    working = workOff().then(() => {
      working = null;
      // What came while the last look was taken.
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
      work();
    });
    socket.on('data', (piece: Buffer) => {
      for (const message of read(piece)) {
        if (message.kind === 'encryption') socket.write('N');
        else if (message.kind === 'batch') turns.push({ of: socket, bytes: message.bytes });
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
