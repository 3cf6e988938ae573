// The start-up of the command, as ratios to `node -e 0` in the same run.
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HERE, named } from './builds.mjs';
import { startProcess } from './children.mjs';
import { judged, median, note } from './sheet.mjs';

const SUITE = path.resolve('suites/server/execute.suite.yaml');
const MEASURES = {
  'probity --help': { bound: 1.2, measure: (file, folder) => timed([file, '--help'], folder) },
  'probity lint': { bound: 1.5, measure: (file, folder) => timed([file, 'lint'], folder) },
  // A copy is not known from the build, so that it is parsed.
  'probity lint FILE': {
    bound: 1.5,
    measure: (file, folder) => timed([file, 'lint', 'mine.suite.yaml'], folder),
  },
  'probity check, first request': { bound: 3, measure: firstRequest },
};

export async function startUp(rounds = 15, builds = [HERE]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(SUITE, path.join(folder, 'mine.suite.yaml'));
  const bare = [];
  const times = Object.fromEntries(
    Object.keys(MEASURES).map((name) => [name, Object.fromEntries(builds.map(({ file }) => [file, []]))]),
  );
  for (let round = 0; round < rounds + 1; round += 1) {
    const bareMs = await timed(['-e', '0'], folder);
    // The first round warms the file cache.
    if (round > 0) bare.push(bareMs);
    for (const [name, { measure }] of Object.entries(MEASURES))
      for (const { file } of builds) {
        const tookMs = await measure(file, folder);
        if (round > 0) times[name][file].push(tookMs);
      }
  }
  console.log(
    `start-up: medians of ${rounds} interleaved rounds, ratio of each round to node -e 0 of the same round`,
  );
  note('node -e 0', `${median(bare).toFixed(0).padStart(5)} ms`);
  for (const [name, { bound }] of Object.entries(MEASURES))
    builds.forEach((build, place) => {
      const took = times[name][build.file];
      const ratio = median(took.map((tookMs, round) => tookMs / bare[round]));
      const text = `${median(took).toFixed(0).padStart(5)} ms  ${ratio.toFixed(2)}`;
      if (place > 0) note(named(name, build), text);
      else if (bound === undefined) note(name, text);
      else judged(name, text, ratio <= bound, String(bound));
    });
}

/** Runs a command and returns how long it took, in milliseconds. */
async function timed(args, folder) {
  const startedMs = performance.now();
  const child = startProcess(process.execPath, args, { stdio: 'ignore', cwd: folder });
  await once(child, 'exit');
  return performance.now() - startedMs;
}

/** From the start of the process to the arrival of the first request of a check. */
async function firstRequest(file, folder) {
  let arrivedMs;
  const server = http.createServer((_request, response) => {
    arrivedMs ??= performance.now();
    response.writeHead(503).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const startedMs = performance.now();
  await timed([file, 'check', `http://127.0.0.1:${server.address().port}`, '--reports', folder], folder);
  server.closeAllConnections();
  server.close();
  return arrivedMs - startedMs;
}
