import { afterStall } from './delays.mjs';

/**
 * The wait of each request, from its due time to its answer, if a server stalls and connections are few; requests are
 * served in order. Computed from the schedule and the stalls, not from the engine's measurements: the log only shows
 * when the schedule began, because no request arrives before it is due.
 */
export function stallWaitsMs({ arrivedMs, epochMs }, { delay, connections }, ratePerSecond) {
  const [answerMs, stallMs, periodMs] = delay.split(':').slice(1).map(Number);
  const gapMs = 1000 / ratePerSecond;
  const beginMs =
    arrivedMs.reduce((least, atMs, index) => Math.min(least, atMs - index * gapMs), Infinity) - epochMs;
  const freeAtMs = new Float64Array(connections).fill(-Infinity);
  return arrivedMs.map((_atMs, index) => {
    const dueMs = beginMs + index * gapMs;
    // Answers come in the order of the requests, so the connection with the oldest request is free first.
    const connection = index % connections;
    const answeredMs = afterStall(Math.max(dueMs, freeAtMs[connection]) + answerMs, stallMs, periodMs);
    freeAtMs[connection] = answeredMs;
    return answeredMs - dueMs;
  });
}
