// What a client adds to a known latency over one connection, compared with wrk, which is written in C.
import { HERE } from './builds.mjs';
import { loadApart } from './load.mjs';
import { findWrk } from './load-peers.mjs';
import { tookMsOf } from './server-times.mjs';
import { startDelayServer } from './servers.mjs';
import { judged, mean, median, ms, note, percentile, spread } from './sheet.mjs';

const DELAY = 'fixed:5';
const DURATION_MS = 3000;
const WARM_UP_MS = 1000;
const MAX_RATIO = 1.5;

async function ours(url, durationMs, build = HERE) {
  const order = { model: { kind: 'closed', connections: 1 }, durationMs, warmUpMs: WARM_UP_MS };
  return loadApart(url, order, { build });
}

export async function overhead(rounds = 5, [, ...others] = [HERE]) {
  console.log(
    `overhead: one connection, closed loop, 5 ms; median over the median that the server logged, of ${rounds} rounds`,
  );
  const wrk = findWrk();
  if (wrk === null) note('wrk', 'not installed, so nothing is compared');
  const clients = {
    ours,
    ...Object.fromEntries(
      others.map((build) => [build.name, (url, durationMs) => ours(url, durationMs, build)]),
    ),
    ...(wrk !== null && { wrk: (url, durationMs) => wrk(url, { connections: 1, durationMs }) }),
  };
  const server = await startDelayServer([DELAY]);
  const added = Object.fromEntries(Object.keys(clients).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, client] of Object.entries(clients)) {
      await server.reset();
      const { p50Ms, meanMs } = await client(server.urls[DELAY], DURATION_MS);
      const tookMs = tookMsOf(await server.log());
      added[name].push({ p50Ms: p50Ms - percentile(tookMs, 50), meanMs: meanMs - mean(tookMs) });
    }
  }
  await server.close();
  for (const [name, figures] of Object.entries(added)) {
    const p50Ms = median(figures.map((one) => one.p50Ms));
    const meanMs = median(figures.map((one) => one.meanMs));
    note(`${name} adds`, `${ms(p50Ms)} to the median, ${ms(meanMs)} to the mean`);
  }
  if (wrk === null) return;
  const ratios = added.ours.map(({ p50Ms }, round) => p50Ms / added.wrk[round].p50Ms);
  judged('ours over wrk, medians', spread(ratios), median(ratios) <= MAX_RATIO, `at most ${MAX_RATIO}`);
}
