// The directory with many entries, on both stores: the speed of an import, of single requests, and of a realistic mix of
// concurrent searches, also compared with the same searches without keys and limits. Of another commit, the import and
// the single requests.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { HERE, named } from './builds.mjs';
import { built, importSources } from './built-from-sources.mjs';
import { endedChildrenCpuMs, endProcess, output, startProcess } from './children.mjs';
import { measureRequests } from './directory-requests.mjs';
import { MIX, searchMix } from './search-mix.mjs';
import { judged, median, ms, note, percentile } from './sheet.mjs';

const CONNECTIONS = 16;
const LOAD_MS = 10_000;
const WARM_UP_MS = 3000;
const TESTS = 10;
const GOALS = {
  embedded: { perSecond: 1000, p99Ms: Number.POSITIVE_INFINITY },
  postgres: { perSecond: 2000, p99Ms: 25 },
};
/** Of the searches without keys and limits. */
const MIN_SHARE = 0.6;
const UNLIMITED = ['read', 'test', 'targetTests', 'targetCalls'].flatMap((name) => [
  '--limit',
  `${name}=999999999/60`,
]);

export async function directory(entries = 100_000, builds = [HERE]) {
  const { runStatement, startCluster } = await importSources('scripts/bench/directory-store.ts');
  for (const kind of ['embedded', 'postgres']) {
    console.log(`\ndirectory: ${entries} entries, ${kind}`);
    const cluster = kind === 'postgres' ? await startCluster({ fast: false }) : null;
    const folders = builds.map(() => mkdtempSync(path.join(os.tmpdir(), 'probity-bench-')));
    const agent = new http.Agent({ keepAlive: true });
    const services = [];
    try {
      for (const [index, build] of builds.entries()) {
        const folder = folders[index];
        const database = `build_${index}`;
        if (cluster !== null) await runStatement(cluster.url, `create database ${database}`);
        const databaseUrl = cluster === null ? null : `${cluster.url}/${database}`;
        const { key } = await fill(build, { databaseUrl, folder, entries });
        const service = await startService(build, folder, databaseUrl);
        services.push({
          ...service,
          build,
          key,
          folder,
          databaseUrl,
          ask: scheduler(service.url, key, agent),
        });
      }
      await measureRequests(services);
      const [{ url, key, ask, folder, databaseUrl }] = services;
      const mixed = await measureMix(url, key, ask, entries, GOALS[kind]);
      await Promise.all(services.splice(0).map(({ child }) => stopProcess(child)));
      await withPlain(folder, databaseUrl, async (plainUrl) => {
        await load(plainUrl, key, WARM_UP_MS);
        const plain = await load(plainUrl, key);
        const share = mixed.perSecond / plain.perSecond;
        note('plain Fastify and the same search', shown(plain));
        judged('share of it', share.toFixed(2), share >= MIN_SHARE, `at least ${MIN_SHARE}`);
      });
    } finally {
      agent.destroy();
      await Promise.all(services.map(({ child }) => stopProcess(child)));
      await cluster?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** In its folder, a build fills a store with its own sources. */
const FILL = `
  import { importSources } from './scripts/bench/built-from-sources.mjs';
  const [databaseUrl, folder, entries] = process.argv.slice(1);
  const { fill } = await importSources('scripts/bench/directory-store.ts');
  console.log(JSON.stringify(await fill(databaseUrl || null, folder, Number(entries))));
`;

async function fill(build, { databaseUrl, folder, entries }) {
  const cpuBefore = endedChildrenCpuMs();
  const printed = await output(
    process.execPath,
    ['--input-type=module', '-e', FILL, databaseUrl ?? '', folder, String(entries)],
    { cwd: build.folder },
  );
  const cpuMs = cpuBefore === null ? null : endedChildrenCpuMs() - cpuBefore;
  const { key, putMs, tidyMs } = JSON.parse(printed);
  const speed = `${Math.round((1000 * entries) / putMs)} entries/s, and ${ms(tidyMs)} to tidy up`;
  note(named('import', build), cpuMs === null ? speed : `${speed}; ${cpuMs} ms of CPU of its process`);
  return { key };
}

async function withPlain(folder, databaseUrl, work) {
  const plain = startProcess(
    process.execPath,
    [await built('directory/bench/plain-search.ts'), databaseUrl ?? '', folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const [printed] = await once(plain.stdout, 'data');
    await work(String(printed).trim());
  } finally {
    await stopProcess(plain);
  }
}

/** Ends a process gently, so that another one can open the data folder at once. */
async function stopProcess(child) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000))]);
  await endProcess(child);
}

