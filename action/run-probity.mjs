import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { complain } from './messages.mjs';

const PROBITY = fileURLToPath(new URL('../dist/probity.js', import.meta.url));

export const HARNESS = 70;

/** Runs a command of Probity and returns its exit code. The arguments go to a process: no shell reads them. */
export function runProbity(args) {
  const child = spawn(process.execPath, [PROBITY, ...args], { stdio: 'inherit' });
  const pass = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, pass);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      complain(`Probity cannot be started: ${error.message}`);
      resolve(HARNESS);
    });
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  }).finally(() => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, pass);
  });
}
