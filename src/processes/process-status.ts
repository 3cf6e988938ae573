import { readFileSync } from 'node:fs';

/** The start time of a process, which distinguishes it from a later process with the same id; null if unknown. */
export function startedAt(id: number): string | null {
  return processStatus(id)?.since ?? null;
}

export interface ProcessStatus {
  readonly state: string;
  readonly group: number;
  readonly since: string;
}

const STATE = 0;
const GROUP = 2;
const START_TIME = 19;

/** The status of a running process; null if it does not run, or if the system has no /proc. */
export function processStatus(id: number): ProcessStatus | null {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The name in parentheses may itself contain parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[STATE] ?? '', group: Number(fields[GROUP]), since: fields[START_TIME] ?? '' };
  } catch {
    // The process has ended, or the system has no /proc.
    return null;
  }
}
