import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { packageRoot } from '../../suite/product-files.ts';
import { createProcessEnder } from './end-processes.ts';
import type { FromSupervisor, StartedProcesses, ToSupervisor } from './supervisor-messages.ts';

/** How a command ended that nobody stopped, and the last that it printed. */
export interface CommandEnd {
  readonly exit: string;
  readonly output: string;
}

/** A server that was started for a check. */
export interface StartedServer {
  /** Resolves when its command ends by itself, and never when it is stopped. */
  readonly ended: Promise<CommandEnd>;
  /** Ends all of its processes and waits until they are gone. Returns the last that they printed. */
  stop(): Promise<string>;
}

const GRACE_MS = 5000;

/**
 * Starts a command by a shell, under a supervisor that ends all of its processes as soon as this process is gone, however
 * it goes.
 */
export function startServer(command: string, graceMs = GRACE_MS): StartedServer {
  const supervisor = spawn(process.execPath, [path.join(packageRoot(), 'dist', 'supervisor.js')], {
    // Out of reach of a ctrl-C at the terminal, which is for this process to act upon.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  });
  const tell = (order: ToSupervisor): void => {
    // One that is gone already has nothing to do any more.
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
      // What it said last may still be on its way.
      if (supervisor.connected) await once(supervisor, 'disconnect');
      await lost('the process that watches over it was ended');
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
  tell({ kind: 'start', command, graceMs });
  return {
    ended,
    stop: async () => {
      isStopping = true;
      tell({ kind: 'stop' });
      await gone;
      return output;
    },
  };
}
