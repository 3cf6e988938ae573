import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { shellWord } from '../settings/shell-word.ts';
import { commandOn } from './command-on.ts';
import { readHolder } from './data-lock.ts';
import { StoreError } from './schema.ts';

/** In the data folder until its restore has ended, because a part of a directory looks like a directory. It names the backup. */
const MARK = 'restore-unfinished';

/**
 * Marks a new data folder before a backup is restored into it. What an interrupted restore left there is removed.
 *
 * @throws StoreError when the folder has anything else, or is being restored
 */
export async function beginRestore(dataFolder: string, backup: string): Promise<void> {
  const mark = path.join(dataFolder, MARK);
  if ((await readMark(dataFolder)) !== null) {
    const holder = await readHolder(dataFolder);
    if (holder !== null)
      throw new StoreError(
        `The folder ${dataFolder} is being restored by process ${holder.processId}. Wait until it ends, or name another folder with --data.`,
      );
    await rm(path.join(dataFolder, 'database'), { recursive: true, force: true });
  } else if ((await readdir(dataFolder).catch(emptyIfMissing)).length > 0) {
    throw new StoreError(
      `The folder ${dataFolder} is not empty. Name a new one with --data, and serve that one afterwards.`,
    );
  }
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  // A mark without a name would be that of a restore whose machine stopped at once.
  const handle = await open(mark, 'w', 0o600);
  await handle.writeFile(path.resolve(backup));
  await handle.sync();
  await handle.close();
}

/** Removes the mark. The store must be closed before, so that the directory is on the disk. */
export async function endRestore(dataFolder: string): Promise<void> {
  await rm(path.join(dataFolder, MARK));
}

/** @throws StoreError for the data folder of a restore that has not ended */
export async function refuseUnfinished(dataFolder: string): Promise<void> {
  const backup = await readMark(dataFolder);
  if (backup === null) return;
  throw new StoreError(
    `The restore into the folder ${dataFolder} has not ended, so a part of the directory is missing. If it no longer runs, repeat it: ${commandOn(`restore ${backup === '' ? 'FILE' : shellWord(backup)}`, { databaseUrl: null, dataFolder })}`,
  );
}

function readMark(dataFolder: string): Promise<string | null> {
  return readFile(path.join(dataFolder, MARK), 'utf8').catch((error: NodeJS.ErrnoException) => {
    // A data folder that is a file is reported when the store is opened.
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return null;
  });
}

function emptyIfMissing(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}
