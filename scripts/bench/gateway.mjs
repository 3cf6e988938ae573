// What the gateway of the directory adds to a call: the time of a call through it, less that of a direct call of the same
// target in the same run. A plain proxy, which only passes bodies on, shows what any process between the two adds.
//
// An open loop calls at a rate that no process has to wait for. A closed loop calls again as soon as a call is answered:
// there the caller, the gateway, its database and the target share the cores, and the time added is mostly the wait for one.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { importSources } from './built-from-sources.mjs';
import { endProcess, startProcess } from './children.mjs';
import { percentile } from './sheet.mjs';

const CONNECTIONS = 16;
const LOAD_MS = 3000;
const WARM_UP_MS = 1000;
const CALLS_PER_SECOND = 200;
/** A target that answers at once would be limited by the two processes that call it, not by the gateway. */
const TARGET_MS = 20;
const LIMITS = ['execute', 'targetCalls'].flatMap((name) => ['--limit', `${name}=999999999/60`]);
const [TARGET, PROXY] = ['gateway-target', 'plain-proxy'].map((name) =>
  path.resolve(`scripts/bench/${name}.mjs`),
);
/** Bytes of an answer. */
const SIZES = { small: 7, large: 1024 };
const ADDED = { unit: 'ms', peer: 'a plain proxy adds' };

export const gateway = {
  title: `What the gateway adds to a call of a target that answers after ${TARGET_MS} ms, at ${CALLS_PER_SECOND} calls a second`,
  onlyHere: true,
  goals: {
    'postgres small p50': { figure: 'PostgreSQL, answers of 7 bytes, p50', most: 1, ...ADDED },
    'postgres small p99': { figure: 'PostgreSQL, answers of 7 bytes, p99', most: 3, ...ADDED },
    'postgres large p50': { figure: 'PostgreSQL, answers of 1 KB, p50', most: 1, ...ADDED },
    'postgres large p99': { figure: 'PostgreSQL, answers of 1 KB, p99', most: 3, ...ADDED },
    'embedded small p50': { figure: 'embedded store, answers of 7 bytes, p50', most: 1, ...ADDED },
    'embedded small p99': { figure: 'embedded store, answers of 7 bytes, p99', most: 3, ...ADDED },
    'postgres closed p50': { figure: 'PostgreSQL, closed loop of 16 connections, p50', ...ADDED },
    tls: { figure: 'time of a call over TLS, to one on a new connection', most: 0.2, unit: '×' },
  },
  measure: () =>
    withTargets(async (targets, start) => ({
      ...(await withGateway('embedded', targets, start, (ways) => addedTo('small', openLoop, ways))),
      ...(await withGateway('postgres', targets, start, async (ways) => ({
        ...(await addedTo('small', openLoop, ways)),
        ...(await addedTo('large', openLoop, ways)),
        ...(await addedTo('small', closedLoop, ways, 'closed')),
        tls: (await meanMs(ways.kept.gateway)) / (await meanMs(ways.closing.gateway)),
      }))),
    })),
};

async function withTargets(work) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
  const started = [];
  const start = async (args, options) => {
    const child = startProcess(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
    started.push(child);
    return String((await once(child.stdout, 'data'))[0]).trim();
  };
  try {
    const sources = await importSources('scripts/bench/gateway-store.ts');
    const { pem, authority } = await sources.certificate();
    const files = { ca: path.join(folder, 'ca.pem'), pem: path.join(folder, 'target.pem') };
    writeFileSync(files.ca, authority);
    writeFileSync(files.pem, pem);
    const urls = {};
    for (const [name, args] of Object.entries({
      small: [TARGET_MS, '', 'keep', SIZES.small],
      large: [TARGET_MS, '', 'keep', SIZES.large],
      kept: [0, files.pem, 'keep', SIZES.small],
      closing: [0, files.pem, 'close', SIZES.small],
    }))
      urls[name] = await start([TARGET, ...args.map(String)]);
    return await work({ urls, folder, sources, ca: files.ca }, start);
  } finally {
    for (const child of started) await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls `work` with the ways to each target: through the gateway, directly, and through a plain proxy. */
async function withGateway(kind, { urls, folder, sources, ca }, start, work) {
  const cluster = kind === 'postgres' ? await sources.startCluster({ fast: false }) : null;
  try {
    const databaseUrl = cluster === null ? null : `${cluster.url}/postgres`;
    const data = path.join(folder, kind);
    const key = await sources.list(databaseUrl, data, urls);
    const { DATABASE_URL: _other, ...environment } = process.env;
    // No probes and tests of the targets.
    const queues = ['--queues', 'clean-up', '--log-level', 'silent'];
    const serve = [
      'serve',
      '--data',
      data,
      '--port',
      '0',
      '--allow-private',
      '--ca',
      ca,
      ...queues,
      ...LIMITS,
    ];
    const url = await start(['dist/probity.js', 'directory', ...serve], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...environment, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
    });
    const ways = {};
    for (const [name, target] of Object.entries(urls)) {
      const headers = { authorization: `Bearer ${key}` };
      ways[name] = { gateway: { url, route: `/v1/servers/${name}/execute`, headers } };
      if (!(name in SIZES)) continue;
      ways[name].direct = { url: target, route: '/execute', headers: {} };
      ways[name].proxy = { url: await start([PROXY, target]), route: '/execute', headers: {} };
    }
    const figures = Object.entries(await work(ways));
    return Object.fromEntries(figures.map(([id, figure]) => [id === 'tls' ? id : `${kind} ${id}`, figure]));
  } finally {
    await cluster?.stop();
  }
}

/** What the gateway adds to a direct call, and what a plain proxy does. */
async function addedTo(size, loop, ways, id = size) {
  const times = {};
  for (const way of ['direct', 'gateway', 'proxy']) {
    await load(loop, ways[size][way], WARM_UP_MS);
    times[way] = await load(loop, ways[size][way], LOAD_MS);
  }
  const addedAt = (percent) => {
    const [direct, ...others] = Object.values(times).map((list) => percentile(list, percent));
    return others.map((value) => value - direct);
  };
  return { [`${id} p50`]: addedAt(50), [`${id} p99`]: addedAt(99) };
}

async function meanMs(way) {
  const times = await load(closedLoop, way, WARM_UP_MS);
  return WARM_UP_MS / times.length;
}

/** Returns the time of each call. */
async function load(loop, { url, route, headers }, durationMs) {
  const pool = new Pool(url, { connections: CONNECTIONS });
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
  await loop(call, performance.now(), durationMs);
  await pool.close();
  return times;
}

async function closedLoop(call, startedMs, durationMs) {
  const caller = async () => {
    while (performance.now() - startedMs < durationMs) await call();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
}

async function openLoop(call, startedMs, durationMs) {
  const calls = [];
  for (let number = 1; number <= (durationMs / 1000) * CALLS_PER_SECOND; number += 1) {
    calls.push(call());
    const dueMs = startedMs + (1000 * number) / CALLS_PER_SECOND;
    await setTimeout(Math.max(0, dueMs - performance.now()));
  }
  await Promise.all(calls);
}
