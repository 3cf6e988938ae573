import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** A PostgreSQL server of the tests' own, with a database for each test. */
export interface TestPostgres {
  /** Creates an empty database and returns its address. */
  database(name: string): string;
  stop(): Promise<void>;
}

/** Starts a cluster in a temporary folder on a free port; as the user postgres when run by root, whom PostgreSQL refuses. */
export async function startPostgres(): Promise<TestPostgres> {
  const programs = programFolder();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-postgres-'));
  const asOther = process.getuid?.() === 0 ? postgresUser() : null;
  if (asOther !== null) chownSync(folder, asOther.uid, asOther.gid);
  const run = (program: string, ...parameters: readonly string[]): string =>
    execFileSync(path.join(programs, program), parameters, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
      ...(asOther ?? {}),
    });
  const data = path.join(folder, 'data');
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const port = await freePort();
  run(
    'pg_ctl',
    '-D',
    data,
    '-l',
    path.join(folder, 'log'),
    '-w',
    '-o',
    `-p ${port} -k ${folder} -h 127.0.0.1`,
    'start',
  );
  return {
    database: (name) => {
      run('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', name);
      return `postgres://postgres@127.0.0.1:${port}/${name}`;
    },
    stop: async () => {
      run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Debian keeps the programs of each version in a folder of their own. */
function programFolder(): string {
  const folders = execFileSync(
    'sh',
    ['-c', 'ls -d /usr/lib/postgresql/*/bin 2>/dev/null || dirname "$(command -v initdb)"'],
    {
      encoding: 'utf8',
    },
  )
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  const folder = folders.at(-1);
  if (folder === undefined)
    throw new Error('PostgreSQL is not installed: apt-get install postgresql (as .ci/run does)');
  return folder;
}

function postgresUser(): { readonly uid: number; readonly gid: number } {
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
