import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessWatch, watchProcesses } from './own-processes.ts';
import type { StartedProcesses } from './supervisor-messages.ts';

const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 100;
/** A process that was killed is gone at once, unless the system holds it or it is not ours to kill. */
const MAX_KILLS = 50;

/** The processes of a command, to be looked for and ended. */
export interface ProcessEnder {
  /** Whether any is left at the moment at which the command itself has ended. */
  hasLeftAny(): boolean;
  /** Asks all to end, and ends those that have not done so when the grace is over. */
  end(graceMs: number): Promise<void>;
}

export function createProcessEnder(started: StartedProcesses): ProcessEnder {
  if (process.platform === 'win32') return { hasLeftAny: () => false, end: () => endTree(started.groupId) };
  const watch = existsSync('/proc/self/environ') ? watchProcesses(started) : watchGroup(started.groupId);
  const signalAll = (signal: NodeJS.Signals): void => {
    const { ids, hasGroup } = watch.look();
    // The group at once, so that none of its processes starts another in between.
    if (hasGroup) send(-started.groupId, signal);
    for (const id of ids) send(id, signal);
  };
  const isAnyLeft = (isGroupCertain = false): boolean => {
    const { ids, hasGroup } = watch.look(isGroupCertain);
    return hasGroup || ids.length > 0;
  };
  return {
    hasLeftAny: () => isAnyLeft(true),
    end: async (graceMs) => {
      signalAll('SIGTERM');
      const endsAtMs = performance.now() + graceMs;
      let lookMs = FIRST_LOOK_MS;
      while (isAnyLeft() && performance.now() < endsAtMs) {
        await delay(Math.min(lookMs, Math.max(0, endsAtMs - performance.now())));
        lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 2);
      }
      for (let kills = 0; kills < MAX_KILLS && isAnyLeft(); kills += 1) {
        signalAll('SIGKILL');
        await delay(FIRST_LOOK_MS);
      }
    },
  };
}

/** All that can be known where the system does not list processes. */
function watchGroup(groupId: number): ProcessWatch {
  return { look: () => ({ ids: [], hasGroup: send(-groupId, 0) }) };
}

function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}

async function endTree(processId: number): Promise<void> {
  const ending = spawn('taskkill', ['/pid', String(processId), '/T', '/F'], { stdio: 'ignore' });
  await once(ending, 'exit').catch(() => undefined);
}
