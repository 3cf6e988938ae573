import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { packageRoot } from '../suite/product-files.ts';
import { createProcessEnder } from './end-processes.ts';
import type { FromSupervisor, Launch, StartedProcesses, ToSupervisor } from './supervisor-messages.ts';

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
export interface StreamingProcess extends StartedServer {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

const GRACE_MS = 5000;

/**
 * Starts a command in a shell, under a supervisor that ends all of its processes when this process ends for any
 * reason.
 */
export function startServer(
  command: string,
  /** Removes secrets from its output. */
  redact: (text: string) => string,
  graceMs = GRACE_MS,
): StartedServer {
  const supervisor = spawnSupervisor(['ignore', 'ignore', 'ignore', 'ipc']);
  const { ended, stop } = supervised(
    supervisor,
    { command, env: null, cwd: null, inheritsStreams: false },
    graceMs,
  );
  return {
    ended: ended.then(({ exit, output }) => ({ exit, output: redact(output) })),
    stop: async () => redact(await stop()),
  };
}

/** Starts a command in the same way, and gives its standard streams to the caller. */
export function startStreaming(
  { command, env, cwd }: Omit<Launch, 'inheritsStreams'>,
  graceMs = GRACE_MS,
): StreamingProcess {
  const supervisor = spawnSupervisor(['pipe', 'pipe', 'pipe', 'ipc']);
  const { stdin, stdout, stderr } = supervisor;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the supervisor has no streams');
  return {
    ...supervised(supervisor, { command, env, cwd, inheritsStreams: true }, graceMs),
    stdin,
    stdout,
    stderr,
  };
}

function spawnSupervisor(stdio: ('ignore' | 'pipe' | 'ipc')[]): ChildProcess {
  return spawn(process.execPath, [path.join(packageRoot(), 'dist', 'supervisor.js')], {
    // Detached, so that ctrl-C reaches only this process, which handles it.
    detached: true,
    stdio,
    windowsHide: true,
  });
}

function supervised(supervisor: ChildProcess, launch: Launch, graceMs: number): StartedServer {
  const send = (order: ToSupervisor): void => {
    // A supervisor that has ended has nothing left to do.
    if (supervisor.connected) supervisor.send(order, () => undefined);
  };
  let started: StartedProcesses | null = null;
  let isStopping = false;
  let output = '';
  let noteEnd: (end: CommandEnd) => void = () => undefined;
  const ended = new Promise<CommandEnd>((resolve) => {
    noteEnd = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    const lost = async (reason: string): Promise<void> => {
      if (started !== null) await createProcessEnder(started).end(graceMs);
      if (!isStopping) noteEnd({ exit: reason, output });
      resolve();
    };
    supervisor.once('error', (error) => void lost(`it could not be started: ${error.message}`));
    supervisor.once('exit', async () => {
      // Its last message may still be in transit.
      if (supervisor.connected) await once(supervisor, 'disconnect');
      await lost('its supervisor process was ended');
    });
  });
  supervisor.on('message', (message: FromSupervisor) => {
    if (message.kind === 'started') {
      const { groupId, mark, since } = message;
      started = { groupId, mark, since };
    } else if (message.kind === 'not-started')
      noteEnd({ exit: `it could not be started: ${message.reason}`, output });
    else {
      ({ output } = message);
      if (message.kind === 'stopped' || message.isOver) started = null;
      if (message.exit !== null) noteEnd({ exit: message.exit, output });
    }
  });
  send({ kind: 'start', ...launch, graceMs });
  return {
    ended,
    stop: async () => {
      isStopping = true;
      send({ kind: 'stop' });
      await gone;
      return output;
    },
  };
}
