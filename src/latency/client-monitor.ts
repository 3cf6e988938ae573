import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ClientFigures } from '../model/load.ts';

/** The time that a thread ran, and that it waited for a CPU, in milliseconds since its start. */
export interface ThreadTime {
  readonly ranMs: number;
  readonly waitedMs: number;
}

export interface ClientMonitor {
  stop(
    requests: number,
  ): Pick<ClientFigures, 'loopDelayP99Ms' | 'loopUtilisation' | 'waitedForCpu' | 'cpuMicrosecondsPerRequest'>;
}

const RESOLUTION_MS = 2;

/** Measures whether the calling thread is held up. */
export function startClientMonitor(threadTime: () => ThreadTime | null): ClientMonitor {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const startedMs = performance.now();
  const startUtilisation = performance.eventLoopUtilization();
  const startTime = threadTime();
  const startCpu = process.cpuUsage();
  return {
    stop: (requests) => {
      delays.disable();
      const wallMs = performance.now() - startedMs;
      const time = threadTime();
      const cpu = process.cpuUsage(startCpu);
      const ranMs =
        time === null || startTime === null ? (cpu.user + cpu.system) / 1000 : time.ranMs - startTime.ranMs;
      return {
        // The monitor measures the time between two of its timers, which includes the resolution.
        loopDelayP99Ms: Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS),
        loopUtilisation: performance.eventLoopUtilization(startUtilisation).utilization,
        waitedForCpu:
          time === null || startTime === null ? null : (time.waitedMs - startTime.waitedMs) / wallMs,
        cpuMicrosecondsPerRequest: requests === 0 ? 0 : (ranMs * 1000) / requests,
      };
    },
  };
}
