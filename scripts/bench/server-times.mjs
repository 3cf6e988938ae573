/** The time of each request in the server's log, from when it had the request until its answer left. */
export function tookMsOf({ arrivedMs, answeredMs }) {
  return answeredMs.map((atMs, index) => atMs - arrivedMs[index]);
}

/**
 * The time of each request, from the arrival of its bytes. While another process has the server's core, bytes wait for
 * the server without a line in its log; they came when the client wrote them, if that was in this time.
 */
export function trueMsOf({ arrivedMs, notBeforeMs, answeredMs, clockMs }, writes) {
  return answeredMs.map((atMs, index) => {
    const leftMs = leftMsOf(writes, index) + writes.clockMs - clockMs;
    return atMs - Math.min(arrivedMs[index], Math.max(notBeforeMs[index], leftMs));
  });
}

/** A write that takes so long was interrupted, perhaps before its bytes left. */
export const LONG_WRITE_MS = 0.1;

function leftMsOf({ beganMs, endedMs }, index) {
  return endedMs[index] - beganMs[index] > LONG_WRITE_MS ? endedMs[index] : beganMs[index];
}
