// Whether the engine measures the actual times of the server, which its log contains.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HERE, named } from './builds.mjs';
import { endProcess, forkScript, startProcess } from './children.mjs';
import { stallWaitsMs } from './delays.mjs';
import { trueMsOf } from './server-times.mjs';
import { startDelayServer } from './servers.mjs';
import { judged, median, ms, note, percentile } from './sheet.mjs';

const HOG = fileURLToPath(import.meta.resolve('./cpu-hog.mjs'));
const LOADS = fileURLToPath(import.meta.resolve('./logged-loads.mjs'));
const LOG_WRITES = import.meta.resolve('./log-writes.mjs');
/** It is ended before. */
const HOG_MS = 24 * 3600 * 1000;
const RATE_PER_SECOND = 1000;
/** At most. Both processes compile their code meanwhile, which takes the cores from each other. */
const WARM_UP_MS = 3000;

/**
 * There are enough connections for every request, also after 20 ms in which the server had no core, because the log does
 * not show waits of the client. Only the stall has few: 2 ms at 1000/s keep two of ten busy, and a stall keeps all ten
 * busy, so that requests wait in the client. The engine must measure these waits too.
 */
const CASES = [
  { delay: 'fixed:5', connections: 40, durationMs: 10_000, judge: ['p50', 'p90', 'p99'] },
  // One in a hundred is slow, so the 99th percentile may be either value.
  { delay: 'bimodal:2:50:0.01', connections: 60, durationMs: 10_000, judge: ['p50', 'p90'] },
  { delay: 'lognormal:5:0.5', connections: 60, durationMs: 10_000, judge: ['p50', 'p90', 'p99'] },
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

export async function truth(runs = 5, builds = [HERE]) {
  console.log(
    `truth: open loop, ${RATE_PER_SECOND}/s, constant; each of ${runs} runs against the server's log`,
  );
  await series('on this machine as it is', runs, builds);
  const hog = startProcess(process.execPath, [HOG, String(HOG_MS)]);
  await series('beside a busy loop', runs, builds);
  await endProcess(hog);
}

async function series(title, runs, builds) {
  console.log(`  ${title}`);
  const server = await startDelayServer(CASES.map(({ delay }) => delay));
  const urls = CASES.map(({ delay }) => server.urls[delay]);
  const measured = await Promise.all(
    builds.map(async (build) => ({
      build,
      loads: await startLoggedLoads(urls, build),
      results: CASES.map(() => []),
    })),
  );
  const order = ({ connections, durationMs }) => ({
    model: {
      kind: 'open',
      ratePerSecond: RATE_PER_SECOND,
      arrivals: 'constant',
      maxConnections: connections,
    },
    durationMs,
    warmUpMs: WARM_UP_MS,
  });
  for (let turn = 0; turn < runs * builds.length; turn += 1) {
    const { loads, results } = measured[turn % builds.length];
    for (const [index, one] of CASES.entries()) {
      await server.reset();
      const { figures, writes } = await loads.run(server.urls[one.delay], order(one));
      const log = await server.log();
      if (log.arrivedMs.length !== writes.beganMs.length)
        throw new Error(`${writes.beganMs.length} requests were sent, and ${log.arrivedMs.length} arrived`);
      const isStall = one.delay.startsWith('stall');
      const trueMs = isStall ? stallWaitsMs(log, one, RATE_PER_SECOND) : trueMsOf(log, writes);
      // Those before were the warm-up.
      const measuredMs = trueMs.slice(-figures.count);
      results[index].push({ figures, trueMs: measuredMs, longestGapMs: log.longestGapMs });
    }
  }
  for (const { loads } of measured) await loads.close();
  await server.close();
  for (const [index, one] of CASES.entries())
    for (const { build, results } of measured) printCase(one, results[index], build);
}

async function startLoggedLoads(urls, build) {
  const child = forkScript(LOADS, [JSON.stringify({ urls, build })], { execArgv: ['--import', LOG_WRITES] });
  await once(child, 'message');
  return {
    run: async (url, order) => {
      child.send({ url, order });
      const [measured] = await once(child, 'message');
      return measured;
    },
    close: () => endProcess(child),
  };
}

/** Every run must be within the bounds, or marked unreliable by the engine. */
function printCase({ delay, judge }, runs, build) {
  for (const [name, percent] of Object.entries(PERCENTS)) {
    const compared = runs.map(({ figures, trueMs }) => {
      const truthMs = percentile(trueMs, percent);
      const apartMs = figures[`${name}Ms`] - truthMs;
      const isWithin = Math.abs(apartMs) <= boundMs(name, delay.startsWith('stall'), truthMs);
      return { truthMs, apartMs, isWithin, isMarked: figures.doubts.length > 0 };
    });
    const truthMs = median(compared.map((one) => one.truthMs));
    const marked = compared.filter(({ isWithin, isMarked }) => !isWithin && isMarked).length;
    const within = compared.filter(({ isWithin }) => isWithin).length;
    const aparts = compared.map(({ apartMs }) => apartMs.toFixed(3)).join(' ');
    const text = `true ${ms(truthMs)}, apart ${aparts} ms; ${within} within, ${marked} unreliable`;
    const maxMs = boundMs(name, delay.startsWith('stall'), truthMs);
    const title = named(`${delay} ${name}`, build);
    if (build !== HERE) note(`${title} ${name}`, text);
    else if (judge.includes(name)) judged(title, text, within + marked === runs.length, ms(maxMs));
    else note(title, `${text}  not judged`);
  }
  const gapMs = median(runs.map(({ longestGapMs }) => longestGapMs));
  if (gapMs > 5) note('', `the server had no core for up to ${ms(gapMs)}`);
  const doubts = new Set(runs.flatMap(({ figures }) => figures.doubts.map(withoutFigures)));
  for (const doubt of doubts) note('', `unreliable: ${doubt}`);
}

/** The same doubt of several runs is one line. */
function withoutFigures(doubt) {
  return doubt.replaceAll(/[0-9.]+ (?=ms|%)/g, '… ');
}
