// Measures what the product promises, with peers in the same run: see HELP.
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { buildsWith } from './bench/builds.mjs';
import { overCount } from './bench/sheet.mjs';
import { printTable } from './bench/table.mjs';

/** The figures that have a goal. Each is loaded only if it is measured. */
const PARTS = {
  'start-up': async () => (await import('./bench/start-up.mjs')).startUp,
  check: async () => (await import('./bench/check.mjs')).check,
  streams: async () => (await import('./bench/check.mjs')).streams,
  larger: async () => (await import('./bench/check.mjs')).larger,
  targets: async () => (await import('./bench/targets.mjs')).targets,
  load: async () => (await import('./bench/peers.mjs')).load,
  memory: async () => (await import('./bench/scale.mjs')).memory,
  gateway: async () => (await import('./bench/gateway.mjs')).gateway,
  search: async () => (await import('./bench/directory.mjs')).search,
  probe: async () => (await import('./bench/fleet.mjs')).probe,
};
/** Longer measurements, each with lines of its own. */
const SECTIONS = {
  truth: async (runs, builds) => (await import('./bench/truth.mjs')).truth(runs, builds),
  peers: async (rounds, builds) => (await import('./bench/peers.mjs')).peers(rounds, builds),
  overhead: async (rounds, builds) => (await import('./bench/overhead.mjs')).overhead(rounds, builds),
  compare: async (comparisons, builds) => (await import('./bench/compare.mjs')).compare(comparisons, builds),
  scale: async (reports, builds) => (await import('./bench/scale.mjs')).scale(reports, builds),
  unchanged: async (runs) => (await import('./bench/unchanged.mjs')).unchanged(runs),
  pace: async (seconds) => (await import('./bench/pace.mjs')).pace(seconds),
  pool: async (rounds) => (await import('./bench/pool.mjs')).pool(rounds),
  bridge: async (rounds) => (await import('./bench/bridge.mjs')).bridge(rounds),
  'observed-days': async (entries) => (await import('./bench/observed-days.mjs')).observedDays(entries),
  fleet: async (entries) => (await import('./bench/fleet.mjs')).fleet(entries),
  directory: async (entries) => (await import('./bench/directory.mjs')).directory(entries),
};
const RUNS = 3;
const MAX_LOAD_PER_CORE = 0.5;

const HELP = `npm run bench                      measures each figure that has a goal in ${RUNS} runs, and prints one table of their
                                   medians: the figure, its goal, whether it is met, and what a peer takes in the same
                                   run (about a quarter of an hour)
npm run bench -- PART …            measures only these parts of the table:
                                   ${Object.keys(PARTS).join(', ')}
npm run bench -- SECTION[=N] …     measures more than the table shows, N is how often or how much:
                                   ${Object.keys(SECTIONS).slice(0, 7).join(', ')},
                                   ${Object.keys(SECTIONS).slice(7).join(', ')}

  --before COMMIT                  measures the build of that commit too, alternately. What needs sources of the directory
                                   is measured of this tree only
  --runs N                         how often the table is measured
  --help                           prints this text

The exit code is 1 if a goal is missed. CONTRIBUTING.md says what the parts and sections are. Peers: node -e 0, a loop of
fetch, the client of the MCP SDK, autocannon, a plain proxy and, if they are installed, wrk and nginx. The figures of the
directory need the programs of PostgreSQL. Trust only the figures of an idle machine.
`;

function usage(problem) {
  process.stderr.write(`${problem}\n\n${HELP}`);
  process.exit(2);
}

function given() {
  try {
    return parseArgs({
      options: {
        before: { type: 'string' },
        runs: { type: 'string', default: String(RUNS) },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return usage(error.message);
  }
}

const { values, positionals } = given();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const named = positionals.map((argument) => argument.split('='));
for (const [name, count] of named) {
  if (!Object.hasOwn(PARTS, name) && !Object.hasOwn(SECTIONS, name)) usage(`Nothing is called "${name}".`);
  if (count !== undefined && (Object.hasOwn(PARTS, name) || !(Number(count) >= 1)))
    usage(`"=${count}" is not possible after "${name}".`);
}
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) usage('--runs must be a whole number from 1.');
const parts = named.length === 0 ? Object.keys(PARTS) : Object.keys(PARTS).filter((part) => isNamed(part));

function isNamed(part) {
  return named.some(([name]) => name === part);
}

const builds = buildsWith(values.before);
const [load] = loadavg();
console.log(
  `Node.js ${process.versions.node}, ${availableParallelism()} cores, load average ${load.toFixed(2)}`,
);
if (load > MAX_LOAD_PER_CORE * availableParallelism())
  console.log('WARNING: the machine has other work, which may affect the figures below');
let missed = 0;
if (parts.length > 0)
  missed = await printTable(await Promise.all(parts.map((part) => PARTS[part]())), { runs, builds });
for (const [name, count] of named)
  await SECTIONS[name]?.(count === undefined ? undefined : Number(count), builds);
process.exit(missed + overCount() > 0 ? 1 : 0);
