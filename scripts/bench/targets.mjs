// Many targets in one process: how long all take, timed and untimed, and whether each is timed as if it were alone.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
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
const MAX_UNTIMED_SHARE = 1 / availableParallelism();

export async function targets(count = 200, builds = [HERE]) {
  console.log(`targets: ${count} servers that answer in 1 ms, checked at once in one process`);
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
  /** Those that are checked alone come before and after the others. */
  const checkAll = async (isTimed) => {
    const oneByOne = () => ask({ urls: urls.slice(0, ALONE), jobs: 1, isTimed });
    const [before, all, after] = [
      await oneByOne(),
      await ask({ urls, jobs: urls.length, isTimed }),
      await oneByOne(),
    ];
    const aloneMs = (before.tookMs + after.tookMs) / (2 * ALONE);
    return { before, all, after, share: all.tookMs / (aloneMs * urls.length) };
  };
  const untimed = await checkAll(false);
  const { before, all, after, share } = await checkAll(true);
  await endProcess(child);

  const alone = [...before.checked, ...after.checked];
  if (build !== HERE) note(named('', build), '');
  judgeTogether(build, 'untimed', untimed, MAX_UNTIMED_SHARE);
  judgeTogether(build, 'timed', { all, share }, MAX_SHARE);
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

function judgeTogether(build, name, { all, share }, maxShare) {
  const { tookMs, cpuMs, peakMb, checked } = all;
  const took = `${(tookMs / 1000).toFixed(1)} s, ${share.toFixed(2)} of one after another`;
  judgedHere(build, name, took, share <= maxShare, maxShare.toFixed(2));
  note(`${name}: CPU, memory`, `${(cpuMs / checked.length).toFixed(0)} ms a check, ${peakMb.toFixed(0)} MB`);
  const passed = checked.filter(({ verdict }) => verdict === 'pass').length;
  judgedHere(build, `${name}: passed`, `${passed} of ${checked.length}`, passed === checked.length, 'all');
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
