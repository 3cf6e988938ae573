import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessWatch, watchProcesses } from './own-processes.ts';
import type { StartedProcesses } from './supervisor-messages.ts';

const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 100;
/** A killed process ends at once, unless the system blocks it or we have no permission. */
const MAX_KILLS = 50;

/** Finds and ends the processes of a command. */
export interface ProcessEnder {
  /** Whether any process is left when the command itself has just ended. */
  hasLeftAny(): boolean;
  /** Sends SIGTERM to all, and SIGKILL to those left after the grace period. */
  end(graceMs: number): Promise<void>;
}

export function createProcessEnder(started: StartedProcesses): ProcessEnder {
  if (process.platform === 'win32') return { hasLeftAny: () => false, end: () => endTree(started.groupId) };
  const watch = existsSync('/proc/self/environ') ? watchProcesses(started) : watchGroup(started.groupId);
  const signalAll = (signal: NodeJS.Signals): void => {
    const { ids, hasGroup } = watch.look();
    // Signal the whole group at once, so that no process starts another in between.
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
      let pollMs = FIRST_POLL_MS;
      while (isAnyLeft() && performance.now() < endsAtMs) {
        await delay(Math.min(pollMs, Math.max(0, endsAtMs - performance.now())));
        pollMs = Math.min(MAX_POLL_MS, pollMs * 2);
      }
      for (let kills = 0; kills < MAX_KILLS && isAnyLeft(); kills += 1) {
        signalAll('SIGKILL');
        await delay(FIRST_POLL_MS);
      }
    },
  };
}

/** Fallback for systems that do not list processes. */
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
