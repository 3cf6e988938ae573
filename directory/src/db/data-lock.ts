import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { processStatus } from 'probity/command-line';

/** The process that uses a data folder, according to its lock file. */
export interface LockHolder {
  readonly processId: number;
  /** The start time of the process; null on systems that do not provide it. */
  readonly since: string | null;
  /** The socket of its database. */
  readonly socket: string;
}

export type LockAttempt =
  | {
      readonly kind: 'taken';
      /** The file of the lock, and what it contains. */
      readonly file: string;
      readonly text: string;
      readonly release: () => Promise<void>;
    }
  | { readonly kind: 'held'; readonly holder: LockHolder };

/**
 * Takes the lock of a data folder. PGlite has no lock, and two processes that write to one folder corrupt it. The lock
 * of a process that has ended is taken over.
 */
export async function takeLock(folder: string, own: LockHolder): Promise<LockAttempt> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, LOCK_FILE);
  const text = JSON.stringify(own);
  // Written under another name first, so that no process reads a partial lock.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await linked(draft, file))
        return { kind: 'taken', file, text, release: () => releaseOwn(file, text) };
      const found = await readIfExists(file);
      if (found === null) continue;
      const holder = parseHolder(found);
      if (holder !== null && (await isAlive(holder))) return { kind: 'held', holder };
      await removeStale(file, found);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new Error(`could not take the lock ${file}: other processes keep taking it`);
}

const ATTEMPTS = 20;
const LOCK_FILE = 'probity.lock';

/** False if the file exists. */
function linked(draft: string, file: string): Promise<boolean> {
  return link(draft, file).then(() => true, orWith('EEXIST', false));
}

function readIfExists(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(orWith('ENOENT', null));
}

/** Handles an error with this code by returning a value. */
function orWith<Value>(code: string, value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code !== code) throw error;
    return value;
  };
}

function parseHolder(text: string): LockHolder | null {
  try {
    const { processId, since, socket } = JSON.parse(text) as Partial<LockHolder>;
    return typeof processId === 'number' && typeof socket === 'string'
      ? { processId, since: since ?? null, socket }
      : null;
  } catch {
    return null;
  }
}

/** The process that uses a data folder now; null: none. */
export async function readHolder(folder: string): Promise<LockHolder | null> {
  const found = await readIfExists(path.join(folder, LOCK_FILE));
  const holder = found === null ? null : parseHolder(found);
  return holder !== null && (await isAlive(holder)) ? holder : null;
}

/** Waits until the database of a starting holder accepts connections; false when the holder ends first. */
export async function waitForHolder(holder: LockHolder): Promise<boolean> {
  while (!(await answers(holder.socket))) {
    if (!(await isAlive(holder))) return false;
    await setTimeout(POLL_MS);
  }
  return true;
}

const POLL_MS = 50;

/** Checks the process, or the socket when the process is in another container. */
async function isAlive({ processId, since, socket }: LockHolder): Promise<boolean> {
  const status = processStatus(processId);
  if (status !== null && status.state !== 'Z') return status.since === since || (await answers(socket));
  return (since === null && isRunning(processId)) || (await answers(socket));
}

/** For systems without /proc. */
function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = (alive: boolean): void => {
      connection.destroy();
      resolve(alive);
    };
    connection.once('connect', () => end(true));
    connection.once('error', () => end(false));
  });
}

/** Removes the lock only if it is still the stale one; another process may have replaced it after it was read. */
async function removeStale(file: string, stale: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  if (!(await rename(file, aside).then(() => true, orWith('ENOENT', false)))) return;
  if ((await readIfExists(aside)) !== stale) await linked(aside, file);
  await rm(aside, { force: true });
}

async function releaseOwn(file: string, text: string): Promise<void> {
  if ((await readIfExists(file)) === text) await rm(file, { force: true });
}
