import { readFileSync } from 'node:fs';

/** When a process was started, which tells it apart from a later one of its id; null where the system does not say. */
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

/** Of a process that runs; null when it does not, or where the system tells nothing of processes. */
export function processStatus(id: number): ProcessStatus | null {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    // The name in parentheses may hold anything, parentheses and spaces included.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[STATE] ?? '', group: Number(fields[GROUP]), since: fields[START_TIME] ?? '' };
  } catch {
    // It ended meanwhile, or the system tells nothing of processes.
    return null;
  }
}
