// Measures the product's claims, with peers in the same run. `npm run bench` runs all sections, `npm run bench -- truth
// compare=20` the named ones, with a smaller count for a quick result. `npm run bench -- check --before main~1` measures
// that commit in the same rounds.
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { buildsWith } from './bench/builds.mjs';
import { overCount } from './bench/sheet.mjs';

/** Sections that measure the built product, also that of another commit. */
const OF_BUILDS = {
  'start-up': async (rounds, builds) => (await import('./bench/start-up.mjs')).startUp(rounds, builds),
  check: async (rounds, builds) => (await import('./bench/check.mjs')).check(rounds, builds),
  targets: async (count, builds) => (await import('./bench/targets.mjs')).targets(count, builds),
  truth: async (runs, builds) => (await import('./bench/truth.mjs')).truth(runs, builds),
  peers: async (rounds, builds) => (await import('./bench/peers.mjs')).peers(rounds, builds),
  overhead: async (rounds, builds) => (await import('./bench/overhead.mjs')).overhead(rounds, builds),
  compare: async (comparisons, builds) => (await import('./bench/compare.mjs')).compare(comparisons, builds),
  scale: async (reports, builds) => (await import('./bench/scale.mjs')).scale(reports, builds),
};
const SECTIONS = {
  ...OF_BUILDS,
  unchanged: async (runs) => (await import('./bench/unchanged.mjs')).unchanged(runs),
  pace: async (seconds) => (await import('./bench/pace.mjs')).pace(seconds),
  histogram: async (rounds) => (await import('./bench/histogram.mjs')).histogram(rounds),
  render: async (rounds) => (await import('./bench/render.mjs')).render(rounds),
  pool: async (rounds) => (await import('./bench/pool.mjs')).pool(rounds),
  wires: async (rounds) => (await import('./bench/wires.mjs')).wires(rounds),
  bridge: async (rounds) => (await import('./bench/bridge.mjs')).bridge(rounds),
  gateway: async (rounds) => (await import('./bench/gateway.mjs')).gateway(rounds),
  'observed-days': async (entries) => (await import('./bench/observed-days.mjs')).observedDays(entries),
  fleet: async (entries) => (await import('./bench/fleet.mjs')).fleet(entries),
  directory: async (entries) => (await import('./bench/directory.mjs')).directory(entries),
};
const MAX_LOAD_PER_CORE = 0.5;

const {
  values: { before },
  positionals,
} = parseArgs({ options: { before: { type: 'string' } }, allowPositionals: true });
const known = before === undefined ? SECTIONS : OF_BUILDS;
const wanted = positionals.map((argument) => argument.split('='));
for (const [name, count] of wanted) {
  if (Object.hasOwn(known, name) && (count === undefined || Number(count) >= 1)) continue;
  console.error(
    `usage: npm run bench -- [${Object.keys(SECTIONS).join('|')}][=count] …\n       npm run bench -- [${Object.keys(OF_BUILDS).join('|')}][=count] … --before COMMIT`,
  );
  process.exit(2);
}
const builds = buildsWith(before);

const cores = availableParallelism();
const [load] = loadavg();
console.log(`Node.js ${process.versions.node}, ${cores} cores, load average ${load.toFixed(2)}`);
if (load > MAX_LOAD_PER_CORE * cores)
  console.log('WARNING: the machine has other work, which may affect the figures below');
for (const [name, count] of wanted.length > 0 ? wanted : Object.keys(known).map((name) => [name])) {
  await known[name](count === undefined ? undefined : Number(count), builds);
}
process.exit(overCount() > 0 ? 1 : 0);
