import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { createProcessEnder, type ProcessEnder } from './end-processes.ts';
import { createOutputTail } from './output-tail.ts';
import { startedAt } from './process-status.ts';
import type { FromSupervisor, Launch, ToSupervisor } from './supervisor-messages.ts';

/**
 * Starts the command of --start and outlives its parent: when the IPC channel closes, it ends every process of the
 * command. Instead of execa, because only another process can do that after a SIGKILL of this one.
 */
const IS_WINDOWS = process.platform === 'win32';
const MARK_NAME = 'PROBITY_START_ID';
/** When the command ends, its last output is still in transit. */
const OUTPUT_DRAIN_MS = 1000;

const output = createOutputTail();
let processes: ProcessEnder | null = null;
let graceMs = 0;
let isEndRequested = false;
let isEnding = false;
/** How the command ended without being stopped. */
let exit: string | null = null;

process.on('message', (order: ToSupervisor) => {
  if (order.kind === 'stop') return void end();
  graceMs = order.graceMs;
  start(order);
});
process.on('disconnect', () => void end());
// Sent by a terminal that closes, or by a system that shuts down.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end());

function start(launch: Launch): void {
  if (isEndRequested) return;
  const mark = randomBytes(16).toString('hex');
  const child = spawned(launch, mark);
  child.stdout?.on('data', output.add);
  child.stderr?.on('data', output.add);
  child.once('error', (error) => void send({ kind: 'not-started', reason: error.message }));
  child.once('exit', (code, signal) => void commandEnded(child, code, signal));
  if (child.pid === undefined) return;
  if (launch.inheritsStreams) releaseStreams();
  const started = { groupId: child.pid, mark, since: startedAt(child.pid) };
  processes = createProcessEnder(started);
  void send({ kind: 'started', ...started });
}

function spawned({ command, env, cwd, inheritsStreams }: Launch, mark: string): ChildProcess {
  // A command may itself run --start; a different mark separates the processes of each.
  const outer = process.env[MARK_NAME];
  const options = {
    detached: !IS_WINDOWS,
    stdio: inheritsStreams ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    ...(cwd === null ? {} : { cwd }),
    env: { ...(env ?? process.env), [MARK_NAME]: outer === undefined ? mark : `${outer},${mark}` },
  } satisfies SpawnOptions;
  if (typeof command === 'string') return spawn(command, { ...options, shell: true });
  const [program, ...rest] = command;
  // Programs such as npx are scripts on Windows, which only a shell starts.
  return spawn(program, rest, { ...options, shell: IS_WINDOWS });
}

/** Only the command holds its streams, so that they end with it. */
function releaseStreams(): void {
  for (const stream of [0, 1, 2]) {
    closeSync(stream);
    // Takes the number that has just become free.
    openSync(devNull, stream === 0 ? 'r' : 'w');
  }
}

async function commandEnded(child: ChildProcess, code: number | null, signal: string | null): Promise<void> {
  if (isEnding || processes === null) return;
  const isOver = !processes.hasLeftAny();
  // From now on the system may reuse its ids.
  if (isOver) processes = null;
  // A command that starts its server in the background may end with code 0.
  else if (code === 0) return;
  exit = signal === null ? `exit code ${code}` : `ended by ${signal}`;
  await Promise.race([once(child, 'close'), delay(OUTPUT_DRAIN_MS)]);
  if (!isEnding) await send({ kind: 'ended', exit, output: output.text(), isOver });
}

async function end(): Promise<void> {
  if (isEndRequested) return;
  isEndRequested = true;
  // The end of a process that ended before this request may not have been reported yet.
  await nextTurn();
  isEnding = true;
  await processes?.end(graceMs);
  await send({ kind: 'stopped', output: output.text(), exit });
  process.exit(0);
}

function send(message: FromSupervisor): Promise<void> {
  return new Promise((resolve) => {
    if (!process.connected || process.send === undefined) return resolve();
    // The parent has ended: there is no one to notify.
    process.send(message, () => resolve());
  });
}
