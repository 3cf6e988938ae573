import { spawn } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { COMMAND } from './run-command.ts';

export interface Watching {
  /** The output so far. */
  readonly printed: () => string;
  /** How often it printed this. */
  readonly times: (words: string) => number;
  readonly write: (text: string) => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly finished: Promise<number | null>;
}

export function startWatching(
  args: readonly string[],
  cwd: string,
  { stdin = 'pipe', env = {} }: { stdin?: 'pipe' | 'ignore'; env?: Record<string, string> } = {},
): Watching {
  const child = spawn(process.execPath, [COMMAND, 'watch', ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  return {
    printed: () => printed,
    times: (words) => printed.split(words).length - 1,
    write: (text) => child.stdin?.write(text),
    kill: (signal) => child.kill(signal),
    finished: new Promise((resolve) => child.once('close', resolve)),
  };
}

/** Like an editor: a new file replaces the old one. */
export function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
