// Processes of the measurements. Each is ended by its pid, however the bench ends.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import path from 'node:path';

const running = new Set();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.once(signal, () => process.exit(code));
}

function track(child) {
  running.add(child);
  // A child that could not be started has no exit.
  for (const event of ['exit', 'error']) child.once(event, () => running.delete(child));
  return child;
}

/** Starts a process that keeps running. Its output is shown only if requested. */
export function startProcess(command, args, options = {}) {
  return track(spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options }));
}

/** Starts a script, with a channel to talk to it. */
export function forkScript(script, args, { execArgv = [] } = {}) {
  return track(fork(script, args, { serialization: 'advanced', execArgv }));
}

export async function endProcess(child) {
  if (!running.has(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Runs a command to its end and returns what it printed; `mayEndWith` is an exit code besides 0. */
export async function output(command, args, { timeoutMs, started, mayEndWith = 0, ...options }) {
  const child = track(
    spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    }),
  );
  let printed = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  started?.(child);
  const [code, signal] = await once(child, 'close');
  if (code !== 0 && code !== mayEndWith)
    throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}: ${complaint}`);
  return printed;
}

/** CPU time of all ended children, in milliseconds; null if the system does not report it. */
export function endedChildrenCpuMs() {
  try {
    // After the name, which is in parentheses and may contain spaces: state is the third field, cutime the 16th.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return null;
  }
}

/** The path of a command; null if it is not installed. Servers are often in folders outside the PATH of users. */
export function commandPath(name) {
  for (const folder of [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin']) {
    const candidate = path.join(folder, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // It may be in the next one.
    }
  }
  return null;
}
