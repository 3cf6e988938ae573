// The start-up of the command, as ratios to `node -e 0` in the same run.
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProcess } from './children.mjs';
import { judged, median, note } from './sheet.mjs';

const COMMAND = path.resolve('dist/probity.js');
const BOUNDS = { 'probity --help': 1.3, 'probity lint': 2.5, 'probity check, first request': 3 };
const SUITE = path.resolve('suites/server/execute.suite.yaml');

export async function startUp(rounds = 15) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(SUITE, path.join(folder, 'mine.suite.yaml'));
  const measures = {
    'node -e 0': () => timed(['-e', '0'], folder),
    'probity --help': () => timed([COMMAND, '--help'], folder),
    'probity lint': () => timed([COMMAND, 'lint'], folder),
    // A copy is not known from the build, so that it is parsed.
    'probity lint FILE': () => timed([COMMAND, 'lint', 'mine.suite.yaml'], folder),
    'probity check, first request': () => firstRequest(folder),
  };
  const times = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
  for (let round = 0; round < rounds + 1; round += 1) {
    for (const [name, measure] of Object.entries(measures)) {
      const tookMs = await measure();
      // The first round warms the file cache.
      if (round > 0) times[name].push(tookMs);
    }
  }
  console.log(
    `start-up: medians of ${rounds} interleaved rounds, ratio of each round to node -e 0 of the same round`,
  );
  for (const name of Object.keys(measures)) {
    const ratio = median(times[name].map((tookMs, round) => tookMs / times['node -e 0'][round]));
    const text = `${median(times[name]).toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)}`;
    const bound = BOUNDS[name];
    if (bound === undefined) note(name, text);
    else judged(name, text, ratio <= bound, String(bound));
  }
}

/** Runs a command and returns how long it took, in milliseconds. */
async function timed(args, folder) {
  const startedMs = performance.now();
  const child = startProcess(process.execPath, args, { stdio: 'ignore', cwd: folder });
  await once(child, 'exit');
  return performance.now() - startedMs;
}

/** From the start of the process to the arrival of the first request of a check. */
async function firstRequest(folder) {
  let arrivedMs;
  const server = http.createServer((_request, response) => {
    arrivedMs ??= performance.now();
    response.writeHead(503).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const startedMs = performance.now();
  await timed([COMMAND, 'check', `http://127.0.0.1:${server.address().port}`, '--reports', folder], folder);
  server.closeAllConnections();
  server.close();
  return arrivedMs - startedMs;
}
