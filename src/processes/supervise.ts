import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../suite/product-files.ts';
import type { StartedProcesses } from './end-processes.ts';

type Supervised = StartedProcesses & { readonly groupId: number };

/** Ends the processes of a command if this process, or its thread, ends before it has done so. */
export interface Supervisor {
  /** Resolves with the reason if it ends while it is still needed. */
  readonly lost: Promise<string>;
  /** Call it as soon as the command has been started, and when others of its processes are known. */
  watch(started: Supervised): void;
  /** No process of the command is left. Waits for the end of the supervisor. */
  release(): Promise<void>;
}

const SHELL = '/bin/sh';
/** One of them suffices to recognise the group, and the arguments of a program are limited. */
const MAX_KNOWN = 1000;
/**
 * Reads what is known of the command until it is over or this process ends; a line that was cut off does not count. A
 * shell waits in a hundredth of the processor time that Node.js takes to start (measured: 1 ms and 107 ms). If Node.js
 * cannot start, because the command uses up the processes that the system allows, the shell kills the group, for which
 * it needs no process, and then starts it again. A shell that cannot start a process ends, therefore the trap.
 */
const WAIT = `
known=
while read -r line; do
  [ "$line" = over ] && exit 0
  known=$line
done
kill_group() {
  group=$1 since=$2 stat=
  read -r stat < "/proc/$group/stat"
  # The name in parentheses may itself contain parentheses and spaces.
  set -- \${stat##*) }
  # Without that many fields, some shells would end here.
  [ "$#" -gt 19 ] || return
  shift 19
  [ -n "$since" ] && [ "$1" = "$since" ] && kill -s KILL -- "-$group"
}
trap 'trap - EXIT; kill_group $known; exec "$0" "$@" $known' EXIT
"$0" "$@" $known && trap - EXIT`;

export function startSupervisor(mark: string, graceMs: number): Supervisor {
  const program = path.join(packageRoot(), 'dist', 'supervisor.js');
  const [command, ...parameters] = existsSync(SHELL)
    ? [SHELL, '-c', WAIT, process.execPath, program, 'end']
    : [process.execPath, program, 'wait'];
  const { supervisor, ended } = spawned(command as string, [...parameters, String(graceMs), mark]);
  // It has no streams if no file could be opened for them.
  const stdin = supervisor?.stdin;
  // Without a listener, writing to a supervisor that has ended would end this process.
  stdin?.on('error', () => undefined);
  let isNeeded = true;
  return {
    lost: new Promise((resolve) => {
      void ended.then((reason) => isNeeded && resolve(reason));
    }),
    watch: (started) => stdin?.write(`${wordsOf(started).join(' ')}\n`),
    release: async () => {
      if (isNeeded) stdin?.end('over\n');
      isNeeded = false;
      await ended;
    },
  };
}

/** `1234 567 1235:568`: the group, the time of its start, and processes that are known, which supervisor.ts reads. */
function wordsOf({ groupId, since, known = new Map() }: Supervised): readonly (string | number)[] {
  if (since === null) return [groupId];
  return [groupId, since, ...[...known].slice(0, MAX_KNOWN).map(([id, from]) => `${id}:${from}`)];
}

interface Spawned {
  /** Null if the system refused to start it. */
  readonly supervisor: ChildProcess | null;
  /** Why it ended, or was not started. */
  readonly ended: Promise<string>;
}

function spawned(command: string, parameters: readonly string[]): Spawned {
  try {
    const supervisor = spawn(command, parameters, {
      // Detached, so that ctrl-C reaches only this process, which handles it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
    });
    return { supervisor, ended: endOf(supervisor) };
  } catch (error) {
    return { supervisor: null, ended: Promise.resolve(notStarted(error)) };
  }
}

async function endOf(supervisor: ChildProcess): Promise<string> {
  try {
    await once(supervisor, 'exit');
    return 'its supervisor process was ended';
  } catch (error) {
    return notStarted(error);
  }
}

function notStarted(error: unknown): string {
  return `its supervisor process could not be started: ${(error as Error).message}`;
}
