// What the bridge adds to a call of a server of the Model Context Protocol, compared with direct calls by the official
// client in the same run. MCP_SERVER names the script of another server that has the tool echo.
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endProcess, output, startProcess } from './children.mjs';
import { loadApart } from './load.mjs';
import { judged, median, ms, note, spread } from './sheet.mjs';

const COMMAND = path.resolve('dist/probity.js');
const { MCP_SERVER = fileURLToPath(import.meta.resolve('./echo-subject.mjs')) } = process.env;
const DIRECT_CALLS = fileURLToPath(import.meta.resolve('./direct-calls.mjs'));
const INPUT = { message: 'probity' };
const CONNECTIONS = [1, 10, 50];
const TIMES = { durationMs: 1500, warmUpMs: 1000 };
const SPARE_MS = 20_000;
const MAX_ADDED_MS = 0.3;
/** A slower subject, or machine, is the limit instead. */
const MIN_PER_SECOND = 3000;

export async function bridge(rounds = 5) {
  const { url, close } = await startBridge();
  const clients = { direct: callDirectly, bridged: (connections) => callThrough(url, connections) };
  console.log(
    `bridge: closed loop against ${path.relative('.', MCP_SERVER)} over stdio, directly with the official client and through the bridge, ` +
      `medians of ${rounds} interleaved rounds of ${TIMES.durationMs / 1000} s`,
  );
  for (const connections of CONNECTIONS) {
    const rows = [];
    for (let round = 0; round < rounds; round += 1) {
      const row = {};
      // Alternate the direction, so that none always follows the other.
      for (const name of round % 2 === 0 ? ['direct', 'bridged'] : ['bridged', 'direct'])
        row[name] = await clients[name](connections);
      rows.push(row);
    }
    if (connections === 1) showAdded(rows);
    showRates(connections, rows);
  }
  await close();
}

function showAdded(rows) {
  const addedMs = (figure) => median(rows.map(({ direct, bridged }) => bridged[figure] - direct[figure]));
  const text = (figure) => {
    const [direct, through] = ['direct', 'bridged'].map((name) =>
      median(rows.map((row) => row[name][figure])),
    );
    return `${ms(addedMs(figure))}, from ${ms(direct)} to ${ms(through)}`;
  };
  judged('added to the median', text('p50Ms'), addedMs('p50Ms') <= MAX_ADDED_MS, `${MAX_ADDED_MS} ms`);
  // The engine reports no percentile of too few calls.
  const isKnown = rows.every(({ bridged }) => bridged.p99Ms !== undefined);
  note('added to the p99', isKnown ? text('p99Ms') : 'unknown: a round had too few calls');
}

function showRates(connections, rows) {
  const [direct, through] = ['direct', 'bridged'].map((name) =>
    rows.map((row) => row[name].throughputPerSecond),
  );
  const ratios = through.map((rate, round) => rate / direct[round]);
  const text = `direct ${median(direct).toFixed(0)}, bridged ${median(through).toFixed(0)}, ratio ${spread(ratios)}`;
  const name = `calls/s at ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
  if (connections === 1) return note(name, text);
  const least = Math.min(MIN_PER_SECOND, median(direct));
  judged(name, text, median(through) >= least, `at least ${least.toFixed(0)}`);
}

async function startBridge() {
  const child = startProcess(
    process.execPath,
    [COMMAND, 'bridge', '--port', '0', '--', process.execPath, MCP_SERVER],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  // Its supervisor ends the subject.
  return { url, close: () => endProcess(child) };
}

function callThrough(url, connections) {
  return loadApart(
    url,
    { model: { kind: 'closed', connections }, ...TIMES },
    {
      bench: {
        calls: [{ operation: 'execute', functionName: 'echo', weight: 1 }],
        samples: { echo: [{ input: INPUT }] },
      },
    },
  );
}

async function callDirectly(inFlight) {
  const wanted = { args: [MCP_SERVER], call: { name: 'echo', arguments: INPUT }, inFlight, ...TIMES };
  const timeoutMs = TIMES.durationMs + TIMES.warmUpMs + SPARE_MS;
  return JSON.parse(await output(process.execPath, [DIRECT_CALLS, JSON.stringify(wanted)], { timeoutMs }));
}
