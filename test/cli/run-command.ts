import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
  /** Called at once, with a function that sends the command a signal. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => unknown;
  /** Called with the output of the command so far, and a function that sends it a signal. */
  readonly onOutput?: (stderr: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs the built command as a user would, without a terminal. */
export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  if (!existsSync(COMMAND)) throw new Error('dist/ is missing: run `npm run build` before these tests');
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
  const child = spawn(process.execPath, [options.command ?? COMMAND, ...args], {
    cwd: options.cwd ?? emptyFolder(),
    env: { ...inherited, ...options.env },
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
