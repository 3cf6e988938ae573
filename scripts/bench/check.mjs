// Whole checks: the time from the start of the command to its end, and the processor time of all its threads.
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { install } from '../npm-node.mjs';
import { HERE } from './builds.mjs';
import { endProcess, output, startProcess } from './children.mjs';

const [HOOK, PLAIN_REQUESTS, SUBJECT, DIRECT_CALLS] = [
  'usage-hook',
  'plain-requests',
  'echo-subject',
  'direct-calls',
].map((name) => fileURLToPath(import.meta.resolve(`./${name}.mjs`)));
const TIMES = { durationMs: 2000, warmUpMs: 1000 };
const MAX_CALLS_MS = 60_000;
const UNTIMED = ['--no-latency'];
const FETCH = 'a loop of fetch with as many requests';
const CLIENT = 'the SDK client connects and lists the tools';
const IN_STREAMS = [HERE.file, 'reference', '--wire', 'mcp'];

export const check = {
  title: 'A check, as a command: of the reference server in form B, which answers at once',
  goals: {
    timed: { figure: 'with timing', most: 2, unit: 's', peer: FETCH },
    untimed: { figure: 'without timing', most: 1.2, unit: 's', peer: FETCH },
    cpu: { figure: 'without timing, processor time', most: 0.25, unit: 's', peer: FETCH },
  },
  measure: (build) =>
    withServer([HERE.file, 'reference', '--form', 'B', '--port', '0'], async (url) => {
      const timed = await checked(build, [url]);
      const untimed = await checked(build, [url, ...UNTIMED]);
      const [all, few] = [await fetched(url, timed.requests), await fetched(url, untimed.requests)];
      return {
        timed: [timed.seconds, all.seconds],
        untimed: [untimed.seconds, few.seconds],
        cpu: [untimed.cpuSeconds, few.cpuSeconds],
      };
    }),
};

export const streams = {
  title: 'A check of the reference server over standard streams, in MCP',
  goals: {
    timed: { figure: 'with timing', most: 2, unit: 's' },
    untimed: { figure: 'without timing', most: 1.2, unit: 's', peer: CLIENT },
    cpu: { figure: 'without timing, processor time', most: 0.25, unit: 's', peer: CLIENT },
    call: {
      figure: 'the p50 of a call, to that of a loop of the SDK client',
      most: 0.1,
      unit: 'ms apart',
      peer: 'the SDK client',
      peerUnit: 'ms',
    },
  },
  measure: async (build) => {
    const timed = await checked(build, [quoted(IN_STREAMS)]);
    const untimed = await checked(build, [quoted(IN_STREAMS), ...UNTIMED]);
    const listed = await usageOf([PLAIN_REQUESTS, 'client', process.execPath, ...IN_STREAMS]);
    const [own, theirs] = [await p50OfOwn(build), await p50OfClient()];
    return {
      timed: timed.seconds,
      untimed: [untimed.seconds, listed.seconds],
      cpu: [untimed.cpuSeconds, listed.cpuSeconds],
      call: [Math.abs(own - theirs), theirs],
    };
  },
};

export const larger = {
  title: 'A check of servers with more to call, without timing',
  goals: {
    // One of its tools takes ten seconds for each call that does not say how long.
    everything: { figure: 'server-everything, over standard streams', most: 4, unit: 's', peer: CLIENT },
    many: { figure: '22 functions that answer at once', most: 8, unit: 's', peer: FETCH },
  },
  measure: async (build) => {
    const file = everything();
    const { seconds } = await checked(build, [quoted([file]), ...UNTIMED]);
    const listed = await usageOf([PLAIN_REQUESTS, 'client', process.execPath, file]);
    return withServer(['scripts/bench/scale-server.mjs', '22', '0', '0'], async (url) => {
      const many = await checked(build, [url, ...UNTIMED]);
      const peer = await fetched(url, many.requests);
      return { everything: [seconds, listed.seconds], many: [many.seconds, peer.seconds] };
    });
  },
};

/** Runs a check to its end. Its report is moved to `file`, if it is wanted. */
export async function checked({ file }, args, keepReport = () => {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  try {
    const usage = await usageOf([file, 'check', ...args, '--reports', folder]);
    const report = path.join(folder, readdirSync(folder)[0]);
    const { exchanges, responseTimes, verdict, facts } = JSON.parse(readFileSync(report, 'utf8'));
    keepReport(report);
    const isStopped = facts.some(({ text: fact }) => fact.startsWith('the check was stopped'));
    const timed = responseTimes.reduce((sum, { count }) => sum + count, 0);
    const requests = exchanges.length + timed;
    return { ...usage, verdict, isStopped, requests, reportMb: statSync(report).size / 1e6 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a command of Node.js to its end. */
export async function usageOf(args) {
  const startedMs = performance.now();
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe'];
  const child = startProcess(process.execPath, ['--import', HOOK, ...args], { stdio });
  const [usage] = await Promise.all([text(child.stdio[3]), once(child, 'close')]);
  const seconds = (performance.now() - startedMs) / 1000;
  const { cpuMs, peakMb } = JSON.parse(usage);
  return { seconds, cpuSeconds: cpuMs / 1000, peakMb };
}

/** Calls `work` with the address of a server that prints its port last in its first line. */
export async function withServer(args, work) {
  const child = startProcess(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    return await work(`http://127.0.0.1:${/(\d+)\/?\s*$/.exec(line)[1]}`);
  } finally {
    await endProcess(child);
  }
}

async function p50OfOwn({ file }) {
  const times = ['--duration', `${TIMES.durationMs / 1000}s`, '--warm-up', `${TIMES.warmUpMs / 1000}s`];
  const calls = ['--operation', 'execute:echo', '--connections', '1', '--json', '--no-store'];
  const printed = await output(process.execPath, [file, 'bench', quoted([SUBJECT]), ...calls, ...times], {
    timeoutMs: MAX_CALLS_MS,
    // The figures of a busy machine are called unreliable.
    mayEndWith: 4,
  });
  return JSON.parse(printed).responseTimes.find(({ operation }) => operation === 'execute').p50Ms;
}

async function p50OfClient() {
  const wanted = {
    args: [SUBJECT],
    call: { name: 'echo', arguments: { message: 'probity' } },
    inFlight: 1,
    ...TIMES,
  };
  const args = [DIRECT_CALLS, JSON.stringify(wanted)];
  return JSON.parse(await output(process.execPath, args, { timeoutMs: MAX_CALLS_MS })).p50Ms;
}

function fetched(url, count) {
  return usageOf([PLAIN_REQUESTS, 'fetch', url, String(count)]);
}

function quoted(args) {
  return [process.execPath, ...args].map((arg) => `"${arg}"`).join(' ');
}

/** Installed once, without its scripts. */
function everything() {
  const name = '@modelcontextprotocol/server-everything';
  const { dependencies } = JSON.parse(readFileSync('test/mcp-packages/pinned/package.json', 'utf8'));
  const folder = path.resolve('node_modules/.cache/probity/server-everything');
  const file = path.join(folder, 'node_modules', name, 'dist/index.js');
  if (!existsSync(file)) install(folder, `${name}@${dependencies[name]}`);
  return file;
}
