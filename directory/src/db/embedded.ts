import { createHash } from 'node:crypto';
import { access, chmod, mkdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { startedAt } from 'probity/command-line';
import { watchDataFolder } from './data-folder-watch.ts';
import { type LockHolder, takeLock } from './data-lock.ts';
import { StoreError } from './schema.ts';
import { Written } from './written.ts';

declare const BUILT: boolean | undefined;

/** The worker is in `dist/`, also when the sources run. */
const WORKER = path.join(
  import.meta.dirname,
  typeof BUILT === 'undefined' ? '../../dist' : '',
  'directory-store.js',
);

export interface WorkerOptions {
  readonly dataFolder: string;
  readonly socket: string;
  /** Of `Written`. */
  readonly memory: SharedArrayBuffer;
}

export type Embedded =
  | {
      readonly kind: 'running';
      readonly socketFolder: string;
      readonly written: Written;
      /** Resolves with the reason when the database ends unexpectedly; it cannot be restarted. */
      readonly failed: Promise<Error>;
      readonly stop: () => Promise<void>;
    }
  | { readonly kind: 'held'; readonly holder: LockHolder };

/** The folder of the database in the data folder. */
export const DATABASE_FOLDER = 'database';

/** The name that PostgreSQL clients expect for a socket in a folder. */
const SOCKET_NAME = '.s.PGSQL.5432';

/** The system limits the length of a socket path. */
const MAX_SOCKET_PATH_BYTES = 100;

/** Starts PGlite on a data folder, in a separate thread, behind a socket that only this user can reach. */
export async function startEmbedded(folder: string): Promise<Embedded> {
  const socketFolder = socketFolderOf(folder);
  const socket = path.join(socketFolder, SOCKET_NAME);
  const lock = await takeLock(folder, { processId: process.pid, since: startedAt(process.pid), socket });
  if (lock.kind === 'held') return lock;
  const database = path.join(folder, DATABASE_FOLDER);
  const isNew = await access(database).then(
    () => false,
    () => true,
  );
  try {
    await mkdir(socketFolder, { recursive: true, mode: 0o700 });
    await chmod(socketFolder, 0o700);
    await rm(socket, { force: true });
    const written = new Written();
    const worker = new Worker(WORKER, {
      workerData: { dataFolder: database, socket, memory: written.memory } satisfies WorkerOptions,
    });
    const ended = failureOf(worker);
    const unstarted = ended.then((error) => Promise.reject(startError(folder, error)));
    await Promise.race([nextMessage(worker), unstarted]);
    const watch = watchDataFolder(folder, lock);
    const failed = Promise.race([watch.failed, ended.then((error) => brokenError(folder, error))]);
    return {
      kind: 'running',
      socketFolder,
      written,
      failed,
      stop: async () => {
        watch.end();
        const stopped = nextMessage(worker);
        worker.postMessage('stop');
        await Promise.race([stopped, failed]);
        await worker.terminate();
        await rm(socket, { force: true });
        await lock.release();
      },
    };
  } catch (error) {
    // A part of a database would not start later, either.
    if (isNew) await rm(database, { recursive: true, force: true });
    await lock.release();
    throw error;
  }
}

function socketFolderOf(folder: string): string {
  const own = path.resolve(folder);
  if (Buffer.byteLength(path.join(own, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) return own;
  const digest = createHash('sha256').update(own).digest('hex').slice(0, 16);
  return path.join(os.tmpdir(), `probity-${process.getuid?.() ?? 0}-${digest}`);
}

/** The worker says when the database has started, and when it has stopped. */
function nextMessage(worker: Worker): Promise<unknown> {
  return new Promise((resolve) => {
    worker.once('message', resolve);
  });
}

/** PGlite ends with a fault of its own, without a code, when it cannot write; one with a code is named by the caller. */
function startError(folder: string, error: Error & { readonly code?: string }): Error {
  if (error.code !== undefined) return error;
  return new StoreError(
    `The embedded database in ${folder} cannot be started: ${error.message.replace(/\.$/, '')}. Check that its disk has free space (a new one needs 50 MB) and that files may become larger (ulimit -f), and start again; if a database that worked fails, restore a backup into another folder: probity directory restore FILE --data FOLDER`,
  );
}

function brokenError(folder: string, { message }: Error): StoreError {
  return new StoreError(
    `The embedded database in ${folder} has failed: ${message}. Check that its disk has free space, and start again; if that fails too, restore a backup into another folder: probity directory restore FILE --data FOLDER`,
  );
}

function failureOf(worker: Worker): Promise<Error> {
  return new Promise((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', (code) => resolve(new Error(`the database thread ended with code ${code}`)));
  });
}
