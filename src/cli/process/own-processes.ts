import { readdirSync, readFileSync } from 'node:fs';
import { processStatus, startedAt } from '../../run/process-status.ts';

import type { StartedProcesses } from './supervisor-messages.ts';

/** The processes of a command at one moment. */
export interface OwnProcesses {
  readonly ids: readonly number[];
  /** Whether its group is still its own and not empty. */
  readonly hasGroup: boolean;
}

export interface ProcessWatch {
  /** `isGroupCertain`: the group was its own a moment ago, so that nobody else can have its id yet. */
  look(isGroupCertain?: boolean): OwnProcesses;
}

/**
 * Finds the processes of a command in /proc. Once all of its group are gone, the system may give the id to a group of
 * somebody else: members count only while something shows that it is still the one that was started.
 */
export function watchProcesses({ groupId, mark, since }: StartedProcesses): ProcessWatch {
  let known: ReadonlyMap<number, string> = new Map();
  return {
    look: (isGroupCertain = false) => {
      const running = runningProcesses();
      const isKnown = (one: Running): boolean => known.get(one.id) === one.since || isMarked(one.id, mark);
      const members = running.filter(({ group }) => group === groupId);
      // An id that a group still uses is given to nobody.
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
      // One that ended and that nobody has asked about runs no more.
      return status === null || status.state === 'Z' || status.state === 'X' ? [] : [{ id, ...status }];
    });
}

function isMarked(id: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${id}/environ`).includes(mark);
  } catch {
    // It ended meanwhile, or belongs to somebody else.
    return false;
  }
}
