import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { say, UsageError } from 'probity/command-line';
import type { Store } from '../db/open-store.ts';
import { beginRestore, endRestore } from '../db/unfinished-restore.ts';
import { noteAction } from '../entries/operator-log.ts';
import { shellWord } from '../settings/shell-word.ts';
import { writeBackup } from '../transfer/backup-file.ts';
import { exportDirectory } from '../transfer/export-directory.ts';
import { fileLines, isExport } from '../transfer/file-lines.ts';
import { checkExport, importDirectory } from '../transfer/import-directory.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import type { EntryFlags } from './entries.ts';
import { importFile } from './import-listings.ts';
import { exportListings } from './list.ts';
import { print } from './print.ts';
import { importServers, serversIn } from './registry.ts';
import { commandFor, type StoreFlags, storeOf, withNewStore, withStore } from './store-flags.ts';

/** Prints the whole directory, or only its listings. */
export async function exportAll(flags: StoreFlags & { readonly listings?: boolean }): Promise<void> {
  if (flags.listings === true) return exportListings(flags);
  await withStore(flags, async (store) => {
    if (store.kind === 'postgres') await exportDirectory(store.db, print);
    else await printSpooled(store);
  });
}

/** A slow reader of the output must not hold up the service: everybody waits for a transaction of an embedded store. */
async function printSpooled({ db }: Store): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'probity-export-'));
  try {
    const file = path.join(folder, 'export.gz');
    await writeBackup(db, file);
    for await (const line of fileLines(file)) await print(`${line}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Imports listings, or a whole directory: the file says which. */
export async function importAny(file: string, flags: EntryFlags): Promise<void> {
  refuseMissing(file);
  const servers = await serversIn(file);
  if (servers !== null) return importServers(file, servers, flags);
  if (!(await isExport(file))) return importFile(file, flags);
  if (flags.listed === true)
    throw new UsageError(
      `${file} is the export of a directory, with the decisions on its servers. Leave out --listed.`,
    );
  const rows = await checkExport(fileLines(file));
  await withNewStore(flags, ({ db }) => importDirectory(db, fileLines(file)));
  say(`Imported the directory in ${file}: ${rows} rows.`);
}

/** Saves the whole directory in a file while it is served. */
export async function backup(file: string, flags: StoreFlags & AuthorFlags): Promise<void> {
  if (existsSync(file)) throw new UsageError(`${file} exists. Choose another name, or remove it.`);
  const startedAtMs = performance.now();
  const rows = await withStore(flags, ({ db }) => writeBackup(db, file)).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  say(
    `Saved ${rows} rows in ${file} in ${seconds} s. Restore them into a new folder with: ${restoring(file, flags)}`,
  );
}

/** The variable is emptied, because it would name the directory that was saved. */
function restoring(file: string, flags: StoreFlags): string {
  const unset = storeOf(flags).databaseUrl === null ? '' : 'DATABASE_URL= ';
  return `${unset}probity directory restore ${shellWord(path.resolve(file))} --data restored`;
}

function unwritable(file: string, error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  return /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|ENOENT|ENOTDIR)$/.test(code)
    ? new UsageError(`${file} cannot be written: ${code}. Name a file in a writable folder with free space.`)
    : error;
}

/** Makes a directory of a backup, in a new folder or in the empty database of DATABASE_URL. */
export async function restore(file: string, flags: StoreFlags & AuthorFlags): Promise<void> {
  refuseMissing(file);
  if (!(await isExport(file)))
    throw new UsageError(
      `${file} is no backup of a directory. Import listings with: ${commandFor(`import ${shellWord(file)}`, flags)}`,
    );
  const { databaseUrl, dataFolder } = storeOf(flags);
  const isFolder = databaseUrl === null;
  const rows = await checkExport(fileLines(file));
  if (isFolder) await beginRestore(dataFolder, file);
  const fill = async ({ db }: Store): Promise<void> => {
    await importDirectory(db, fileLines(file));
    const details = JSON.stringify({ file: path.basename(file), rows });
    await noteAction(db, { action: 'restore', operator: authorOf(flags), details });
  };
  await withNewStore(flags, fill, { isRestore: true });
  if (isFolder) await endRestore(dataFolder);
  say(`Restored ${rows} rows. Serve the directory with: ${commandFor('serve', flags)}`);
}

function refuseMissing(file: string): void {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
}
