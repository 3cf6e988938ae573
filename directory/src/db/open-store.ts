// The folder `db` opens the database: a PostgreSQL server, or PGlite in a separate thread (`embedded.ts`), which several
// processes can share. It creates the tables (`create-tables.ts`, `functions.ts`), reports their changes to what remembers
// them (`change-watch.ts`), and carries messages between processes (`wake-ups.ts`).

import { existsSync } from 'node:fs';
import path from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { commandOn, type StorePlace } from './command-on.ts';
import { readHolder, waitForHolder } from './data-lock.ts';
import { DATABASE_FOLDER, type Embedded, startEmbedded } from './embedded.ts';
import { PreparingClient } from './preparing-client.ts';
import { createSchema, StoreError, startFeed } from './schema.ts';
import { isStoreAway, storeAwayError } from './store-away.ts';
import type { Db, Tables } from './tables.ts';
import { refuseUnfinished } from './unfinished-restore.ts';
import { createWakeUps, type WakeUps } from './wake-ups.ts';
import type { Written } from './written.ts';

/** An open database with its tables. */
export interface Store {
  readonly kind: 'embedded' | 'postgres';
  readonly db: Db;
  readonly wakeUps: WakeUps;
  /** Null: the database is not in this process, which therefore does not see the statements of others. */
  readonly written: Written | null;
  /** Another process has opened the embedded database, and works on the jobs in it. */
  readonly isBorrowed: boolean;
  /** Resolves with the reason when the embedded database ends. Never resolves for PostgreSQL, which is reconnected. */
  readonly failed: Promise<Error>;
  /** The connections of this process: all that are open, those without work, and the work that waits for one. */
  connections(): { readonly open: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface StoreOptions extends StorePlace {
  /** Whether to use the embedded database of another process when it already runs there. */
  readonly share: boolean;
  /** Whether to create the tables, and the folder, where there are none. */
  readonly creates?: boolean;
  /** The caller is a restore, so the data folder may be unfinished. */
  readonly isRestore?: boolean;
}

/**
 * Opens the store. Both kinds use the PostgreSQL client and one dialect. Do not use named prepared statements or SET:
 * the connections of the embedded database share them. (`preparing-client.ts` is only for PostgreSQL.)
 *
 * @throws StoreError when the data folder is in use or not completely restored, when there is no store and none may be
 *   created, or the server cannot be reached
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, dataFolder, share, creates = true, isRestore = false } = options;
  if (databaseUrl !== null) return openPostgres(databaseUrl, creates);
  if (!isRestore) await refuseUnfinished(dataFolder);
  // Before the lock is taken, because that makes the folder. Another process may be making the database now.
  if (
    !creates &&
    !existsSync(path.join(dataFolder, DATABASE_FOLDER)) &&
    (await readHolder(dataFolder)) === null
  )
    throw new StoreError(
      `There is no directory in ${dataFolder}. Name its folder with --data, or begin a new one: ${commandOn('serve', options)}`,
    );
  const embedded = await startEmbedded(dataFolder).catch((error: unknown) => {
    throw unusableFolder(dataFolder, error);
  });
  if (embedded.kind === 'held' && !share)
    throw new StoreError(
      `The data folder ${dataFolder} is in use by process ${embedded.holder.processId}. Stop that process, choose another folder with --data, or use a PostgreSQL server (DATABASE_URL), which several instances can share.`,
    );
  if (embedded.kind === 'held' && !(await waitForHolder(embedded.holder))) return openStore(options);
  const host = embedded.kind === 'held' ? path.dirname(embedded.holder.socket) : embedded.socketFolder;
  const connection = { host, port: 5432, user: 'postgres', database: 'postgres' };
  // One that already runs creates its tables itself.
  const own = embedded.kind === 'running' ? embedded : null;
  // A new database on a full disk answers nothing; nor does a process that was stopped.
  return open('embedded', connection, { own, creates: creates || own === null }).catch((error: unknown) => {
    throw storeAwayError(error);
  });
}

/** Errors that the operator must fix: the folder, its permissions or its disk. */
function unusableFolder(dataFolder: string, error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (!FOLDER_ERRORS.test(code)) return error;
  return new StoreError(
    `The data folder ${dataFolder} cannot be used: ${code}. Make it a writable folder on a disk with free space, or choose another with --data.`,
  );
}

const FOLDER_ERRORS = /^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOSPC|EDQUOT|ENOENT)$/;

async function openPostgres(databaseUrl: string, creates: boolean): Promise<Store> {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new StoreError(
      'DATABASE_URL must begin with postgres:// or postgresql://. Unset it to use the embedded database.',
    );
  try {
    const connection = { connectionString: databaseUrl, statement_timeout: STATEMENT_TIMEOUT_MS };
    return await open('postgres', connection, { own: null, creates });
  } catch (error) {
    if (!isConnectionFailure(error)) throw error;
    // The address is not quoted, because it may contain a password.
    throw new StoreError(
      `The database that DATABASE_URL names cannot be used: ${(error as Error).message || String((error as { code?: string }).code)}. Check that it is running, and check its address, user and password.`,
    );
  }
}

/** Whether the server cannot be reached, or refuses the login. */
function isConnectionFailure(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return isStoreAway(error) || /^28|^3D/.test(code) || error instanceof TypeError;
}

const STATEMENT_TIMEOUT_MS = 15_000;
const MAX_CONNECTIONS = 10;

/** `own` is the embedded database that this process has started. */
async function open(
  kind: Store['kind'],
  connection: pg.PoolConfig,
  { own, creates }: Readonly<{ own: Extract<Embedded, { kind: 'running' }> | null; creates: boolean }>,
): Promise<Store> {
  const pool = new pg.Pool({
    ...connection,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    query_timeout: STATEMENT_TIMEOUT_MS + 5000,
    types: { getTypeParser },
    ...(kind === 'postgres' ? { Client: PreparingClient } : {}),
  });
  // The pool replaces an idle connection that ends; if that fails, the next query reports it.
  pool.on('error', () => undefined);
  // Without a listener, a connection that ends between two statements of a transaction would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await createSchema(db, creates);
    await startFeed(db);
  } catch (error) {
    await db.destroy();
    await own?.stop();
    throw error;
  }
  const wakeUps = createWakeUps(connection);
  return {
    kind,
    db,
    wakeUps,
    written: own?.written ?? null,
    isBorrowed: kind === 'embedded' && own === null,
    failed: own?.failed ?? new Promise(() => undefined),
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await wakeUps.close();
      await db.destroy();
      await own?.stop();
    },
  };
}

const INT8 = 20;

/** Counts are parsed as numbers, because none exceeds 2^53. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
