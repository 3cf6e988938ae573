// What an untimed check costs in a pool, and as checkServer runs it: CPU of both threads with and without the server, for
// 1, 16 and 64 at once, in interleaved rounds; checks per second and memory; and what a hostile target costs the others.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkServer } from '../../dist/index.js';
import { createCheckPool } from '../../dist/service.js';
import { endProcess, forkScript } from './children.mjs';
import { judged, median, note } from './sheet.mjs';

const SERVERS = new URL('./pool-servers.mjs', import.meta.url).pathname;
const AT_ONCE = [1, 16, 64];
const MAX_CPU_MS = 80;
/** How much longer the others may take beside a hostile target. */
const MAX_SLOWER = 2;
const OPTIONS = { latency: { off: true }, seed: 1 };
const BESIDE = 15;
const HOSTILE = ['schemas', 'patterns', 'deep', 'bodies', 'hangs'];

export async function pool(rounds = 5) {
  const child = forkScript(SERVERS, []);
  const ask = (message) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(message);
    });
  const urls = await ask('urls');
  const costOf = async (check, count) => {
    const [own, serverMs, startedMs] = [process.cpuUsage(), await ask('cpu'), performance.now()];
    let peakMb = 0;
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, process.memoryUsage.rss() / 1e6);
    }, 50);
    const results = await Promise.all(Array.from({ length: count }, () => check(urls.reference, OPTIONS)));
    clearInterval(watch);
    const wallMs = performance.now() - startedMs;
    const { user, system } = process.cpuUsage(own);
    const failed = results.filter(({ verdict }) => verdict !== 'pass').length;
    if (failed > 0) throw new Error(`${failed} of ${count} checks of the reference server did not pass`);
    const harnessMs = (user + system) / 1000 / count;
    return { harnessMs, serverMs: ((await ask('cpu')) - serverMs) / count, wallMs, peakMb };
  };

  console.log(
    `pool: CPU of an untimed check of the reference server, medians of ${rounds} interleaved rounds`,
  );
  const made = createCheckPool({ threads: 1, checksPerThread: 64 });
  // The first checks compile the code.
  await costOf(made.check, 64);
  await costOf(made.check, 64);
  const idleMb = process.memoryUsage.rss() / 1e6;
  for (const count of AT_ONCE) {
    const costs = { 'in the pool': [], checkServer: [] };
    for (let round = 0; round < rounds; round += 1) {
      costs['in the pool'].push(await costOf(made.check, count));
      // Takes half a minute of CPU time for 64.
      if (count < 64 || round === 0) costs.checkServer.push(await costOf(checkServer, count));
    }
    for (const [way, list] of Object.entries(costs)) {
      const [harnessMs, serverMs, wallMs, peakMb] = ['harnessMs', 'serverMs', 'wallMs', 'peakMb'].map(
        (figure) => median(list.map((cost) => cost[figure])),
      );
      const text = [
        `${(harnessMs + serverMs).toFixed(1).padStart(6)} ms`,
        `(server ${serverMs.toFixed(1)} ms)`,
        `${((1000 * count) / wallMs).toFixed(1).padStart(5)} checks/s`,
        `peak ${peakMb.toFixed(0)} MB`,
      ].join('  ');
      const name = `${count} at once, ${way}`;
      if (way === 'checkServer') note(name, text);
      else if (count === 1) note(name, text);
      else judged(name, text, harnessMs + serverMs <= MAX_CPU_MS, `${MAX_CPU_MS} ms`);
      if (count === 64 && way !== 'checkServer')
        note('memory of a running check', `${((peakMb - idleMb) / count).toFixed(2)} MB`);
    }
  }
  await made.close();

  const wide = createCheckPool({ threads: availableParallelism(), checksPerThread: 32 });
  await costOf(wide.check, 64);
  const { wallMs } = await costOf(wide.check, 256);
  note(`${availableParallelism()} threads of 32 checks`, `${(256_000 / wallMs).toFixed(1)} checks/s`);
  await wide.close();

  await beside(urls, rounds);
  await endProcess(child);
}

/** The slowest of 15 checks, which share a thread with one of a hostile target. */
async function beside(urls, rounds) {
  console.log(`pool: the slowest of ${BESIDE} checks beside one of a hostile target, in one thread`);
  const slowestOf = async (pooled, url) => {
    const startedMs = performance.now();
    const ending = new AbortController();
    const hostile = pooled.check(url, { ...OPTIONS, deadlineMs: 20_000, signal: ending.signal });
    // It has its capabilities read before the others begin.
    await sleep(200);
    const results = await Promise.all(
      Array.from({ length: BESIDE }, () => pooled.check(urls.reference, OPTIONS)),
    );
    const tookMs = performance.now() - startedMs - 200;
    ending.abort();
    const { verdict, facts } = await hostile;
    return { tookMs, passed: results.every((one) => one.verdict === 'pass'), verdict, facts };
  };
  const times = Object.fromEntries(['reference', ...HOSTILE].map((name) => [name, []]));
  const pooled = createCheckPool({ threads: 1, checksPerThread: 16 });
  await slowestOf(pooled, urls.reference);
  for (let round = 0; round < rounds; round += 1)
    for (const name of Object.keys(times)) times[name].push(await slowestOf(pooled, urls[name]));
  await pooled.close();
  const usualMs = median(times.reference.map(({ tookMs }) => tookMs));
  note('beside another reference server', `${usualMs.toFixed(0)} ms`);
  for (const name of HOSTILE) {
    const ratio = median(times[name].map(({ tookMs }) => tookMs)) / usualMs;
    const allPassed = times[name].every(({ passed }) => passed);
    judged(
      `beside ${name}`,
      `${ratio.toFixed(2)} times as long, ${allPassed ? 'all passed' : 'NOT all passed'}`,
      allPassed && ratio <= MAX_SLOWER,
      `${MAX_SLOWER}`,
    );
  }
}
