import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { type LockHolder, readHolder } from '../db/data-lock.ts';
import type { CommandFor } from './examine-store.ts';
import { megabytes } from './examine-store.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Examines the folder of an embedded database: who uses it, and what room its disk has. */
export async function examineFolder(folder: string, commandFor: CommandFor): Promise<readonly Finding[]> {
  return [lock(await readHolder(folder), commandFor), ...(await disk(folder))];
}

/** `holder` is not this process: it was read before the store was opened. */
function lock(holder: LockHolder | null, commandFor: CommandFor): Finding {
  return holder === null
    ? warning('lock', 'no service uses the data folder', `Serve it with: ${commandFor('serve')}`)
    : ok('lock', `process ${holder.processId} uses the data folder`);
}

const LITTLE_BYTES = 1e9;
const TOO_LITTLE_BYTES = 100e6;
const LITTLE_FILES = 10_000;

async function disk(folder: string): Promise<readonly Finding[]> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${megabytes(free)} free for ${folder}`;
  const remedy = 'Make room, or move the folder to another disk while no service uses it.';
  const room =
    free < TOO_LITTLE_BYTES
      ? problem('disk', text, remedy)
      : free < LITTLE_BYTES
        ? warning('disk', text, remedy)
        : ok('disk', text);
  // Some file systems do not count files.
  if (files === 0) return [room];
  const left = `${ffree} of ${files} files can still be created`;
  return [room, ffree < LITTLE_FILES ? problem('inodes', left, remedy) : ok('inodes', left)];
}

export function examineMemory(): Finding {
  const free = os.freemem();
  const text = `${megabytes(free)} of ${megabytes(os.totalmem())} free`;
  return free < LITTLE_MEMORY
    ? warning('memory', text, 'Give the machine more memory, or end other programs.')
    : ok('memory', text);
}

const LITTLE_MEMORY = 200e6;
