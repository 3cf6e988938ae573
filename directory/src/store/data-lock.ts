import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { processStatus } from 'probity/command-line';

/** Who uses a data folder, as its lock file says. */
export interface LockHolder {
  readonly processId: number;
  /** When that process was started, where the system tells. */
  readonly since: string | null;
  /** Where its database listens. */
  readonly socket: string;
}

export type LockAttempt =
  | { readonly kind: 'taken'; readonly release: () => Promise<void> }
  | { readonly kind: 'held'; readonly holder: LockHolder };

/**
 * Takes the lock of a data folder: PGlite has none of its own, and two processes that write to one folder destroy it.
 * The lock of a process that runs no more is taken over.
 */
export async function takeLock(folder: string, own: LockHolder): Promise<LockAttempt> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'probity.lock');
  const text = JSON.stringify(own);
  // Whole before it has the name that others look at: no one ever reads half a lock.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await linked(draft, file)) return { kind: 'taken', release: () => releaseOwn(file, text) };
      const found = await readIfThere(file);
      if (found === null) continue;
      const holder = parseHolder(found);
      if (holder !== null && (await isAlive(holder))) return { kind: 'held', holder };
      await removeStale(file, found);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new Error(`the lock ${file} changes hands all the time`);
}

const ATTEMPTS = 20;

async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
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

/** Waits until the database of a holder that is just starting can be asked; false when the holder ends before. */
export async function waitForHolder(holder: LockHolder): Promise<boolean> {
  while (!(await answers(holder.socket))) {
    if (!(await isAlive(holder))) return false;
    await setTimeout(POLL_MS);
  }
  return true;
}

const POLL_MS = 50;

/** By its process, or, where that is another container's, by its socket. */
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

/** Another process may have taken it over since it was read: what is moved away is looked at again. */
async function removeStale(file: string, stale: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readIfThere(aside)) !== stale) await linked(aside, file);
  await rm(aside, { force: true });
}

async function releaseOwn(file: string, text: string): Promise<void> {
  if ((await readIfThere(file)) === text) await rm(file, { force: true });
}
