// Whether the engine keeps a requested rate, and reports if it could not.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandPath, endProcess, output, startProcess } from './children.mjs';
import { loadApart } from './load.mjs';
import { startFastServer } from './servers.mjs';
import { judged, ms, note } from './sheet.mjs';

const CPU_HOG = fileURLToPath(import.meta.resolve('./cpu-hog.mjs'));
const FAST = { ratePerSecond: 10_000, connections: 50 };
const HOGGED = { ratePerSecond: 1000, connections: 10, durationMs: 10_000 };
const MAX_OFF = 0.001;
const CORE = '0';
/** Time for the load process to start and detect all cores before it is pinned; shorter than its start and warm-up. */
const SETTLE_MS = 600;
/** A limit; it is ended when it is no longer needed. */
const HOG_MS = 60_000;

function order({ ratePerSecond, connections, durationMs }) {
  const model = { kind: 'open', ratePerSecond, arrivals: 'constant', maxConnections: connections };
  return { model, durationMs, warmUpMs: 2000 };
}

export async function pace(seconds = 30) {
  const server = await startFastServer();
  console.log(`pace: open loop against ${server.name}`);
  const fast = await loadApart(server.url, order({ ...FAST, durationMs: seconds * 1000 }));
  const { achievedShare, latenessMs } = fast.client;
  const off = Math.max(1 - achievedShare, Math.abs(fast.throughputPerSecond / FAST.ratePerSecond - 1));
  const text =
    `${fast.throughputPerSecond.toFixed(1)}/s, ${(100 * achievedShare).toFixed(3)} % sent in time, ` +
    `late by ${ms(latenessMs.p50Ms)} (p50), ${ms(latenessMs.p99Ms)} (p99)`;
  const verdict = fast.doubts.length > 0 ? 'reported as unreliable' : 'reliable';
  judged(
    `${FAST.ratePerSecond}/s for ${seconds} s`,
    `${text}, ${verdict}`,
    off <= MAX_OFF || fast.doubts.length > 0,
    `${MAX_OFF * 100} % or reported as unreliable`,
  );
  for (const doubt of fast.doubts) note('', doubt);
  await hogged(server.url);
  await server.close();
}

/** A busy process on the client's only core: its effect must not count as the server's times. */
async function hogged(url) {
  const taskset = commandPath('taskset');
  if (taskset === null) return note('with a busy process', 'taskset is not installed, not measured');
  const onOneCore = { wrap: [taskset, '-c', CORE] };
  note('on one core, alone', summaryOf(await loadApart(url, order(HOGGED), onOneCore)));
  const hog = startProcess(taskset, ['-c', CORE, process.execPath, CPU_HOG, String(HOG_MS)]);
  const pinLater = async (child) => {
    await sleep(SETTLE_MS);
    await output(taskset, ['-a', '-c', '-p', CORE, String(child.pid)], { timeoutMs: 5000 });
  };
  // With one core the engine waits with timers; with more it polls, which depends more on its core.
  const cases = {
    'with a busy process, timers': onOneCore,
    'with a busy process, polling': { started: (child) => void pinLater(child) },
  };
  for (const [name, how] of Object.entries(cases)) {
    const figures = await loadApart(url, order(HOGGED), how);
    judged(name, summaryOf(figures), figures.doubts.length > 0, 'reported as unreliable');
    for (const doubt of figures.doubts) note('', doubt);
  }
  await endProcess(hog);
}

function summaryOf({ p50Ms, p99Ms, client, doubts }) {
  const verdict = doubts.length > 0 ? 'unreliable' : 'reliable';
  return `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, late by ${ms(client.latenessMs.p99Ms)} (p99), ${verdict}`;
}
