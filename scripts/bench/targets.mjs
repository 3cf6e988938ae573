// Many targets timed in one process: how long all take, and whether each is timed as if it were alone.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HERE, judgedHere, named } from './builds.mjs';
import { endProcess, forkScript, startProcess } from './children.mjs';
import { median, note, percentile } from './sheet.mjs';

const CHECK_MANY = fileURLToPath(import.meta.resolve('./check-many.mjs'));
/** Checked alone, before and after the others. */
const ALONE = 5;
const MAX_APART = 0.05;
/** Of the time that all of them take one after another. */
const MAX_SHARE = 1;

export async function targets(count = 200, builds = [HERE]) {
  console.log(`targets: ${count} servers that answer in 1 ms, checked with timing at once in one process`);
  const server = startProcess(
    process.execPath,
    ['scripts/bench/steady-server.mjs', '0', 'wait', '1', String(count)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [ports] = await once(server.stdout.setEncoding('utf8'), 'data');
  const urls = ports
    .trim()
    .split(' ')
    .map((port) => `http://127.0.0.1:${port}`);
  for (const build of builds) await measure(build, urls);
  await endProcess(server);
}

async function measure(build, urls) {
  const child = forkScript(CHECK_MANY, [build.folder]);
  const ask = async (message) => {
    child.send(message);
    const [answer] = await once(child, 'message');
    return answer;
  };
  const oneByOne = () => ask({ urls: urls.slice(0, ALONE), jobs: 1 });
  const before = await oneByOne();
  const all = await ask({ urls, jobs: urls.length });
  const after = await oneByOne();
  await endProcess(child);

  const alone = [...before.checked, ...after.checked];
  const aloneMs = (before.tookMs + after.tookMs) / alone.length;
  const share = all.tookMs / (aloneMs * urls.length);
  if (build !== HERE) note(named('', build), '');
  const took = `${(all.tookMs / 1000).toFixed(1)} s, ${share.toFixed(2)} of one after another`;
  judgedHere(build, 'all', took, share <= MAX_SHARE, MAX_SHARE.toFixed(2));
  note('CPU, memory', `${(all.cpuMs / urls.length).toFixed(0)} ms a check, ${all.peakMb.toFixed(0)} MB`);
  const passed = all.checked.filter(({ verdict }) => verdict === 'pass').length;
  judgedHere(build, 'passed', `${passed} of ${urls.length}`, passed === urls.length, 'all');
  const [share1, shareAll] = [alone, all.checked].map(reliableShare);
  judgedHere(
    build,
    'reliable figures',
    `${percent(shareAll)}, alone ${percent(share1)}`,
    shareAll >= share1 - MAX_APART,
    `${percent(share1 - MAX_APART)}`,
  );
  const ratios = ratiosOf(all.checked, alone);
  const apart = Math.abs(median(ratios) - 1);
  const ranged = `${median(ratios).toFixed(3)} (${[5, 95].map((part) => percentile(ratios, part).toFixed(3)).join(' to ')})`;
  judgedHere(build, 'p50, to that of checks alone', ranged, apart <= MAX_APART, `1 ± ${MAX_APART}`);
}

function reliableShare(checked) {
  const timed = checked.flatMap((one) => one.timed);
  return timed.filter(({ isReliable }) => isReliable).length / timed.length;
}

/** Of each reliable median to the one of the same operation in checks that ran alone. */
function ratiosOf(checked, alone) {
  const reliable = (list) =>
    list.flatMap(({ timed }) => timed).filter(({ isReliable, p50Ms }) => isReliable && p50Ms !== undefined);
  const byOperation = new Map();
  for (const { operation, p50Ms } of reliable(alone))
    byOperation.set(operation, [...(byOperation.get(operation) ?? []), p50Ms]);
  return reliable(checked)
    .filter(({ operation }) => byOperation.has(operation))
    .map(({ operation, p50Ms }) => p50Ms / median(byOperation.get(operation)));
}

function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}
