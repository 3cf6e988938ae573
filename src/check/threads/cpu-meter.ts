import { performance } from 'node:perf_hooks';

/**
 * Node.js does not know the CPU time of a thread. It is at most the time in which the thread did not wait for events, which
 * is longer on a busy machine, and at most the CPU time of the process.
 */
interface CpuTime {
  readonly activeMs: number;
  readonly processMs: number;
}

/** The meter of the check whose code runs, or ran last, and the times when that began. */
let running: { readonly meter: CpuMeter; readonly cpu: CpuTime; readonly sinceMs: number } | null = null;

/** Measures the CPU time of one of the checks of a thread. */
export class CpuMeter {
  /** Until it ran last. */
  totalMs = 0;

  /** Called when the code of the check begins to run. */
  begin(): void {
    const cpu = cpuTime();
    if (running !== null) running.meter.totalMs += cpuMsBetween(running.cpu, cpu);
    running = { meter: this, cpu, sinceMs: performance.now() };
  }

  /** Whether the code of the check has run for so long without a pause. */
  ranFor(ms: number): boolean {
    // The monotonic clock takes less time to read.
    if (running?.meter !== this || performance.now() - running.sinceMs <= ms) return false;
    return cpuMsBetween(running.cpu, cpuTime()) > ms;
  }
}

function cpuTime(): CpuTime {
  const { user, system } = process.cpuUsage();
  return { activeMs: performance.eventLoopUtilization().active, processMs: (user + system) / 1000 };
}

function cpuMsBetween(since: CpuTime, until: CpuTime): number {
  return Math.min(until.activeMs - since.activeMs, until.processMs - since.processMs);
}
