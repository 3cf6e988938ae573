import { readFileSync } from 'node:fs';
import type { ThreadTime } from '../latency/client-monitor.ts';

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

/** Of the calling thread, as the scheduler of Linux counts it; null on other systems. */
export function threadTime(): ThreadTime | null {
  try {
    const [ranNs, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    if (ranNs === undefined || waitedNs === undefined) return null;
    return { ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 };
  } catch {
    return null;
  }
}
