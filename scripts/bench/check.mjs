// The time of whole checks, from the start of the process to its end, as ratios to the one wait that the rules need: two
// reads of /health a little over a second apart; and the processor time of all their threads, with that of Node itself.
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { install } from '../npm-node.mjs';
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
    maxMs: { [TIMED]: 2000, [UNTIMED]: 1200 },
    maxCpuMs: { [UNTIMED]: 250 },
  },
  'the reference server on streams': {
    command: `"${process.execPath}" "${path.resolve('dist/probity.js')}" reference --wire mcp`,
    maxMs: { [TIMED]: 2000, [UNTIMED]: 1200 },
    maxCpuMs: { [UNTIMED]: 250 },
  },
  '22 functions': {
    args: ['scripts/bench/scale-server.mjs', '22', '0', '0'],
    maxMs: { [TIMED]: 8000, [UNTIMED]: 8000 },
  },
  'server-everything': {
    // One of its tools takes ten seconds for each call that does not say how long.
    command: everything,
    maxMs: { [UNTIMED]: 4000 },
    maxRounds: 3,
  },
};
const HOOK = path.resolve('scripts/bench/usage-hook.mjs');
/** What timing adds to a check on a busy machine, where it is tried again for a short time only. */
const MAX_BUSY_MS = 4500;
const BUSY_ROUNDS = 3;

export async function check(rounds = 9, builds = [HERE]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  console.log(
    `whole checks: medians of ${rounds} interleaved rounds, and their ratio to the wait of ${WAIT_MS} ms`,
  );
  for (const [name, { maxMs, maxCpuMs = {}, maxRounds = rounds, ...server }] of Object.entries(SERVERS)) {
    const ways = Object.keys(maxMs);
    const took = await timesOf(server, { rounds: Math.min(rounds, maxRounds), builds, folder, ways });
    const [here, ...others] = builds;
    for (const way of ways) {
      const tookMs = ({ file }) => median(took[file][way].map((one) => one.tookMs));
      const cpuMs = ({ file }) => median(took[file][way].map((one) => one.cpuMs));
      const figures = (build) =>
        `${tookMs(build).toFixed(0).padStart(5)} ms  ${(tookMs(build) / WAIT_MS).toFixed(2)}`;
      const bound = `${(maxMs[way] / WAIT_MS).toFixed(2)} (${maxMs[way]} ms)`;
      judged(`${name}, ${way}`, figures(here), tookMs(here) <= maxMs[way], bound);
      for (const other of others) note(named(name, other), figures(other));
      const cpu = (build) => `${cpuMs(build).toFixed(0).padStart(5)} ms of processor time`;
      const maxCpu = maxCpuMs[way];
      if (maxCpu === undefined) note('', cpu(here));
      else judged('', cpu(here), cpuMs(here) <= maxCpu, `${maxCpu} ms`);
      for (const other of others) note(named('', other), cpu(other));
    }
  }
  await besideBusyLoops(builds, folder);
}

/** A client without enough CPU reports its figures as unreliable instead of measuring them again and again. */
async function besideBusyLoops(builds, folder) {
  const hogs = Array.from({ length: availableParallelism() }, () =>
    startProcess(process.execPath, ['scripts/bench/cpu-hog.mjs', String(24 * 3600 * 1000)]),
  );
  const server = SERVERS['a server that answers in 1 ms'];
  const took = await timesOf(server, { rounds: BUSY_ROUNDS, builds, folder, ways: Object.keys(ARGS) });
  for (const hog of hogs) await endProcess(hog);
  builds.forEach((build, place) => {
    const { file } = build;
    const medianMs = (way) => median(took[file][way].map(({ tookMs }) => tookMs));
    const addedMs = medianMs(TIMED) - medianMs(UNTIMED);
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

/** By build and way. The server is started once, or by each check if it is a command. */
async function timesOf({ args, command }, { rounds, builds, folder, ways }) {
  const running = args && startProcess(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const target = running ? `http://127.0.0.1:${await portOf(running)}` : commandOf(command);
  const times = Object.fromEntries(
    builds.map(({ file }) => [file, Object.fromEntries(ways.map((way) => [way, []]))]),
  );
  for (let round = 0; round < rounds + 1; round += 1)
    for (const way of ways)
      for (const { file } of builds) {
        const one = await timed([file, 'check', target, '--reports', folder, ...ARGS[way]]);
        // The first round warms the file cache.
        if (round > 0) times[file][way].push(one);
      }
  if (running) await endProcess(running);
  return times;
}

function commandOf(command) {
  return typeof command === 'function' ? command() : command;
}

async function timed(args) {
  const startedMs = performance.now();
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe'];
  const child = startProcess(process.execPath, ['--import', HOOK, ...args], { stdio });
  const [usage] = await Promise.all([text(child.stdio[3]), once(child, 'exit')]);
  return { tookMs: performance.now() - startedMs, cpuMs: JSON.parse(usage).cpuMs };
}

/** Installed once, without its scripts. */
function everything() {
  const name = '@modelcontextprotocol/server-everything';
  const { dependencies } = JSON.parse(readFileSync('test/mcp-packages/pinned/package.json', 'utf8'));
  const folder = path.resolve('node_modules/.cache/probity/server-everything');
  const file = path.join(folder, 'node_modules', name, 'dist/index.js');
  if (!existsSync(file)) install(folder, `${name}@${dependencies[name]}`);
  return `"${process.execPath}" "${file}"`;
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
