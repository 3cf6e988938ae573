import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lchownSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../../test/free-port.ts';
import { postgresPrograms } from '../../../test/set-up/postgres-programs.ts';
import { databasesFolder } from '../../../test/set-up/temporary-folder.ts';

/** A PostgreSQL server for tests: a cluster in a temporary folder, on a free port of loopback. */
export interface Cluster {
  /** `postgres://…`, without the name of a database. */
  readonly url: string;
  /** Kills the server, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** Faster settings, and files in memory if it has room; data is lost only when the machine fails. */
  readonly fast: boolean;
}

const FAST_SETTINGS = ['-c fsync=off', '-c synchronous_commit=off', '-c full_page_writes=off'];

/** Starts a cluster. PostgreSQL refuses root, so root starts it as another user. */
export async function startCluster({ fast }: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-postgres-'));
  const programs = postgresPrograms(path.join(folder, 'programs'));
  const asOther: Identity = process.getuid?.() === 0 ? unprivilegedUser() : {};
  const environment = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  const home = fast ? mkdtempSync(path.join(databasesFolder(), 'probity-postgres-')) : folder;
  if (asOther.uid !== undefined) for (const own of new Set([folder, home])) changeOwner(own, asOther);
  const data = path.join(home, 'data');
  const program = (name: string): string => path.join(programs, name);
  // The guard waits until this process ends, even by a crash, then stops the server and removes its files.
  const guard = spawn('sh', ['-c', GUARD, 'guard', program('pg_ctl'), data, folder, home], {
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

const GUARD = 'cat >/dev/null; "$1" -D "$2" -m immediate -w stop; rm -rf "$3" "$4"';

/** Runs a statement, such as `create database`, on the server. */
export async function runStatement(url: string, statement: string): Promise<void> {
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

interface User {
  readonly uid: number;
  readonly gid: number;
}
type Identity = User | { readonly uid?: undefined; readonly gid?: undefined };

/** The user must exist, because PostgreSQL looks up its name. */
function unprivilegedUser(): User {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([candidate]) => candidate === name) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses root, and /etc/passwd has neither postgres nor nobody: run as another user.',
  );
}

function changeOwner(folder: string, { uid, gid }: User): void {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  );
  for (const file of [folder, ...below]) lchownSync(file, uid, gid);
}
