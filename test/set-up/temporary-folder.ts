import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file system in memory, which Linux has. */
const MEMORY = '/dev/shm';
/** More than the databases of a run take at once. */
const ROOM_BYTES = 4 * 2 ** 30;
const VARIABLE = 'TMPDIR_OF_DATABASES';

/** For `globalSetup`: all temporary files of a run are in one folder, or two, which are removed at its end. */
export function setup(): () => void {
  const before = process.env.TMPDIR;
  const folder = newFolder(tmpdir());
  const ofDatabases = hasRoom(MEMORY) ? newFolder(MEMORY) : folder;
  process.env.TMPDIR = folder;
  process.env[VARIABLE] = ofDatabases;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    delete process.env[VARIABLE];
    for (const made of new Set([folder, ofDatabases])) rmSync(made, { recursive: true, force: true });
  };
}

/**
 * Where the files of databases are made: in memory if it has room. On a disk (ext4), a thousand files that are created
 * soon after others were removed take ten times the processor time.
 */
export function databasesFolder(): string {
  return process.env[VARIABLE] ?? tmpdir();
}

function newFolder(parent: string): string {
  const folder = mkdtempSync(path.join(parent, 'probity-tests-'));
  // PostgreSQL refuses to run as root, and its own user must reach its folder.
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
