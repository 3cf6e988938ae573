import { percentile } from './sheet.mjs';

/** The time of each request in the server's log, from when it had the request until its answer left. */
export function tookMsOf({ arrivedMs, answeredMs }) {
  return answeredMs.map((atMs, index) => atMs - arrivedMs[index]);
}

/**
 * The time of each request that was sent at a constant rate, from the arrival of its bytes. While another process has
 * the server's core, bytes wait for the server without a line in its log; they came when they were due, if that was in
 * this time.
 */
export function trueMsOf({ arrivedMs, notBeforeMs, answeredMs }, ratePerSecond) {
  const stepMs = 1000 / ratePerSecond;
  const beginMs = percentile(
    arrivedMs.map((atMs, index) => atMs - index * stepMs),
    USUAL_PERCENT,
  );
  return answeredMs.map((atMs, index) => {
    const dueMs = beginMs + index * stepMs;
    return atMs - Math.min(arrivedMs[index], Math.max(notBeforeMs[index], dueMs));
  });
}

/** Most requests come as soon as they are due; a tenth may have come even sooner, by the noise of the clock. */
const USUAL_PERCENT = 10;
