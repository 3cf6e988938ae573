import { readdirSync, readFileSync } from 'node:fs';
import { processStatus, startedAt } from './process-status.ts';
import type { StartedProcesses } from './supervisor-messages.ts';

/** The processes of a command at one moment. */
export interface OwnProcesses {
  readonly ids: readonly number[];
  /** Whether the group is not empty and still belongs to the command. */
  readonly hasGroup: boolean;
}

export interface ProcessWatch {
  /** `isGroupCertain`: the group was the command's a moment ago, so its id cannot have been reused yet. */
  look(isGroupCertain?: boolean): OwnProcesses;
}

/**
 * Finds the processes of a command in /proc. When the group is empty, the system may reuse its id for another group,
 * so members count only with evidence that the group is still the started one.
 */
export function watchProcesses({ groupId, mark, since }: StartedProcesses): ProcessWatch {
  let known: ReadonlyMap<number, string> = new Map();
  return {
    look: (isGroupCertain = false) => {
      const running = runningProcesses();
      const isKnown = (one: Running): boolean => known.get(one.id) === one.since || isMarked(one.id, mark);
      const members = running.filter(({ group }) => group === groupId);
      // The system does not reuse the id of a group that still exists.
      const isOwnGroup =
        isGroupCertain || (since !== null && startedAt(groupId) === since) || members.some(isKnown);
      const own = running.filter((one) => (isOwnGroup && one.group === groupId) || isKnown(one));
      known = new Map(own.map(({ id, since: from }) => [id, from]));
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
