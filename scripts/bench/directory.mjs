// The directory with many entries, on both stores: the speed of an import, of each kind of search, and of concurrent
// searches.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { endProcess, startProcess } from './children.mjs';
import { judged, median, ms, note, percentile } from './sheet.mjs';

const SEARCHES = {
  everything: '',
  'one word': 'q=common7',
  'a rare word': 'q=word777',
  'two words': 'q=common7+common9',
  category: 'category=category+1',
  tag: 'tags=tag0',
  'two tags': 'tags=tag0,tag1',
  transport: 'transport=websocket',
  audited: 'audited=true',
  uptime: 'minUptime=99',
  'response time': 'maxResponseTime=50',
  'all at once': 'q=common7&transport=http&audited=true&minUptime=90&tags=tag0',
  'a deep page': 'offset=50000&limit=100',
};
const ROUNDS = 200;
const WARM_UP = 20;
const MAX_MEDIAN_MS = 10;
const CONNECTIONS = 16;
const LOAD_MS = 10_000;
const TESTS = 10;
const UNLIMITED = ['read', 'test', 'targetTests', 'targetCalls'].flatMap((name) => [
  '--limit',
  `${name}=999999999/60`,
]);

export async function directory(entries = 100_000) {
  const { fill, startCluster } = await storeFunctions();
  for (const kind of ['embedded', 'postgres']) {
    console.log(`\ndirectory: ${entries} entries, ${kind}`);
    const cluster = kind === 'postgres' ? await startCluster({ fast: false }) : null;
    const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
    const databaseUrl = cluster === null ? null : `${cluster.url}/postgres`;
    try {
      const { key, putMs, tidyMs } = await fill(databaseUrl, folder, entries);
      note('import', `${Math.round((1000 * entries) / putMs)} entries/s, and ${ms(tidyMs)} to tidy up`);
      await withService(folder, databaseUrl, (url) => measure(url, key, entries));
    } finally {
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Built from the sources, because the code that fills a store is not part of the product. */
async function storeFunctions() {
  const file = path.resolve('coverage/bench-directory-store.mjs');
  await build({
    input: 'scripts/bench/directory-store.ts',
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    logLevel: 'warn',
    output: { file, format: 'esm', codeSplitting: false },
  });
  return import(pathToFileURL(file).href);
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
    await work(String(printed).trim());
  } finally {
    await endProcess(service);
  }
}

async function measure(url, key, entries) {
  const agent = new http.Agent({ keepAlive: true });
  const ask = scheduler(url, key, agent);
  for (const [name, query] of Object.entries(SEARCHES)) {
    const times = [];
    let total = 0;
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const before = performance.now();
      const answer = await ask('GET', `/v1/servers/search?${query}`);
      if (round >= WARM_UP) times.push(performance.now() - before);
      total = JSON.parse(answer.text).pagination.total;
    }
    judged(
      name,
      `${[median(times), percentile(times, 90), percentile(times, 99)].map(ms).join(' / ')}, ${total} found`,
      median(times) < MAX_MEDIAN_MS,
      `${MAX_MEDIAN_MS} ms at the median`,
    );
  }
  await load(url, key, 'without other work', async () => {});
  const testing = new AbortController();
  await load(url, key, `while ${TESTS} tests are run`, async () => {
    const testers = Array.from({ length: TESTS }, async (_, index) => {
      const test = scheduler(url, key, agent);
      while (!testing.signal.aborted) {
        const { status, text } = await test('POST', `/v1/servers/server-${index % entries}/test`);
        if (status === 404 && text.includes('no-such-path'))
          return note('tests', 'this directory has no /test');
      }
    });
    setTimeout(() => testing.abort(), LOAD_MS);
    await Promise.all(testers);
  });
  agent.destroy();
}

/** Concurrent searches of all kinds from this process; the service runs in another one. */
async function load(url, key, beside, other) {
  const queries = Object.values(SEARCHES).filter((query) => !query.startsWith('offset'));
  const times = [];
  let isOver = false;
  const started = performance.now();
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const searchers = Array.from({ length: CONNECTIONS }, async (_, index) => {
    const ask = scheduler(url, key, agent);
    for (let turn = index; !isOver; turn += 1) {
      const before = performance.now();
      const { status } = await ask('GET', `/v1/servers/search?${queries[turn % queries.length]}`);
      if (status !== 200) throw new Error(`a search was answered with ${status}`);
      times.push(performance.now() - before);
    }
  });
  const otherWork = other();
  setTimeout(() => {
    isOver = true;
  }, LOAD_MS);
  await Promise.all([...searchers, otherWork]);
  const perSecond = (1000 * times.length) / (performance.now() - started);
  note(
    `${CONNECTIONS} connections, ${beside}`,
    `${perSecond.toFixed(0)}/s, ${[median(times), percentile(times, 99), Math.max(...times)].map(ms).join(' / ')} (median, p99, longest)`,
  );
  agent.destroy();
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
