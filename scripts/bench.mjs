// Prints what the command costs, as ratios to peers measured in the same run: `node -e 0` for start-up, the server's
// own time for a whole check. Rounds are interleaved and medians compared, because machines are noisy.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkServer, startReferenceServer } from '../dist/index.js';

const ROUNDS = Number(process.argv[2] ?? 15);
const COMMAND = path.resolve('dist/probity.js');
const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));

/** Runs a command and returns how long it took, in milliseconds. */
function timed(args) {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const child = spawn(process.execPath, args, { stdio: 'ignore', cwd: folder });
    child.once('error', reject);
    child.once('exit', () => resolve(performance.now() - startedMs));
  });
}

/** From the start of the process to the arrival of the first request of a check. */
async function firstRequest() {
  let arrivedMs;
  const server = http.createServer((_request, response) => {
    arrivedMs ??= performance.now();
    response.writeHead(503).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const startedMs = performance.now();
  await timed([COMMAND, 'check', `http://127.0.0.1:${server.address().port}`, '--reports', folder]);
  server.closeAllConnections();
  server.close();
  return arrivedMs - startedMs;
}

const measures = {
  'node -e 0': () => timed(['-e', '0']),
  'probity --help': () => timed([COMMAND, '--help']),
  'probity lint': () => timed([COMMAND, 'lint']),
  'probity check, first request': firstRequest,
};
const bounds = { 'probity --help': 1.3, 'probity lint': 2.5, 'probity check, first request': 3.5 };

const median = (values) => [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
const times = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
for (let round = 0; round < ROUNDS + 1; round += 1) {
  for (const [name, measure] of Object.entries(measures)) {
    const ms = await measure();
    // The first round warms the file cache.
    if (round > 0) times[name].push(ms);
  }
}

console.log(
  `start-up, medians of ${ROUNDS} interleaved rounds, ratio of each round to node -e 0 of the same round`,
);
let missed = 0;
for (const name of Object.keys(measures)) {
  const ratio = median(times[name].map((ms, round) => ms / times['node -e 0'][round]));
  const bound = bounds[name];
  if (bound !== undefined && ratio > bound) missed += 1;
  const verdict = bound === undefined ? '' : `  ${ratio <= bound ? 'within' : 'OVER'} ${bound}`;
  console.log(
    `  ${name.padEnd(30)} ${median(times[name]).toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)}${verdict}`,
  );
}

console.log('whole check of the reference server, which answers at once but for its slow function (150 ms)');
for (const form of ['A', 'B']) {
  const server = await startReferenceServer({ form });
  const samples = {
    divide: [{ input: { dividend: 10, divisor: 4 } }, { input: { dividend: 1, divisor: 0 }, fails: true }],
  };
  const runs = [];
  let requests = 0;
  let serverMs = 0;
  for (let round = 0; round < 5; round += 1) {
    const result = await checkServer(server.url, { samples, seed: round, latency: { off: true } });
    runs.push(result.durationMs);
    requests = result.exchanges.length;
    serverMs = result.exchanges.reduce((sum, { timing }) => sum + timing.durationMs, 0);
  }
  await server.close();
  const whole = median(runs);
  console.log(
    `  form ${form}: ${requests} requests; ${whole} ms in all, of which 1100 ms are the one wait between double reads; ` +
      `${(whole / 1100).toFixed(2)} of that wait; ${serverMs.toFixed(0)} ms of answers, partly at once`,
  );
}

rmSync(folder, { recursive: true });
if (readdirSync(tmpdir()).includes(path.basename(folder))) throw new Error(`could not remove ${folder}`);
process.exitCode = missed > 0 ? 1 : 0;
