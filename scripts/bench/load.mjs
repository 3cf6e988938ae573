// Loads by the product's engine, and the figures that the sections use.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HERE } from './builds.mjs';
import { output } from './children.mjs';

const ONE_LOAD = fileURLToPath(import.meta.resolve('./one-load.mjs'));
const SPARE_MS = 20_000;

/** Prepares loads of several servers by one engine in this process, which does nothing else meanwhile. */
export async function prepareLoads(urls, { bench = {}, build = HERE } = {}) {
  const { prepareBench, startLoadEngine } = await libraryOf(build);
  const engine = startLoadEngine();
  const { signal } = new AbortController();
  const benches = new Map();
  for (const url of urls) benches.set(url, await prepareBench(url, bench, engine, signal));
  return {
    run: async (url, order) =>
      figuresOf(await benches.get(url).run({ maxRequests: null, ...order }, { signal })),
    close: () => engine.close(),
  };
}

export function libraryOf({ library }) {
  return import(pathToFileURL(library).href);
}

/** A load in a separate process, which is passed to `started`; GET /health unless `bench` has other calls. */
export async function loadApart(url, order, { wrap = [], started, bench, build } = {}) {
  const load = JSON.stringify({ url, order, bench, build });
  const [command, ...args] = [...wrap, process.execPath, ONE_LOAD, load];
  const timeoutMs = order.durationMs + order.warmUpMs + SPARE_MS;
  return JSON.parse(await output(command, args, { timeoutMs, started }));
}

function figuresOf({ series: [first], throughputPerSecond, client, doubts, durationMs, stoppedBy }) {
  const at = (wanted) => first.latency?.percentiles.find(({ percentile }) => percentile === wanted)?.valueMs;
  const errors = first.errors.reduce((sum, { count }) => sum + count, 0);
  if (stoppedBy !== null || errors > 0)
    throw new Error(`a load failed: ${stoppedBy ?? JSON.stringify(first.errors)}`);
  return {
    count: first.count,
    durationMs,
    throughputPerSecond,
    meanMs: first.latency?.meanMs,
    p50Ms: at('p50'),
    p90Ms: at('p90'),
    p99Ms: at('p99'),
    client,
    doubts,
  };
}
