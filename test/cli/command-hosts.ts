import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import path from 'node:path';
import { RARELY_OPTIMIZED } from '../set-up/rarely-optimized.ts';
import type { Finished } from './run-command.ts';

/** No more are kept idle: as many as tests of a file run at once. */
const MAX_HOSTS = 3;

/**
 * Variables that Node.js, its libraries or the kept thread of a check read only once. A command reads all others when it
 * runs.
 */
const READ_ONCE =
  /^(NODE_.*|SSL_CERT_.*|OPENSSL_.*|UV_.*|LC_.*|LANG|TZ|PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TEMP|TMP)$/i;

const HOST = path.join(import.meta.dirname, 'command-host.mjs');

interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Host {
  readonly environment: string;
  readonly isBusy: () => boolean;
  readonly run: (commandLine: CommandLine) => Promise<Finished>;
  readonly end: () => void;
}

const hosts = new Set<Host>();

/** Runs the command in a process that has run others before, or in a new one. */
export function runInHost(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Finished> {
  const environment = JSON.stringify([command, Object.entries(env).filter(([name]) => READ_ONCE.test(name))]);
  const idle = [...hosts].filter((host) => !host.isBusy());
  const known = idle.find((host) => host.environment === environment);
  if (known !== undefined) return known.run({ args, cwd, env });
  if (hosts.size >= MAX_HOSTS) idle[0]?.end();
  return startHost(command, environment, env).run({ args, cwd, env });
}

interface Run {
  readonly resolve: (finished: Finished) => void;
  readonly reject: (error: Error) => void;
}

function startHost(command: string, environment: string, env: NodeJS.ProcessEnv): Host {
  const mark = randomUUID();
  const child = spawn(process.execPath, [...RARELY_OPTIMIZED, HOST, command, mark], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the pipes of a host are missing');
  // An idle host does not keep the tests running; it ends with them, because then its channel closes.
  for (const held of [child, child.channel, stdout as Socket, stderr as Socket]) held?.unref();
  const output = { stdout: '', stderr: '' };
  let code: number | null = null;
  let run: Run | null = null;
  const finish = (): void => {
    if (code === null || !output.stdout.endsWith(mark) || !output.stderr.endsWith(mark)) return;
    const finished = {
      code,
      stdout: output.stdout.slice(0, -mark.length),
      stderr: output.stderr.slice(0, -mark.length),
    };
    const { resolve } = run as Run;
    run = null;
    if (hosts.size > MAX_HOSTS) host.end();
    resolve(finished);
  };
  for (const [name, stream] of Object.entries({ stdout, stderr }))
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output[name as keyof typeof output] += chunk;
      finish();
    });
  child.on('message', (result: number) => {
    code = result;
    finish();
  });
  child.on('error', (error) => run?.reject(error));
  // The command ended its process.
  child.on('exit', () => hosts.delete(host));
  child.on('close', (exitCode) => run?.resolve({ code: exitCode, ...output }));
  const host: Host = {
    environment,
    isBusy: () => run !== null,
    run: (commandLine) => {
      output.stdout = '';
      output.stderr = '';
      code = null;
      return new Promise((resolve, reject) => {
        run = { resolve, reject };
        child.send(commandLine);
      });
    },
    end: () => {
      hosts.delete(host);
      child.disconnect();
    },
  };
  hosts.add(host);
  return host;
}
