// What the gateway adds to a call, and its calls per second, compared with direct calls of the same targets in the same
// run, on both stores. Targets with TLS are also called without kept connections: they close each one after its answer.
//
// A closed loop calls again as soon as a call is answered. The caller, the gateway and the target share the cores, so its
// added latency is mostly the wait for a core. An open loop calls at a rate that no process has to wait for.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { importSources } from './built-from-sources.mjs';
import { endProcess, startProcess } from './children.mjs';
import { judged, median, ms, note, percentile, spread } from './sheet.mjs';

const CONNECTIONS = 16;
const ROUND_MS = 3000;
const CALLS_PER_SECOND = 200;
/** A target that answers at once would be limited by the two processes that call it, not by the gateway. */
const TARGET_MS = 20;
const SMALL = 7;
const LARGE = 1024;
const MAX_ADDED_MS = 1;
const MAX_ADDED_P99_MS = 3;
const MIN_TLS_RATIO = 5;
const LIMITS = ['execute', 'targetCalls'].flatMap((name) => ['--limit', `${name}=999999999/60`]);
const TARGET = path.resolve('scripts/bench/gateway-target.mjs');

export async function gateway(rounds = 5) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
  const { certificate, list, startCluster } = await importSources('scripts/bench/gateway-store.ts');
  const { pem, authority } = await certificate();
  const files = { ca: path.join(folder, 'ca.pem'), pem: path.join(folder, 'target.pem') };
  writeFileSync(files.ca, authority);
  writeFileSync(files.pem, pem);
  const started = [];
  const start = async (args, options) => {
    const child = startProcess(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
    started.push(child);
    return { child, url: String((await once(child.stdout, 'data'))[0]).trim() };
  };
  try {
    const targets = {};
    for (const [name, args] of Object.entries({
      small: [TARGET_MS, '', 'keep', SMALL],
      large: [TARGET_MS, '', 'keep', LARGE],
      fast: [0, files.pem, 'keep', SMALL],
      closing: [0, files.pem, 'close', SMALL],
    }))
      targets[name] = (await start([TARGET, ...args.map(String)])).url;
    for (const kind of ['embedded', 'postgres']) {
      const cluster = kind === 'postgres' ? await startCluster({ fast: false }) : null;
      try {
        const databaseUrl = cluster === null ? null : `${cluster.url}/postgres`;
        const data = path.join(folder, kind);
        const key = await list(databaseUrl, data, targets);
        const { DATABASE_URL: _other, ...environment } = process.env;
        const { child, url } = await start(
          ['dist/probity.js', 'directory', 'serve', '--data', data, '--port', '0', '--allow-private']
            // No probes and tests of the targets.
            .concat(['--queues', 'clean-up', '--ca', files.ca, '--log-level', 'silent'])
            .concat(LIMITS),
          { env: { ...environment, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) } },
        );
        console.log(
          `gateway: ${kind}, ${CONNECTIONS} connections, targets of ${TARGET_MS} ms, medians of ${rounds} interleaved rounds of ${ROUND_MS / 1000} s`,
        );
        await compare(url, key, targets, authority, rounds);
        await endProcess(child);
      } finally {
        await cluster?.stop();
      }
    }
  } finally {
    for (const child of started) await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(url, key, targets, ca, rounds) {
  const direct = (name, loop, ca) => () => load(loop, targets[name], '/execute', {}, ca);
  const through = (name, loop) => () =>
    load(loop, url, `/v1/servers/${name}/execute`, { authorization: `Bearer ${key}` });
  const measured = {
    openDirect: direct('small', openLoop),
    open: through('small', openLoop),
    openLargeDirect: direct('large', openLoop),
    openLarge: through('large', openLoop),
    closedDirect: direct('small', closedLoop),
    closed: through('small', closedLoop),
    fastDirect: direct('fast', closedLoop, ca),
    fast: through('fast', closedLoop),
    closing: through('closing', closedLoop),
  };
  const rows = [];
  for (let round = 0; round <= rounds; round += 1) {
    const row = {};
    for (const [name, call] of Object.entries(measured)) row[name] = await call();
    // The first round warms up.
    if (round > 0) rows.push(row);
  }
  const figure = (name, key) => median(rows.map((row) => row[name][key]));
  for (const [what, name] of [
    [`added at ${CALLS_PER_SECOND} calls/s, ${SMALL} bytes`, 'open'],
    [`added at ${CALLS_PER_SECOND} calls/s, ${LARGE} bytes`, 'openLarge'],
    [`added in a closed loop, ${SMALL} bytes`, 'closed'],
  ]) {
    const before = `${name}Direct`;
    const addedAt = (quantile) => median(rows.map((row) => row[name][quantile] - row[before][quantile]));
    const [added, addedP99] = [addedAt('p50Ms'), addedAt('p99Ms')];
    judged(
      what,
      `${ms(added)} at the median and ${ms(addedP99)} at p99, from ${ms(figure(before, 'p50Ms'))} to ${ms(figure(name, 'p50Ms'))}; p99 from ${ms(figure(before, 'p99Ms'))} to ${ms(figure(name, 'p99Ms'))}; ${figure(name, 'perSecond').toFixed(0)}/s`,
      added <= MAX_ADDED_MS && addedP99 <= MAX_ADDED_P99_MS,
      `${MAX_ADDED_MS} ms and ${MAX_ADDED_P99_MS} ms`,
    );
  }
  const ratios = rows.map(({ fast, closing }) => fast.perSecond / closing.perSecond);
  note('TLS target, direct calls', `${figure('fastDirect', 'perSecond').toFixed(0)}/s`);
  judged(
    'TLS target, kept and new connections',
    `${figure('fast', 'perSecond').toFixed(0)}/s and ${figure('closing', 'perSecond').toFixed(0)}/s, ratio ${spread(ratios)}`,
    median(ratios) >= MIN_TLS_RATIO,
    `at least ${MIN_TLS_RATIO} times`,
  );
}

async function load(loop, url, route, headers, ca) {
  const pool = new Pool(url, { connections: CONNECTIONS, connect: ca === undefined ? {} : { ca } });
  const times = [];
  const call = async () => {
    const before = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: route,
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"function":"f","input":{"text":"probity"}}',
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
    times.push(performance.now() - before);
  };
  const startedMs = performance.now();
  await loop(call, startedMs);
  const perSecond = (1000 * times.length) / (performance.now() - startedMs);
  await pool.close();
  return { perSecond, p50Ms: median(times), p99Ms: percentile(times, 99) };
}

async function closedLoop(call, startedMs) {
  const caller = async () => {
    while (performance.now() - startedMs < ROUND_MS) await call();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
}

async function openLoop(call, startedMs) {
  const calls = [];
  for (let number = 1; number <= (ROUND_MS / 1000) * CALLS_PER_SECOND; number += 1) {
    calls.push(call());
    const dueMs = startedMs + (1000 * number) / CALLS_PER_SECOND;
    await setTimeout(Math.max(0, dueMs - performance.now()));
  }
  await Promise.all(calls);
}
