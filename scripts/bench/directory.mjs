// The directory with many entries, on both stores: the speed of an import, of single requests, and of a realistic mix of
// concurrent searches, also compared with the same searches without keys and limits.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { built, importSources } from './built-from-sources.mjs';
import { endProcess, startProcess } from './children.mjs';
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
/** Of the p99 without tests. */
const MAX_BESIDE = 2;
/** Of the searches without keys and limits. */
const MIN_SHARE = 0.6;
const UNLIMITED = ['read', 'test', 'targetTests', 'targetCalls'].flatMap((name) => [
  '--limit',
  `${name}=999999999/60`,
]);

/** Enough that a search has to look for what it finds. */
const ENTRIES = 20_000;

export const search = {
  title: `Searches of ${CONNECTIONS} callers at once, in a directory of ${ENTRIES} servers in PostgreSQL`,
  onlyHere: true,
  goals: {
    p99: {
      figure: `p99 beside ${TESTS} tests, to that without`,
      most: MAX_BESIDE,
      unit: '×',
      peer: 'p99 without tests',
      peerUnit: 'ms',
    },
  },
  measure: () =>
    withStore('postgres', ENTRIES, ({ key, serve }) =>
      serve(async (url) => {
        await load(url, key, WARM_UP_MS);
        const alone = await load(url, key);
        const beside = await besideTests(url, key, ENTRIES);
        return { p99: [beside.p99Ms / alone.p99Ms, alone.p99Ms] };
      }),
    ),
};

export async function directory(entries = 100_000) {
  for (const kind of ['embedded', 'postgres']) {
    console.log(`\ndirectory: ${entries} entries, ${kind}`);
    await withStore(kind, entries, async ({ key, putMs, tidyMs, serve, servePlain }) => {
      note('import', `${Math.round((1000 * entries) / putMs)} entries/s, and ${ms(tidyMs)} to tidy up`);
      const mixed = await serve((url) => measure(url, key, entries, GOALS[kind]));
      await servePlain(async (url) => {
        await load(url, key, WARM_UP_MS);
        const plain = await load(url, key);
        const share = mixed.perSecond / plain.perSecond;
        note('plain Fastify and the same search', shown(plain));
        judged('share of it', share.toFixed(2), share >= MIN_SHARE, `at least ${MIN_SHARE}`);
      });
    });
  }
}

/** Calls `work` with a filled store and its key, and with what serves it. */
async function withStore(kind, entries, work) {
  const { fill, startCluster } = await importSources('scripts/bench/directory-store.ts');
  const cluster = kind === 'postgres' ? await startCluster({ fast: false }) : null;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
  const databaseUrl = cluster === null ? null : `${cluster.url}/postgres`;
  try {
    return await work({
      ...(await fill(databaseUrl, folder, entries)),
      serve: (served) => withService(folder, databaseUrl, served),
      servePlain: (served) => withPlain(folder, databaseUrl, served),
    });
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
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

async function withService(folder, databaseUrl, work) {
  const command = [
    'dist/probity.js',
    'directory',
    'serve',
    '--data',
    folder,
    '--port',
    '0',
    '--allow-private',
    '--public-pages',
  ];
  const { DATABASE_URL: _other, ...environment } = process.env;
  const service = startProcess(
    process.execPath,
    [...command, '--queues', 'test', '--log-level', 'silent', ...UNLIMITED],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...environment, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
    },
  );
  try {
    const [printed] = await once(service.stdout, 'data');
    return await work(String(printed).trim());
  } finally {
    await stopProcess(service);
  }
}

async function measure(url, key, entries, { perSecond, p99Ms }) {
  const agent = new http.Agent({ keepAlive: true });
  const ask = scheduler(url, key, agent);
  await measureRequests(ask);
  note('the mix', MIX);
  await load(url, key, WARM_UP_MS);
  const alone = await load(url, key);
  judged(
    `${CONNECTIONS} connections, the mix`,
    shown(alone),
    alone.perSecond >= perSecond && alone.p99Ms < p99Ms,
    `${perSecond}/s${Number.isFinite(p99Ms) ? `, p99 ${p99Ms} ms` : ''}`,
  );
  agent.destroy();
  const besides = await besideTests(url, key, entries);
  judged(
    `while ${TESTS} tests are run`,
    shown(besides),
    besides.p99Ms <= MAX_BESIDE * alone.p99Ms,
    `p99 ${ms(MAX_BESIDE * alone.p99Ms)}, twice that without tests`,
  );
  return alone;
}

/** The same load while tests are run, one after another by each of ten callers. */
async function besideTests(url, key, entries) {
  const agent = new http.Agent({ keepAlive: true });
  const test = scheduler(url, key, agent);
  const testing = new AbortController();
  const testers = Array.from({ length: TESTS }, async (_, index) => {
    while (!testing.signal.aborted) await test('POST', `/v1/servers/server-${index % entries}/test`);
  });
  const besides = await load(url, key);
  testing.abort();
  await Promise.all(testers);
  agent.destroy();
  return besides;
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
