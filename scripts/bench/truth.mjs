// Whether the engine measures the actual times of the server, which its log contains.
import { prepareLoads } from './load.mjs';
import { startDelayServer } from './servers.mjs';
import { judged, median, ms, note, percentile } from './sheet.mjs';
import { stallWaitsMs } from './stall-waits.mjs';

const RATE_PER_SECOND = 1000;

/**
 * There are enough connections for every request, because the log does not show waits of the client. Only the stall has
 * few: 2 ms at 1000/s keep two of ten busy, and a stall keeps all ten busy, so that requests wait in the client. The
 * engine must measure these waits too.
 */
const CASES = [
  { delay: 'fixed:5', connections: 10, durationMs: 10_000, judge: ['p50', 'p90', 'p99'] },
  // One in a hundred is slow, so the 99th percentile may be either value.
  { delay: 'bimodal:2:50:0.01', connections: 20, durationMs: 10_000, judge: ['p50', 'p90'] },
  { delay: 'lognormal:5:0.5', connections: 30, durationMs: 10_000, judge: ['p50', 'p90', 'p99'] },
  // Whole periods. The 90th percentile is that of requests that wait while ten connections catch up, which shows
  // capacity.
  { delay: 'stall:2:500:5000', connections: 10, durationMs: 20_000, judge: ['p50', 'p99'] },
];
const PERCENTS = { p50: 50, p90: 90, p99: 99 };

/** The larger of a fixed time and a share of the true time. */
function boundMs(name, isStall, trueMs) {
  if (name !== 'p99') return Math.max(0.1, 0.02 * trueMs);
  return isStall ? 0.02 * trueMs : Math.max(0.15, 0.03 * trueMs);
}

export async function truth(runs = 3) {
  console.log(
    `truth: open loop, ${RATE_PER_SECOND}/s, constant; measured and true, medians of ${runs} interleaved runs`,
  );
  const server = await startDelayServer(CASES.map(({ delay }) => delay));
  const loads = await prepareLoads(CASES.map(({ delay }) => server.urls[delay]));
  const results = CASES.map(() => []);
  const order = ({ connections, durationMs }) => ({
    model: {
      kind: 'open',
      ratePerSecond: RATE_PER_SECOND,
      arrivals: 'constant',
      maxConnections: connections,
    },
    durationMs,
    // A warm-up would be in the server's log too; instead, one load runs before all others.
    warmUpMs: 0,
  });
  await loads.run(server.urls['fixed:5'], order({ connections: 10, durationMs: 2000 }));
  for (let run = 0; run < runs; run += 1) {
    for (const [index, one] of CASES.entries()) {
      await server.reset();
      const figures = await loads.run(server.urls[one.delay], order(one));
      const log = await server.log();
      if (log.tookMs.length !== figures.count)
        throw new Error(`${figures.count} requests were counted, and ${log.tookMs.length} arrived`);
      const isStall = one.delay.startsWith('stall');
      const trueMs = isStall ? stallWaitsMs(log, one, RATE_PER_SECOND) : log.tookMs;
      results[index].push({ figures, trueMs, longestGapMs: log.longestGapMs });
    }
  }
  await loads.close();
  await server.close();
  for (const [index, one] of CASES.entries()) printCase(one, results[index]);
}

function printCase({ delay, judge }, runs) {
  for (const [name, percent] of Object.entries(PERCENTS)) {
    const measuredMs = median(runs.map(({ figures }) => figures[`${name}Ms`]));
    const truthMs = median(runs.map(({ trueMs }) => percentile(trueMs, percent)));
    const apartMs = median(
      runs.map(({ figures, trueMs }) => figures[`${name}Ms`] - percentile(trueMs, percent)),
    );
    const text = `${ms(measuredMs)}, true ${ms(truthMs)}, apart ${ms(apartMs)}`;
    const maxMs = boundMs(name, delay.startsWith('stall'), truthMs);
    if (judge.includes(name)) judged(`${delay} ${name}`, text, Math.abs(apartMs) <= maxMs, ms(maxMs));
    else note(`${delay} ${name}`, `${text}  not judged`);
  }
  const gapMs = median(runs.map(({ longestGapMs }) => longestGapMs));
  if (gapMs > 5) note('', `the server itself was delayed by ${ms(gapMs)}, which its log does not show`);
  const doubts = new Set(runs.flatMap(({ figures }) => figures.doubts));
  for (const doubt of doubts) note('', `unreliable: ${doubt}`);
}
