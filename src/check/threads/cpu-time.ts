import { performance } from 'node:perf_hooks';

/**
 * Node.js does not know the CPU time of a thread. It is at most the time in which the thread did not wait for events, which
 * is longer on a busy machine, and at most the CPU time of the process.
 */
export interface CpuTime {
  readonly activeMs: number;
  readonly processMs: number;
}

export function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage();
  return { activeMs: performance.eventLoopUtilization().active, processMs: (user + system) / 1000 };
}

export function cpuMsBetween(since: CpuTime, until: CpuTime): number {
  return Math.min(until.activeMs - since.activeMs, until.processMs - since.processMs);
}
