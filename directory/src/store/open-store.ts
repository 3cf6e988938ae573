import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { ExpectedError } from 'probity/model';
import { waitForHolder } from './data-lock.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrations.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

/** An open database, with its tables up to date. */
export interface Store {
  readonly kind: 'embedded' | 'postgres';
  readonly db: Db;
  /** Resolves with the reason when the database is gone for good; never, where connections come back. */
  readonly failed: Promise<Error>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** `postgres://…`; the embedded database of the data folder when it is null. */
  readonly databaseUrl: string | null;
  readonly dataFolder: string;
  /** Whether a process that runs the embedded database already may be asked, instead of running it here. */
  readonly share: boolean;
}

/** A store that cannot be opened, with what to do about it. */
export class StoreError extends ExpectedError {
  override readonly name = 'StoreError';
}

/**
 * Opens the store. Both kinds speak to PostgreSQL's own client, in one dialect. No named prepared statements and no SET:
 * the embedded database shares both among its connections.
 *
 * @throws StoreError when the data folder is in use, or the server cannot be reached
 */
export async function openStore({ databaseUrl, dataFolder, share }: StoreOptions): Promise<Store> {
  if (databaseUrl !== null) return openPostgres(databaseUrl);
  const embedded = await startEmbedded(dataFolder).catch((error: unknown) => {
    throw unusableFolder(dataFolder, error);
  });
  if (embedded.kind === 'held' && !share)
    throw new StoreError(
      `The data folder ${dataFolder} is in use by process ${embedded.holder.processId}. Stop that one first, give another folder with --data, or use a PostgreSQL server (DATABASE_URL), which several instances can share.`,
    );
  if (embedded.kind === 'held' && !(await waitForHolder(embedded.holder)))
    return openStore({ databaseUrl, dataFolder, share });
  const host = embedded.kind === 'held' ? folderOf(embedded.holder.socket) : embedded.socketFolder;
  const opened = await open('embedded', { host, port: 5432, user: 'postgres', database: 'postgres' }).catch(
    async (error: unknown) => {
      if (embedded.kind === 'running') await embedded.stop();
      throw error;
    },
  );
  if (embedded.kind === 'held') return { ...opened, failed: new Promise(() => undefined) };
  return {
    ...opened,
    failed: embedded.failed,
    close: async () => {
      await opened.close();
      await embedded.stop();
    },
  };
}

function folderOf(socket: string): string {
  return socket.slice(0, socket.lastIndexOf('/'));
}

/** What only the operator can mend: the folder, its rights, its disk. */
function unusableFolder(dataFolder: string, error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (!FOLDER_TROUBLE.has(code)) return error;
  return new StoreError(
    `The data folder ${dataFolder} cannot be used: ${code}. Is it a folder that may be written to, on a disk with space left? --data names another.`,
  );
}

const FOLDER_TROUBLE = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'ENOSPC',
  'EDQUOT',
  'ENOENT',
]);

async function openPostgres(databaseUrl: string): Promise<Store> {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new StoreError(
      'DATABASE_URL is not the address of a PostgreSQL server: it begins with postgres:// or postgresql://. Without it, the embedded database is used.',
    );
  try {
    const opened = await open('postgres', {
      connectionString: databaseUrl,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
    return { ...opened, failed: new Promise(() => undefined) };
  } catch (error) {
    if (!isConnectionFailure(error)) throw error;
    // Not quoted: the address may hold a password.
    throw new StoreError(
      `The database that DATABASE_URL names cannot be used: ${(error as Error).message || String((error as { code?: string }).code)}. Is it running, and are its address, user and password right?`,
    );
  }
}

/** The server cannot be reached, or does not let us in. */
function isConnectionFailure(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return (
    /^E[A-Z]+$|^08|^28|^3D|^57P/.test(code) ||
    error instanceof TypeError ||
    (error instanceof Error &&
      /^Connection terminated|^timeout exceeded when trying to connect/.test(error.message))
  );
}

const STATEMENT_TIMEOUT_MS = 15_000;
const MAX_CONNECTIONS = 10;

async function open(kind: Store['kind'], connection: pg.PoolConfig): Promise<Omit<Store, 'failed'>> {
  const pool = new pg.Pool({
    ...connection,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    query_timeout: STATEMENT_TIMEOUT_MS + 5000,
    types: { getTypeParser },
  });
  // A connection that ends while nobody uses it is replaced; the next query tells when that fails.
  pool.on('error', () => undefined);
  // One that ends within a transaction, between two statements, would otherwise end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { kind, db, close: () => db.destroy() };
}

const INT8 = 20;

/** Counts come as numbers: none passes 2^53. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
