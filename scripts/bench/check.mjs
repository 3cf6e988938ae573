// The time of whole checks, from the start of the process to its end, as ratios to the one wait that the rules need: two
// reads of /health a little over a second apart.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { HERE, named } from './builds.mjs';
import { endProcess, startProcess } from './children.mjs';
import { judged, median, note } from './sheet.mjs';

const WAIT_MS = 1050;
const TIMED = 'with timing';
const UNTIMED = 'without timing';
const ARGS = { [TIMED]: [], [UNTIMED]: ['--no-latency'] };
const SERVERS = {
  'a server that answers in 1 ms': {
    args: ['scripts/bench/steady-server.mjs', '0', 'wait', '1'],
    maxMs: { [TIMED]: 2500, [UNTIMED]: 1400 },
  },
  'a server that answers in 20 ms': {
    args: ['scripts/bench/steady-server.mjs', '0', 'wait', '20'],
    // Its hundred other requests take two seconds.
    maxMs: { [TIMED]: 4000, [UNTIMED]: 2500 },
  },
  'the reference server': {
    args: ['dist/probity.js', 'reference', '--port', '0'],
    maxMs: { [TIMED]: 2500, [UNTIMED]: 1400 },
  },
};
/** What timing adds to a check on a busy machine, where it is tried again for a short time only. */
const MAX_BUSY_MS = 4500;
const BUSY_ROUNDS = 3;

export async function check(rounds = 9, builds = [HERE]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  console.log(
    `whole checks: medians of ${rounds} interleaved rounds, and their ratio to the wait of ${WAIT_MS} ms`,
  );
  for (const [name, { args, maxMs }] of Object.entries(SERVERS)) {
    const took = await timesOf(args, { rounds, builds, folder });
    for (const way of Object.keys(ARGS)) {
      const figures = ({ file }) => {
        const tookMs = median(took[file][way]);
        return `${tookMs.toFixed(0).padStart(5)} ms  ${(tookMs / WAIT_MS).toFixed(2)}`;
      };
      const [here, ...others] = builds;
      const bound = `${(maxMs[way] / WAIT_MS).toFixed(2)} (${maxMs[way]} ms)`;
      judged(`${name}, ${way}`, figures(here), median(took[here.file][way]) <= maxMs[way], bound);
      for (const other of others) note(named(name, other), figures(other));
    }
  }
  await besideBusyLoops(builds, folder);
}

/** A client without enough CPU reports its figures as unreliable instead of measuring them again and again. */
async function besideBusyLoops(builds, folder) {
  const hogs = Array.from({ length: availableParallelism() }, () =>
    startProcess(process.execPath, ['scripts/bench/cpu-hog.mjs', String(24 * 3600 * 1000)]),
  );
  const { args } = SERVERS['a server that answers in 1 ms'];
  const took = await timesOf(args, { rounds: BUSY_ROUNDS, builds, folder });
  for (const hog of hogs) await endProcess(hog);
  builds.forEach((build, place) => {
    const { file } = build;
    const addedMs = median(took[file][TIMED]) - median(took[file][UNTIMED]);
    const text = `${addedMs.toFixed(0).padStart(5)} ms more  ${(addedMs / WAIT_MS).toFixed(2)}`;
    if (place > 0) note(named('', build), text);
    else
      judged(
        'timing on a busy machine',
        text,
        addedMs <= MAX_BUSY_MS,
        `${(MAX_BUSY_MS / WAIT_MS).toFixed(2)} (${MAX_BUSY_MS} ms)`,
      );
  });
}

/** By command and way. */
async function timesOf(server, { rounds, builds, folder }) {
  const running = startProcess(process.execPath, server, { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await portOf(running);
  const times = Object.fromEntries(builds.map(({ file }) => [file, { [TIMED]: [], [UNTIMED]: [] }]));
  for (let round = 0; round < rounds + 1; round += 1)
    for (const [way, more] of Object.entries(ARGS))
      for (const { file } of builds) {
        const startedMs = performance.now();
        const args = [file, 'check', `http://127.0.0.1:${port}`, '--reports', folder, ...more];
        await once(startProcess(process.execPath, args, { stdio: 'ignore' }), 'exit');
        // The first round warms the file cache.
        if (round > 0) times[file][way].push(performance.now() - startedMs);
      }
  await endProcess(running);
  return times;
}

/** The last number that the server prints first: its port. */
async function portOf({ stdout }) {
  let text = '';
  for await (const chunk of stdout.setEncoding('utf8')) {
    text += chunk;
    const port = /(\d+)\/?\s*$/m.exec(text)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`the server printed no port: ${text}`);
}
