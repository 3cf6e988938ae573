import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { createProcessEnder, type ProcessEnder } from './end-processes.ts';
import { createOutputTail } from './output-tail.ts';
import { startedAt } from './process-status.ts';
import { startSupervisor } from './supervise.ts';

export interface Launch {
  /** A line for the shell, or a program and its arguments. */
  readonly command: string | readonly [program: string, ...rest: string[]];
  /** Its environment; null: that of this process. */
  readonly env: Readonly<Record<string, string>> | null;
  /** Its working folder; null: that of this process. */
  readonly cwd: string | null;
}

/** How a command ended without being stopped, and its last output. */
export interface CommandEnd {
  readonly exit: string;
  readonly output: string;
}

/** A server that was started for a check. */
export interface StartedServer {
  /** Resolves when the command ends without being stopped. */
  readonly ended: Promise<CommandEnd>;
  /** Ends all of its processes and waits for them. Returns their last output. */
  stop(): Promise<string>;
}

/** A started command whose standard streams are in the hands of the caller. */
export interface StreamingProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the command ends without being stopped, with how, such as `exit code 1`. */
  readonly ended: Promise<string>;
  /** Ends all of its processes and waits for them. */
  stop(): Promise<void>;
}

const GRACE_MS = 5000;
const IS_WINDOWS = process.platform === 'win32';
const MARK_NAME = 'PROBITY_START_ID';
/** When the command ends, its last output is still in transit. */
const OUTPUT_DRAIN_MS = 1000;

/**
 * Starts a command in a shell, and keeps the end of its output. All of its processes end when this process ends for any
 * reason.
 */
export function startServer(
  command: string,
  /** Removes secrets from its output. */
  redact: (text: string) => string,
  graceMs = GRACE_MS,
): StartedServer {
  const { child, ended, stop } = start({ command, env: null, cwd: null }, 'ignore', graceMs);
  const output = createOutputTail();
  for (const stream of [child?.stdout, child?.stderr]) stream?.on('data', output.add);
  const closed = child === null ? null : once(child, 'close').catch(() => undefined);
  return {
    ended: ended.then(async (exit) => {
      await Promise.race([closed, delay(OUTPUT_DRAIN_MS, null, { ref: false })]);
      return { exit, output: redact(output.text()) };
    }),
    stop: async () => {
      await stop();
      // A process that escaped may still hold their other ends, which would keep this process running.
      for (const stream of [child?.stdout, child?.stderr]) stream?.destroy();
      return redact(output.text());
    },
  };
}

/** Starts a command in the same way, and gives its standard streams to the caller. */
export function startStreaming(launch: Launch, graceMs = GRACE_MS): StreamingProcess {
  const { child, ended, stop } = start(launch, 'pipe', graceMs);
  // If the system starts no process, there are no streams.
  return {
    stdin: child?.stdin ?? new PassThrough(),
    stdout: child?.stdout ?? Readable.from([]),
    stderr: child?.stderr ?? Readable.from([]),
    ended,
    stop,
  };
}

interface Running extends Pick<StreamingProcess, 'ended' | 'stop'> {
  /** Null if the system refused to start it. */
  readonly child: ChildProcess | null;
}

function start(launch: Launch, stdin: 'ignore' | 'pipe', graceMs: number): Running {
  const mark = randomBytes(16).toString('hex');
  const supervisor = startSupervisor(mark, graceMs);
  let processes: ProcessEnder | null = null;
  let isEnding = false;
  let noteEnd: (exit: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    noteEnd = resolve;
  });
  const noteFailure = (error: Error): void => noteEnd(`it could not be started: ${error.message}`);
  const child = spawned(launch, mark, stdin, noteFailure);
  if (child?.pid !== undefined) {
    const started = { groupId: child.pid, mark, since: startedAt(child.pid) };
    supervisor.watch(started);
    processes = createProcessEnder(started, (known) => supervisor.watch({ ...started, known }));
  }
  child?.once('exit', (code, signal) => {
    if (isEnding || processes === null) return;
    const isOver = !processes.hasLeftAny();
    // From now on the system may reuse its ids.
    if (isOver) processes = null;
    // A command that starts its server in the background may end with code 0.
    else if (code === 0) return;
    noteEnd(signal === null ? `exit code ${code}` : `ended by ${signal}`);
    if (isOver) void supervisor.release();
  });
  const end = async (): Promise<void> => {
    isEnding = true;
    await processes?.end(graceMs);
    processes = null;
  };
  void supervisor.lost.then(async (reason) => {
    await end();
    noteEnd(reason);
  });
  let stopping: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    // The end of a process that ended before this request may not have been reported yet.
    await nextTurn();
    await end();
    await supervisor.release();
  };
  return {
    child,
    ended,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

function spawned(
  { command, env, cwd }: Launch,
  mark: string,
  stdin: 'ignore' | 'pipe',
  onError: (error: Error) => void,
): ChildProcess | null {
  // A command may itself run --start; a different mark separates the processes of each.
  const outer = process.env[MARK_NAME];
  const options = {
    detached: !IS_WINDOWS,
    stdio: [stdin, 'pipe', 'pipe'],
    windowsHide: true,
    ...(cwd === null ? {} : { cwd }),
    env: { ...(env ?? process.env), [MARK_NAME]: outer === undefined ? mark : `${outer},${mark}` },
  } satisfies SpawnOptions;
  try {
    const [program, ...rest] = typeof command === 'string' ? [command] : command;
    // Programs such as npx are scripts on Windows, which only a shell starts.
    const child = spawn(program, rest, { ...options, shell: typeof command === 'string' || IS_WINDOWS });
    child.once('error', onError);
    return child;
  } catch (error) {
    onError(error as Error);
    return null;
  }
}
