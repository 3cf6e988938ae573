// How much load the engine can offer compared with other generators: closed loop, against the fastest server.
import { HERE } from './builds.mjs';
import { endedChildrenCpuMs } from './children.mjs';
import { loadApart } from './load.mjs';
import { findWrk, runAutocannon, runBareNode } from './load-peers.mjs';
import { startFastServer } from './servers.mjs';
import { judged, median, note, spread } from './sheet.mjs';

const DURATION_MS = 3000;
/** Node.js compiles code while it runs, which would distort the first of three seconds. */
const WARM_UP_MS = 1000;
const MIN_RATIO = {
  1: { autocannon: 1.3, wrk: 0.88 },
  10: { autocannon: 1.8, wrk: 0.95 },
  50: { autocannon: 1.8, wrk: 0.95 },
};
/** Sockets of Node.js without timing or checks: its ratio to wrk shows what Node.js itself can do. */
const BARE = 'bare Node.js';
const CPU_CONNECTIONS = 10;
const MAX_CPU_RATIO = 0.5;
/** The difference of these two durations contains no start-up and no warm-up. */
const CPU_DURATIONS_MS = [1000, 4000];

async function ours(url, { connections, durationMs, warmUpMs }, build = HERE) {
  const order = { model: { kind: 'closed', connections }, durationMs, warmUpMs };
  const { count, throughputPerSecond } = await loadApart(url, order, { build });
  return { count, perSecond: throughputPerSecond };
}

const hasWrk = findWrk() !== null;

export const load = {
  title: `A load of the product, over ${CPU_CONNECTIONS} connections to the fastest server that is installed`,
  goals: {
    cpu: {
      figure: 'processor time of a request, to that of autocannon',
      most: MAX_CPU_RATIO,
      unit: '×',
      peer: 'autocannon',
      peerUnit: 'µs',
    },
    ...(hasWrk && {
      wrk: {
        figure: 'time of a request, to that of wrk',
        most: 1 / MIN_RATIO[CPU_CONNECTIONS].wrk,
        unit: '×',
        peer: 'wrk',
        peerUnit: 'µs',
      },
    }),
  },
  measure: async (build) => {
    const server = await startFastServer();
    try {
      const theirsUs = await cpuPerRequestUs(runAutocannon, server.url);
      const figures = { cpu: [(await cpuPerRequestUs(ours, server.url, build)) / theirsUs, theirsUs] };
      if (!hasWrk) return figures;
      const order = { connections: CPU_CONNECTIONS, durationMs: DURATION_MS, warmUpMs: WARM_UP_MS };
      const wrk = await findWrk()(server.url, order);
      const own = await ours(server.url, order, build);
      return { ...figures, wrk: [wrk.perSecond / own.perSecond, 1e6 / wrk.perSecond] };
    } finally {
      await server.close();
    }
  },
};

export async function peers(rounds = 5, [, ...others] = [HERE]) {
  const wrk = findWrk();
  const before = Object.fromEntries(
    others.map((build) => [build.name, (url, order) => ours(url, order, build)]),
  );
  const clients = {
    ours,
    ...before,
    autocannon: runAutocannon,
    ...(wrk !== null && { wrk }),
    [BARE]: runBareNode,
  };
  const server = await startFastServer();
  console.log(
    `peers: closed loop against ${server.name}, requests per second, medians of ${rounds} interleaved rounds of ` +
      `${DURATION_MS / 1000} s, and of the ratios of each round`,
  );
  if (wrk === null) note('wrk', 'not installed, not compared');
  for (const connections of Object.keys(MIN_RATIO).map(Number)) {
    await compareAt(connections, clients, server.url, rounds);
  }
  await server.close();
}

async function compareAt(connections, clients, url, rounds) {
  const names = Object.keys(clients);
  const rates = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Alternate the direction, so that no client always follows the same one.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { perSecond } = await clients[name](url, {
        connections,
        durationMs: DURATION_MS,
        warmUpMs: WARM_UP_MS,
      });
      rates[name].push(perSecond);
    }
  }
  const at = connections === 1 ? 'at 1 connection' : `at ${connections} connections`;
  note(`ours ${at}`, median(rates.ours).toFixed(0));
  for (const name of names.filter((one) => one !== 'ours')) {
    const ratios = rates.ours.map((rate, round) => rate / rates[name][round]);
    const least = MIN_RATIO[connections][name];
    const text = `${median(rates[name]).toFixed(0)}  ours over it ${spread(ratios)}`;
    if (least === undefined) note(`${name} ${at}`, text);
    else judged(`${name} ${at}`, text, median(ratios) >= least, `at least ${least}`);
  }
  if (rates.wrk === undefined) return;
  const limits = rates[BARE].map((rate, round) => rate / rates.wrk[round]);
  note('', `${BARE} over wrk ${spread(limits)}`);
}

/** User and system time of all threads of the process, from the difference between a longer and a shorter run. */
async function cpuPerRequestUs(client, url, build) {
  const spent = [];
  for (const durationMs of CPU_DURATIONS_MS) {
    const beforeMs = endedChildrenCpuMs();
    const order = { connections: CPU_CONNECTIONS, durationMs, warmUpMs: WARM_UP_MS };
    const { count } = await client(url, order, build);
    spent.push({ cpuMs: endedChildrenCpuMs() - beforeMs, count });
  }
  const [short, long] = spent;
  return ((long.cpuMs - short.cpuMs) * 1000) / (long.count - short.count);
}
