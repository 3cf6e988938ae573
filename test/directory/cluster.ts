import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

/** A PostgreSQL server of the tests' own: a cluster in a temporary folder, on a free port of loopback. */
export interface Cluster {
  /** `postgres://…`, without the name of a database. */
  readonly url: string;
  /** Ends it without warning, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after that. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** Settings that make it faster and no less right for as long as the machine itself does not fail. */
  readonly fast: boolean;
}

const FAST_SETTINGS = ['-c fsync=off', '-c synchronous_commit=off', '-c full_page_writes=off'];

/** Why no cluster can be started here, with the remedy; null when one can. */
export function whyNoPostgres(): string | null {
  return programFolder() === null
    ? 'PostgreSQL is not installed: apt-get install postgresql (as .ci/run does)'
    : null;
}

/** Starts a cluster; as the user postgres when run by root, whom PostgreSQL refuses. */
export async function startCluster({ fast }: ClusterOptions): Promise<Cluster> {
  const programs = programFolder();
  if (programs === null) throw new Error(whyNoPostgres() ?? '');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-postgres-'));
  const asOther: Identity = process.getuid?.() === 0 ? postgresUser() : {};
  if (asOther.uid !== undefined) chownSync(folder, asOther.uid, asOther.gid);
  const environment = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  const data = path.join(folder, 'data');
  const program = (name: string): string => path.join(programs, name);
  // It waits for the end of this process, however that comes, and leaves nothing behind.
  const guard = spawn('sh', ['-c', GUARD, 'guard', program('pg_ctl'), data, folder], {
    cwd: os.tmpdir(),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: environment,
    ...asOther,
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  const run = async (name: string, ...parameters: readonly string[]): Promise<void> => {
    await promisify(execFile)(program(name), parameters, { cwd: folder, env: environment, ...asOther });
  };
  const stop = async (): Promise<void> => {
    if (guard.exitCode !== null) return;
    guard.ref();
    const ended = once(guard, 'exit');
    guard.stdin.end();
    await ended;
  };
  try {
    await run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
    const port = await freePort();
    const settings = [
      `-p ${port}`,
      `-k ${folder}`,
      '-h 127.0.0.1',
      '-c max_connections=200',
      ...(fast ? FAST_SETTINGS : []),
    ];
    const start = () =>
      run('pg_ctl', '-D', data, '-l', path.join(folder, 'log'), '-w', '-o', settings.join(' '), 'start');
    await start();
    return {
      url: `postgres://postgres@127.0.0.1:${port}`,
      start,
      kill: async () => {
        const [pid] = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
        process.kill(Number(pid), 'SIGKILL');
        await ended(Number(pid));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const GUARD = 'cat >/dev/null; "$1" -D "$2" -m immediate -w stop; rm -rf "$3"';

/** For statements about databases. */
export async function askServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(`${url}/postgres`);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Debian keeps the programs of each version in a folder of their own. */
function programFolder(): string | null {
  const versions = '/usr/lib/postgresql';
  const newest = folders(versions).sort((one, other) => Number(other) - Number(one));
  const candidates = [
    ...newest.map((version) => path.join(versions, version, 'bin')),
    ...(process.env.PATH ?? '').split(path.delimiter),
  ];
  return candidates.find((folder) => isThere(path.join(folder, 'initdb'))) ?? null;
}

function folders(folder: string): string[] {
  return isThere(folder) ? readdirSync(folder) : [];
}

function isThere(file: string): boolean {
  try {
    accessSync(file);
    return true;
  } catch {
    return false;
  }
}

type Identity =
  | { readonly uid: number; readonly gid: number }
  | { readonly uid?: undefined; readonly gid?: undefined };

function postgresUser(): Identity {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
