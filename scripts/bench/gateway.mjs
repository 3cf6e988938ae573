// What the gateway adds to a call, and its calls per second, compared with direct calls of the same target in the same
// run. Targets with TLS are also called without kept connections: they close each one after its answer.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { Pool } from 'undici';
import { endProcess, startProcess } from './children.mjs';
import { judged, median, ms, note, percentile, spread } from './sheet.mjs';

const CONNECTIONS = 16;
const ROUND_MS = 3000;
/** A target that answers at once would be limited by the two processes that call it, not by the gateway. */
const TARGET_MS = 20;
const MAX_ADDED_MS = 1;
const MIN_TLS_RATIO = 5;
const LIMITS = ['execute', 'targetCalls'].flatMap((name) => ['--limit', `${name}=999999999/60`]);
const TARGET = path.resolve('scripts/bench/gateway-target.mjs');

export async function gateway(rounds = 5) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
  const { certificate, list } = await storeFunctions();
  const { pem, authority } = await certificate();
  const files = { ca: path.join(folder, 'ca.pem'), pem: path.join(folder, 'target.pem') };
  writeFileSync(files.ca, authority);
  writeFileSync(files.pem, pem);
  const targets = {};
  const started = [];
  try {
    for (const [name, args] of Object.entries({
      plain: [TARGET_MS, '', 'keep'],
      fast: [0, files.pem, 'keep'],
      closing: [0, files.pem, 'close'],
    })) {
      const child = startProcess(process.execPath, [TARGET, ...args.map(String)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.push(child);
      targets[name] = String((await once(child.stdout, 'data'))[0]).trim();
    }
    const data = path.join(folder, 'data');
    const key = await list(data, targets);
    const service = startProcess(
      process.execPath,
      [
        'dist/probity.js',
        'directory',
        'serve',
        '--data',
        data,
        '--port',
        '0',
        '--allow-private',
        // No probes and tests of the targets.
        '--queues',
        'clean-up',
      ]
        .concat(['--ca', files.ca, '--log-level', 'silent'])
        .concat(LIMITS),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    started.push(service);
    const url = String((await once(service.stdout, 'data'))[0]).trim();
    console.log(
      `gateway: ${CONNECTIONS} connections, embedded database, medians of ${rounds} interleaved rounds of ${ROUND_MS / 1000} s`,
    );
    await compare(url, key, targets, authority, rounds);
  } finally {
    for (const child of started) await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(url, key, targets, ca, rounds) {
  const through = (id) => load(url, `/v1/servers/${id}/execute`, { authorization: `Bearer ${key}` });
  const rows = [];
  for (let round = 0; round <= rounds; round += 1) {
    const row = {};
    for (const [name, call] of Object.entries({
      direct: () => load(targets.plain, '/execute', {}),
      gateway: () => through('plain'),
      fastDirect: () => load(targets.fast, '/execute', {}, ca),
      fast: () => through('fast'),
      closing: () => through('closing'),
    }))
      row[name] = await call();
    // The first round warms up.
    if (round > 0) rows.push(row);
  }
  const figure = (name, key) => median(rows.map((row) => row[name][key]));
  const added = rows.map(({ direct, gateway }) => gateway.p50Ms - direct.p50Ms);
  judged(
    `added, target of ${TARGET_MS} ms`,
    `${ms(median(added))}, from ${ms(figure('direct', 'p50Ms'))} to ${ms(figure('gateway', 'p50Ms'))}; p99 from ${ms(figure('direct', 'p99Ms'))} to ${ms(figure('gateway', 'p99Ms'))}`,
    median(added) <= MAX_ADDED_MS,
    `${MAX_ADDED_MS} ms at the median`,
  );
  const ratios = rows.map(({ fast, closing }) => fast.perSecond / closing.perSecond);
  note('TLS target, direct calls', `${figure('fastDirect', 'perSecond').toFixed(0)}/s`);
  judged(
    'TLS target, kept and new connections',
    `${figure('fast', 'perSecond').toFixed(0)}/s and ${figure('closing', 'perSecond').toFixed(0)}/s, ratio ${spread(ratios)}`,
    median(ratios) >= MIN_TLS_RATIO,
    `at least ${MIN_TLS_RATIO} times`,
  );
}

async function load(url, route, headers, ca) {
  const pool = new Pool(url, { connections: CONNECTIONS, connect: ca === undefined ? {} : { ca } });
  const times = [];
  const startedMs = performance.now();
  const caller = async () => {
    while (performance.now() - startedMs < ROUND_MS) {
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
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  const perSecond = (1000 * times.length) / (performance.now() - startedMs);
  await pool.close();
  return { perSecond, p50Ms: median(times), p99Ms: percentile(times, 99) };
}

async function storeFunctions() {
  // Beside the thread of the embedded database.
  const file = path.resolve('directory/dist/bench-gateway-store.mjs');
  await build({
    input: 'scripts/bench/gateway-store.ts',
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    logLevel: 'warn',
    transform: { define: { BUILT: 'true' } },
    output: { file, format: 'esm', codeSplitting: false },
  });
  return import(pathToFileURL(file).href);
}
