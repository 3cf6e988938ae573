import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Db } from '../db/tables.ts';
import { exportDirectory } from './export-directory.ts';

/**
 * Writes an export, compressed, to a new file, which has its name only when it is complete and on the disk. Only this
 * user can read it, because it has the digests of keys. Returns the number of rows.
 */
export async function writeBackup(db: Db, file: string): Promise<number> {
  const draft = `${file}.${process.pid}.part`;
  try {
    const count = await writeCompressed(draft, (write) => exportDirectory(db, write));
    const handle = await open(draft, 'r+');
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    await syncFolder(path.dirname(path.resolve(file)));
    return count;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeCompressed(
  file: string,
  work: (write: (text: string) => Promise<void>) => Promise<number>,
): Promise<number> {
  // Fast rather than small: an embedded store waits for the backup.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  gzip.pipe(output);
  const failed = new Promise<never>((_resolve, reject) => {
    output.once('error', reject);
    gzip.once('error', reject);
  });
  const ended = finished(output);
  ended.catch(() => undefined);
  try {
    const count = await Promise.race([work((text) => written(gzip, text)), failed]);
    gzip.end();
    await ended;
    return count;
  } finally {
    gzip.destroy();
    output.destroy();
  }
}

/** Waits until there is room for more. */
export function written(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** The name of a file is on the disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
