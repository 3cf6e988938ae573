import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ClientFigures, LoadModel } from '../model/load.ts';

const LATENESS_FLOOR_MS = 2;
const LATENESS_SHARE = 0.1;
const MAX_LOOP_DELAY_MS = 5;
export const MIN_ACHIEVED = 0.99;
const MAX_WAITING = 0.1;

/** Why the figures of a load are unreliable: the client was late, held up or short of CPU. Empty if they are reliable. Pure. */
export function unreliableBecause(
  model: LoadModel,
  client: ClientFigures,
  p50Ms: number | null,
): readonly string[] {
  const doubts: string[] = [];
  const { latenessMs, loopDelayP99Ms, achievedShare, waitedForConnection, waitedForCpu } = client;
  const maxLateMs = Math.max(LATENESS_FLOOR_MS, LATENESS_SHARE * (p50Ms ?? 0));
  if (latenessMs !== null && latenessMs.p99Ms > maxLateMs)
    doubts.push(
      `one in a hundred requests was sent more than ${ms(latenessMs.p99Ms)} late (limit: ${ms(maxLateMs)})`,
    );
  if (loopDelayP99Ms > MAX_LOOP_DELAY_MS)
    doubts.push(
      `the client itself was held up for ${ms(loopDelayP99Ms)} at the 99th percentile (limit: ${ms(MAX_LOOP_DELAY_MS)})`,
    );
  if (model.kind === 'open' && achievedShare !== null && achievedShare < MIN_ACHIEVED) {
    const sent = `only ${percent(achievedShare)} of the requests that were due could be sent in time (minimum: ${percent(MIN_ACHIEVED)})`;
    const isBusy = (waitedForConnection ?? 0) > 1 - MIN_ACHIEVED;
    doubts.push(
      isBusy
        ? `${sent}: the target kept all ${model.maxConnections} connections busy, so the figures depend on the duration of the load; lower the rate, or allow more connections`
        : sent,
    );
  }
  if (waitedForCpu !== null && waitedForCpu > MAX_WAITING)
    doubts.push(
      `the client waited ${percent(waitedForCpu)} of the time for a CPU (limit: ${percent(MAX_WAITING)})`,
    );
  return doubts;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** The time that a thread ran, and that it waited for a CPU, in milliseconds since its start. */
export interface ThreadTime {
  readonly ranMs: number;
  readonly waitedMs: number;
}

const RESOLUTION_MS = 2;

/** Measures whether the calling thread is held up. */
export function startClientMonitor(threadTime: () => ThreadTime | null) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const startedMs = performance.now();
  const startUtilisation = performance.eventLoopUtilization();
  const startTime = threadTime();
  const startCpu = process.cpuUsage();
  return {
    stop: (requests: number) => {
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
