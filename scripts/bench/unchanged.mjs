// How often checks of an unchanged server are said to be slower or worse, by `diff` (and so by --fail-on-slower) and by
// `trend`, and how often a slowdown of 1.5 times is: on this machine as it is, and beside a busy loop on each core. Each
// check has a new server process, as in a CI job.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { checkServer, diffResults } from '../../dist/index.js';
import { endProcess, startProcess } from './children.mjs';
import { judged, median, ms, note } from './sheet.mjs';

const COMMAND = path.resolve('dist/probity.js');
/** Each with its slowdown of 1.5 times. The client's own share of a call is about 0.3 ms. */
const SERVERS = { 'waits 4 ms': ['wait', 4, 6.2], 'works 2 ms': ['work', 2, 3.15] };
const MAX_FALSE = 0.01;
const MIN_FOUND = 0.95;
const RUNS_OF_TREND = 20;

export async function unchanged(runs = 100) {
  await series(`on this machine as it is, ${runs} checks of each server`, runs);
  const hogs = Array.from({ length: availableParallelism() }, () =>
    startProcess(process.execPath, ['scripts/bench/cpu-hog.mjs', String(24 * 3600 * 1000)]),
  );
  await series('beside a busy loop on each core', runs);
  for (const hog of hogs) await endProcess(hog);
}

async function series(title, runs) {
  console.log(`unchanged servers, ${title}`);
  const counts = { pairs: 0, accused: 0, worse: 0, planted: 0, found: 0, comparable: 0 };
  const trends = { all: 0, accused: 0, flaky: 0 };
  const tookMs = [];
  const trendsPlanted = { all: 0, found: 0 };
  for (const [name, [kind, ms, slowMs]] of Object.entries(SERVERS)) {
    const usual = [];
    const slow = [];
    for (let run = 0; run < runs; run += 1) {
      const startMs = performance.now();
      usual.push(await checked(kind, ms));
      tookMs.push(performance.now() - startMs);
      // A quarter of the checks are of a slower server, in the same minutes.
      if (run % 3 === 0) slow.push({ before: usual.at(-1), after: await checked(kind, slowMs) });
    }
    for (const [index, after] of usual.entries()) {
      if (index === 0) continue;
      counts.pairs += 1;
      const { isSlower, isWorse } = diffResults(usual[index - 1], after);
      if (isSlower) counts.accused += 1;
      if (isWorse) counts.worse += 1;
    }
    for (const { before, after } of slow) {
      const { isSlower, latency } = diffResults(before, after);
      counts.planted += 1;
      if (latency.compared > 0) counts.comparable += 1;
      if (isSlower) counts.found += 1;
    }
    for (let start = 0; start + RUNS_OF_TREND <= usual.length; start += RUNS_OF_TREND) {
      const { changed, flaky } = trendOf(usual.slice(start, start + RUNS_OF_TREND));
      trends.all += 1;
      if (changed) trends.accused += 1;
      if (flaky) trends.flaky += 1;
    }
    const half = Math.min(slow.length, RUNS_OF_TREND / 2);
    if (half >= 3) {
      trendsPlanted.all += 1;
      const before = usual.slice(0, half);
      if (trendOf([...before, ...slow.slice(0, half).map(({ after }) => after)]).changed)
        trendsPlanted.found += 1;
    }
    note(name, `${usual.length} checks, ${slow.length} of the slower server`);
  }
  const share = (part, of) => (of === 0 ? 0 : part / of);
  const words = (part, of) => `${part} of ${of}  ${(100 * share(part, of)).toFixed(1)} %`;
  const { pairs, accused, worse, planted, found, comparable } = counts;
  judged('diff: accused', words(accused, pairs), share(accused, pairs) <= MAX_FALSE, 'at most 1 %');
  judged('diff: said to be worse', words(worse, pairs), share(worse, pairs) <= MAX_FALSE, 'at most 1 %');
  judged('diff: 1.5 times found', words(found, planted), share(found, planted) >= MIN_FOUND, 'at least 95 %');
  note('  of those that were compared', words(found, comparable));
  judged(
    'trend: accused',
    words(trends.accused, trends.all),
    share(trends.accused, trends.all) <= MAX_FALSE,
    'at most 1 %',
  );
  judged(
    'trend: with flaky requirements',
    words(trends.flaky, trends.all),
    share(trends.flaky, trends.all) <= MAX_FALSE,
    'at most 1 %',
  );
  note('trend: 1.5 times found', words(trendsPlanted.found, trendsPlanted.all));
  note('time of a check', ms(median(tookMs)));
}

async function checked(kind, ms) {
  const server = startProcess(process.execPath, ['scripts/bench/steady-server.mjs', '0', kind, String(ms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let port = '';
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    port += chunk;
    if (port.endsWith('\n')) break;
  }
  const result = await checkServer(`http://127.0.0.1:${port.trim()}`, { only: ['performance/*'] });
  await endProcess(server);
  // The same address, so that all are runs of one target.
  return { ...result, target: { ...result.target, url: 'http://127.0.0.1:1' } };
}

/** Whether `probity trend` shows a change of a response time, and names a requirement as flaky. */
function trendOf(results) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  try {
    mkdirSync(folder, { recursive: true });
    for (const [index, result] of results.entries()) {
      const startedAt = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
      writeFileSync(path.join(folder, `${index}.json`), JSON.stringify({ ...result, startedAt }));
    }
    const { targets } = JSON.parse(
      execFileSync(process.execPath, [COMMAND, 'trend', folder, '--json'], {
        encoding: 'utf8',
        maxBuffer: 1e9,
      }),
    );
    return {
      changed: targets.some(({ latency }) => latency.some(({ changes }) => changes.length > 0)),
      flaky: targets.some(({ flaky }) => flaky.length > 0),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
