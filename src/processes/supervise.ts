import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../suite/product-files.ts';
import type { StartedProcesses } from './end-processes.ts';

/** Ends the processes of a command if this process, or its thread, ends before it has done so. */
export interface Supervisor {
  /** Resolves with the reason if it ends while it is still needed. */
  readonly lost: Promise<string>;
  /** Call it as soon as the command has been started. */
  watch(started: StartedProcesses): void;
  /** No process of the command is left. Waits for the end of the supervisor. */
  release(): Promise<void>;
}

const SHELL = '/bin/sh';
/**
 * Waits for the group of the command, then for its end or for that of this process. A shell waits in a hundredth of the
 * processor time that Node.js takes to start (measured: 1 ms and 107 ms).
 */
const WAIT = 'read -r group since; read -r over && exit 0; exec "$0" "$@" "$group" "$since"';

export function startSupervisor(mark: string, graceMs: number): Supervisor {
  const program = path.join(packageRoot(), 'dist', 'supervisor.js');
  const [command, ...parameters] = existsSync(SHELL)
    ? [SHELL, '-c', WAIT, process.execPath, program, 'end']
    : [process.execPath, program, 'wait'];
  const supervisor = spawn(command as string, [...parameters, String(graceMs), mark], {
    // Detached, so that ctrl-C reaches only this process, which handles it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  const { stdin } = supervisor;
  // Without a listener, writing to a supervisor that has ended would end this process.
  stdin.on('error', () => undefined);
  const ended = endOf(supervisor);
  let isNeeded = true;
  return {
    lost: new Promise((resolve) => {
      void ended.then((reason) => isNeeded && resolve(reason));
    }),
    watch: ({ groupId, since }) => stdin.write(`${groupId} ${since ?? ''}\n`),
    release: async () => {
      if (isNeeded) stdin.end('over\n');
      isNeeded = false;
      await ended;
    },
  };
}

async function endOf(supervisor: ChildProcess): Promise<string> {
  try {
    await once(supervisor, 'exit');
    return 'its supervisor process was ended';
  } catch (error) {
    return `its supervisor process could not be started: ${(error as Error).message}`;
  }
}
