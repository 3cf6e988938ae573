// Whether a comparison reports a difference where there is none, and finds an existing one. Uses real runs, because
// generated numbers lack the drift of a machine and differences between connections.
import { HERE, judgedHere } from './builds.mjs';
import { libraryOf, prepareLoads } from './load.mjs';
import { startDelayServer } from './servers.mjs';
import { note } from './sheet.mjs';

/** The spread of a real server, small enough that six runs of this length show a difference of 10 %. */
const BASE = 'lognormal:5:0.2';
const SLOWER = 'lognormal:5.5:0.2';
/** Alternately, so that a drift is not blamed on one of the two. */
const TURNS = 'ABBAABBAABBA';
const ORDER = {
  model: { kind: 'open', ratePerSecond: 800, arrivals: 'constant', maxConnections: 20 },
  durationMs: 150,
  warmUpMs: 0,
};
const MAX_CLAIMED_SHARE = 0.01;
const MIN_FOUND_SHARE = 0.95;

export async function compare(comparisons = 200, builds = [HERE]) {
  const slower = Math.max(1, Math.round(comparisons / 5));
  const server = await startDelayServer([BASE, SLOWER]);
  const { [BASE]: base, [SLOWER]: slow } = server.urls;
  console.log(
    `compare: six alternating runs of each, ${ORDER.durationMs} ms at ${ORDER.model.ratePerSecond}/s`,
  );
  const measured = [];
  for (const build of builds) {
    const loads = await prepareLoads([base, slow], { build });
    await loads.run(base, { ...ORDER, durationMs: 2000 });
    const { compareRuns } = await libraryOf(build);
    measured.push({ build, loads, compareRuns, same: [], different: [], doubtful: 0 });
  }

  // These alternate too, so that all see the same state of the machine.
  for (let index = 0; index < comparisons; index += 1)
    for (const one of measured) {
      one.same.push(await once(one, base, base));
      if (one.different.length < slower && (index + 1) * slower >= (one.different.length + 1) * comparisons)
        one.different.push(await once(one, base, slow));
    }
  for (const { loads } of measured) await loads.close();
  await server.close();
  for (const one of measured) print(one);
}

async function once(measured, urlA, urlB) {
  const runs = { A: [], B: [] };
  for (const turn of TURNS) {
    const figures = await measured.loads.run(turn === 'A' ? urlA : urlB, ORDER);
    const { p50Ms, p90Ms, p99Ms, meanMs, doubts } = figures;
    if (doubts.length > 0) measured.doubtful += 1;
    runs[turn].push({ p50Ms, p90Ms, p99Ms, meanMs });
  }
  return measured.compareRuns(runs.A, runs.B).outcome;
}

function print({ build, same, different, doubtful }) {
  if (build !== HERE) note(build.name, '');
  const claimed = same.filter((outcome) => outcome !== 'no-difference-shown').length;
  judgedHere(
    build,
    'the same server, a difference reported',
    `${claimed} of ${same.length}`,
    claimed <= MAX_CLAIMED_SHARE * same.length,
    `at most ${MAX_CLAIMED_SHARE * 100} %`,
  );
  const found = different.filter((outcome) => outcome === 'worse').length;
  judgedHere(
    build,
    '10 % slower, found worse',
    `${found} of ${different.length}`,
    found >= MIN_FOUND_SHARE * different.length,
    `at least ${MIN_FOUND_SHARE * 100} %`,
  );
  if (doubtful > 0) note('runs that report themselves as unreliable', String(doubtful));
}