async function startService({ folder: cwd }, folder, databaseUrl) {
  const command = [
    'dist/probity.js',
    'directory',
    'serve',
    '--data',
    folder,
    '--port',
    '0',
    '--allow-private',
  ];
  const { DATABASE_URL: _other, ...environment } = process.env;
  const child = startProcess(
    process.execPath,
    [...command, '--public-pages', '--queues', 'test', '--log-level', 'silent', ...UNLIMITED],
    {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...environment, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
    },
  );
  const [printed] = await once(child.stdout, 'data');
  return { child, url: String(printed).trim() };
}

async function measureMix(url, key, ask, entries, { perSecond, p99Ms }) {
  note('the mix', MIX);
  await load(url, key, WARM_UP_MS);
  const alone = await load(url, key);
  judged(
    `${CONNECTIONS} connections, the mix`,
    shown(alone),
    alone.perSecond >= perSecond && alone.p99Ms < p99Ms,
    `${perSecond}/s${Number.isFinite(p99Ms) ? `, p99 ${p99Ms} ms` : ''}`,
  );
  const testing = new AbortController();
  const testers = Array.from({ length: TESTS }, async (_, index) => {
    while (!testing.signal.aborted) await ask('POST', `/v1/servers/server-${index % entries}/test`);
  });
  const besides = await load(url, key);
  testing.abort();
  judged(
    `while ${TESTS} tests are run`,
    shown(besides),
    besides.p99Ms <= 2 * alone.p99Ms,
    `p99 ${ms(2 * alone.p99Ms)}, twice that without tests`,
  );
  await Promise.all(testers);
  return alone;
}

function shown({ perSecond, p50Ms, p99Ms, maxMs }) {
  return `${perSecond.toFixed(0)}/s, ${[p50Ms, p99Ms, maxMs].map(ms).join(' / ')} (median, p99, longest)`;
}

let loads = 0;

/** Concurrent searches from this process; the service runs in another one. */
async function load(url, key, durationMs = LOAD_MS) {
  const times = [];
  const pool = new Pool(url, { connections: CONNECTIONS });
  // The same popular searches each time, but other rare ones.
  loads += 1;
  const next = searchMix(seeded(20_261_125), seeded(loads));
  const started = performance.now();
  const searcher = async () => {
    while (performance.now() - started < durationMs) {
      const before = performance.now();
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `/v1/servers/search?${next()}`,
        headers: { authorization: `Bearer ${key}` },
      });
      await body.dump({ limit: 10_000_000 });
      if (statusCode !== 200) throw new Error(`a search was answered with ${statusCode}`);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, searcher));
  const perSecond = (1000 * times.length) / (performance.now() - started);
  await pool.close();
  return { perSecond, p50Ms: median(times), p99Ms: percentile(times, 99), maxMs: Math.max(...times) };
}

/** Numbers from 0 to 1 (mulberry32). */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function scheduler(url, key, agent) {
  return (method, requestPath) =>
    new Promise((resolve, reject) => {
      const request = http.request(
        `${url}${requestPath}`,
        { method, agent, headers: { authorization: `Bearer ${key}` } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece) => {
            text += piece;
          });
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      request.on('error', reject);
      request.end();
    });
}
