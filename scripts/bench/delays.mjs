// Known delays, each named by a word and numbers: `fixed:5`, `bimodal:2:50:0.01`, `lognormal:5:0.5`,
// `stall:2:500:5000`, and `none`.

/** In a period, the stall comes late enough for a steady load, and early enough to catch up. */
const STALL_AT_SHARE = 0.4;

/**
 * Returns when an answer is due to a request that arrived at `arrivedMs`, where `epochMs` is when the run began; null
 * for a server that answers at once.
 */
export function createDelay(name, random) {
  const [kind, ...numbers] = name.split(':');
  const [first, second, third] = numbers.map(Number);
  switch (kind) {
    case 'none':
      return null;
    case 'fixed':
      return (arrivedMs) => arrivedMs + first;
    case 'bimodal':
      return (arrivedMs) => arrivedMs + (random() < third ? second : first);
    case 'lognormal':
      return (arrivedMs) => arrivedMs + first * Math.exp(second * normal(random));
    case 'stall':
      return (arrivedMs, epochMs) => epochMs + afterStall(arrivedMs - epochMs + first, second, third);
    default:
      throw new Error(`unknown delay ${name}`);
  }
}

/** Answers that are due during a stall are sent at its end. All times count from the epoch. */
function afterStall(dueMs, stallMs, periodMs) {
  const [fromMs, toMs] = stallWindow(Math.floor(dueMs / periodMs), stallMs, periodMs);
  return dueMs >= fromMs && dueMs < toMs ? toMs : dueMs;
}

function stallWindow(index, stallMs, periodMs) {
  const fromMs = (index + STALL_AT_SHARE) * periodMs;
  return [fromMs, fromMs + stallMs];
}

/** The Box-Muller transform. */
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

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
