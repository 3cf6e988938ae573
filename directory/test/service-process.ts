import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll } from 'vitest';
import type { Db, Tables } from '../src/db/tables.ts';

/** `probity directory serve` as a separate process. */
export interface ServiceProcess {
  readonly pid: number;
  /** Resolves with its address when it serves; rejects with its output when it ends before. */
  readonly url: Promise<string>;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  printed(): string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly data: string;
  readonly databaseUrl: string | null;
  readonly more?: readonly string[];
  /** Without `--allow-private`. */
  readonly publicOnly?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** The file to run and the arguments before `serve`. Default: the built command of this checkout. */
  readonly command?: readonly string[];
}

const running = new Set<ChildProcessByStdio<null, Readable, Readable>>();
// A test that fails may not come to the end of its processes, and the one that runs it may be ended without notice.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

export function startService(options: ServiceOptions): ServiceProcess {
  const started = start(options, ['serve', '--data', options.data, '--port', '0']);
  const url = started.printed(/^http:\/\/127\.0\.0\.1:\d+$/m);
  url.catch(() => undefined);
  return { ...started.process, url };
}

/** `probity directory worker` as a separate process. */
export interface WorkerProcess extends Omit<ServiceProcess, 'url'> {
  /** Resolves when it works; rejects with its output when it ends before. */
  readonly works: Promise<string>;
}

export function startWorker(options: ServiceOptions): WorkerProcess {
  const started = start(options, ['worker']);
  const works = started.printed(/^Working on .*/m);
  works.catch(() => undefined);
  return { ...started.process, works };
}

/** `probity directory audit` as a separate process. */
export interface AuditProcess extends Omit<ServiceProcess, 'url'> {
  /** The id of the audit; rejects with the output of the process when it ends before. */
  readonly id: Promise<string>;
}

export function startAudit(options: ServiceOptions, selection: readonly string[]): AuditProcess {
  const started = start(options, ['audit', ...selection, '--data', options.data]);
  const id = started.printed(/^Audit \S+(?=:)/m).then((text) => text.slice('Audit '.length));
  id.catch(() => undefined);
  return { ...started.process, id };
}

function start(options: ServiceOptions, args: readonly string[]) {
  const { databaseUrl, more = [], publicOnly = false, environment = {} } = options;
  const { command = ['dist/probity.js', 'directory'] } = options;
  const { DATABASE_URL: _other, ...inherited } = process.env;
  const reach = publicOnly ? [] : ['--allow-private'];
  const child = spawn(process.execPath, [...command, ...args, ...reach, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, ...environment, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
  });
  running.add(child);
  let output = '';
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return (signal ?? code) as number | NodeJS.Signals;
  });
  const printed = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', () => {
          const [found] = pattern.exec(output) ?? [];
          if (found !== undefined) resolve(found);
        });
      void ended.then((how) =>
        reject(new Error(`the process ended with ${how} before it was ready:\n${output}`)),
      );
    });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-10_000);
    });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    printed,
    process: {
      pid: child.pid ?? 0,
      ended,
      printed: () => output,
      kill: () => end('SIGKILL'),
      stop: () => end('SIGTERM'),
    },
  };
}

/** A separate connection to the service's database: to the socket of the embedded one, or to PostgreSQL. */
export function connectBeside({ data, databaseUrl }: ServiceOptions): Db {
  const pool = new pg.Pool({
    ...(databaseUrl === null
      ? { host: data, port: 5432, user: 'postgres', database: 'postgres' }
      : { connectionString: databaseUrl }),
    max: 4,
    connectionTimeoutMillis: 10_000,
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
