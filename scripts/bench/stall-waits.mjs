import { afterStall } from './delays.mjs';

/**
 * What each request that was due had to wait, where a server stalls and connections are few: from its due time, first
 * come first served, to the answer. It rests on the schedule and on when the server stalled, and on nothing that the
 * engine measured: the log only tells when the schedule began, for no request arrives before it is due.
 */
export function stallWaitsMs({ arrivedMs, epochMs }, { delay, connections }, ratePerSecond) {
  const [answerMs, stallMs, periodMs] = delay.split(':').slice(1).map(Number);
  const gapMs = 1000 / ratePerSecond;
  const beginMs =
    arrivedMs.reduce((least, atMs, index) => Math.min(least, atMs - index * gapMs), Infinity) - epochMs;
  const freeAtMs = new Float64Array(connections).fill(-Infinity);
  return arrivedMs.map((_atMs, index) => {
    const dueMs = beginMs + index * gapMs;
    // Answers come in the order of the requests, so whichever connection took one longest ago is free first.
    const lane = index % connections;
    const answeredMs = afterStall(Math.max(dueMs, freeAtMs[lane]) + answerMs, stallMs, periodMs);
    freeAtMs[lane] = answeredMs;
    return answeredMs - dueMs;
  });
}
