import { readFileSync } from 'node:fs';
import type { ThreadTime } from '../../latency/reliability.ts';

/** The times of the calling thread from the scheduler of Linux; null on other systems. */
export function threadTime(): ThreadTime | null {
  try {
    const [ranNs, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    if (ranNs === undefined || waitedNs === undefined) return null;
    return { ranMs: ranNs / 1e6, waitedMs: waitedNs / 1e6 };
  } catch {
    return null;
  }
}
