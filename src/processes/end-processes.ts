import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processStatus, startedAt } from './process-status.ts';

const FIRST_POLL_MS = 10;
const MAX_POLL_MS = 100;
/** A killed process ends at once, unless the system blocks it or we have no permission. */
const MAX_KILLS = 50;

/** How to recognise the processes of a started command. */
export interface StartedProcesses {
  /** Its process group; on Windows the process itself; null if it is not known to have been started. */
  readonly groupId: number | null;
  /** In the environment of all of them, even those that left the group. */
  readonly mark: string;
  /** When the first of them was started; null if the system does not report it. */
  readonly since: string | null;
  /** Those that were seen, and when they were started: the evidence that is left when the first one has ended. */
  readonly known?: KnownProcesses;
}

/** Start times by process id. */
export type KnownProcesses = ReadonlyMap<number, string>;

export interface ProcessEnder {
  /** Whether any process is left when the command itself has just ended. */
  hasLeftAny(): boolean;
  /** Sends SIGTERM to all, and SIGKILL to those left after the grace period. */
  end(graceMs: number): Promise<void>;
}

/** Calls `onSeen`, before it signals them, with the processes that it finds, if these are not the same as before. */
export function createProcessEnder(
  started: StartedProcesses,
  onSeen: (known: KnownProcesses) => void = () => undefined,
): ProcessEnder {
  const { groupId } = started;
  if (process.platform === 'win32') return { hasLeftAny: () => false, end: () => endTree(groupId) };
  const watch = existsSync('/proc/self/environ') ? watchProcesses(started, onSeen) : watchGroup(groupId);
  const signalAll = (signal: NodeJS.Signals): void => {
    const { ids, hasGroup } = watch.look();
    // Signal the whole group at once, so that no process starts another in between.
    if (hasGroup && groupId !== null) send(-groupId, signal);
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
function watchGroup(groupId: number | null): ProcessWatch {
  return { look: () => ({ ids: [], hasGroup: groupId !== null && send(-groupId, 0) }) };
}

function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}

async function endTree(processId: number | null): Promise<void> {
  if (processId === null) return;
  const ending = spawn('taskkill', ['/pid', String(processId), '/T', '/F'], { stdio: 'ignore' });
  await once(ending, 'exit').catch(() => undefined);
}

/** The processes of a command at one moment. */
interface OwnProcesses {
  readonly ids: readonly number[];
  /** Whether the group is not empty and still belongs to the command. */
  readonly hasGroup: boolean;
}

interface ProcessWatch {
  /** `isGroupCertain`: the group was the command's a moment ago, so its id cannot have been reused yet. */
  look(isGroupCertain?: boolean): OwnProcesses;
}

/**
 * Finds the processes of a command in /proc. When the group is empty, the system may reuse its id for another group,
 * so members count only with evidence that the group is still the started one.
 */
export function watchProcesses(
  { groupId, mark, since, known: seenBefore = new Map() }: StartedProcesses,
  onSeen: (known: KnownProcesses) => void = () => undefined,
): ProcessWatch {
  let known = seenBefore;
  return {
    look: (isGroupCertain = false) => {
      const running = runningProcesses();
      // Looking at the environment of every process of the machine takes longer than all the rest.
      const isOlder = (one: Running): boolean => since !== null && Number(one.since) < Number(since);
      const isKnown = (one: Running): boolean =>
        known.get(one.id) === one.since || (!isOlder(one) && isMarked(one.id, mark));
      const members = running.filter(({ group }) => group === groupId);
      // The system does not reuse the id of a group that still exists.
      const isOwnGroup =
        isGroupCertain ||
        (groupId !== null && since !== null && startedAt(groupId) === since) ||
        members.some(isKnown);
      const own = running.filter((one) => (isOwnGroup && one.group === groupId) || isKnown(one));
      const isSame = own.length === known.size && own.every((one) => known.get(one.id) === one.since);
      known = new Map(own.map(({ id, since: from }) => [id, from]));
      if (!isSame) onSeen(known);
      return { ids: own.map(({ id }) => id), hasGroup: isOwnGroup && members.length > 0 };
    },
  };
}

interface Running {
  readonly id: number;
  readonly group: number;
  readonly since: string;
}

function runningProcesses(): readonly Running[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => id !== process.pid)
    .flatMap((id) => {
      const status = processStatus(id);
      // A zombie has ended; its parent has not collected its status yet.
      return status === null || status.state === 'Z' || status.state === 'X' ? [] : [{ id, ...status }];
    });
}

function isMarked(id: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${id}/environ`).includes(mark);
  } catch {
    // The process ended meanwhile, or belongs to another user.
    return false;
  }
}
