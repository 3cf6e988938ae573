// Measures the product's claims, with peers in the same run. `npm run bench` runs all sections, `npm run bench -- truth
// compare=20` the named ones, with a smaller count for a quick result.
import { availableParallelism, loadavg } from 'node:os';
import { overCount } from './bench/sheet.mjs';

const SECTIONS = {
  'start-up': async (rounds) => (await import('./bench/start-up.mjs')).startUp(rounds),
  check: async (rounds) => (await import('./bench/check.mjs')).check(rounds),
  unchanged: async (runs) => (await import('./bench/unchanged.mjs')).unchanged(runs),
  truth: async (runs) => (await import('./bench/truth.mjs')).truth(runs),
  peers: async (rounds) => (await import('./bench/peers.mjs')).peers(rounds),
  overhead: async (rounds) => (await import('./bench/overhead.mjs')).overhead(rounds),
  pace: async (seconds) => (await import('./bench/pace.mjs')).pace(seconds),
  compare: async (comparisons) => (await import('./bench/compare.mjs')).compare(comparisons),
  histogram: async (rounds) => (await import('./bench/histogram.mjs')).histogram(rounds),
  render: async (rounds) => (await import('./bench/render.mjs')).render(rounds),
  scale: async (reports) => (await import('./bench/scale.mjs')).scale(reports),
  bridge: async (rounds) => (await import('./bench/bridge.mjs')).bridge(rounds),
  gateway: async (rounds) => (await import('./bench/gateway.mjs')).gateway(rounds),
  directory: async (entries) => (await import('./bench/directory.mjs')).directory(entries),
};
const MAX_LOAD_PER_CORE = 0.5;

const wanted = process.argv.slice(2).map((argument) => argument.split('='));
for (const [name, count] of wanted) {
  if (Object.hasOwn(SECTIONS, name) && (count === undefined || Number(count) >= 1)) continue;
  console.error(`usage: npm run bench -- [${Object.keys(SECTIONS).join('|')}][=count] …`);
  process.exit(2);
}

const cores = availableParallelism();
const [load] = loadavg();
console.log(`Node.js ${process.versions.node}, ${cores} cores, load average ${load.toFixed(2)}`);
if (load > MAX_LOAD_PER_CORE * cores)
  console.log('WARNING: the machine has other work, which may affect the figures below');
for (const [name, count] of wanted.length > 0 ? wanted : Object.keys(SECTIONS).map((name) => [name])) {
  await SECTIONS[name](count === undefined ? undefined : Number(count));
}
process.exit(overCount() > 0 ? 1 : 0);
