import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInHost } from './command-hosts.ts';

export const COMMAND = path.resolve(import.meta.dirname, '../../dist/probity.js');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Another copy of the command. */
  readonly command?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process of its own: for what Node.js does at the start and the end of a process. */
  readonly isAlone?: boolean;
  /** Called at once, with a function that sends the command a signal. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => unknown;
  /** Called with the output of the command so far, and a function that sends it a signal. */
  readonly onOutput?: (stderr: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/**
 * Runs the built command without a terminal, in a process that runs many command lines one after another. With a signal
 * to send, or another copy of the command, it runs in a process of its own, as a user starts it.
 */
export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  if (!existsSync(COMMAND)) throw new Error('dist/ is missing: run `npm run build` before these tests');
  // The worker's number differs in each test file, and the processes of commands outlive a file.
  const { NO_COLOR: _no, FORCE_COLOR: _force, VITEST_WORKER_ID: _worker, ...inherited } = process.env;
  const place = { cwd: options.cwd ?? emptyFolder(), env: { ...inherited, ...options.env } };
  const isAlone = options.isAlone ?? Boolean(options.command ?? options.onStart ?? options.onOutput);
  return isAlone ? runAlone(args, options, place) : runInHost(COMMAND, args, place);
}

function runAlone(
  args: readonly string[],
  options: RunOptions,
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Finished> {
  const child = spawn(process.execPath, [options.command ?? COMMAND, ...args], {
    ...place,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  options.onStart?.((signal) => child.kill(signal));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
    options.onOutput?.(stderr, (signal) => child.kill(signal));
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export function emptyFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'probity-test-'));
}
