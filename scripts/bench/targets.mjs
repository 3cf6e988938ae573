// Many targets in one process: how long all take compared with one after another, and whether each is timed as if it were
// alone.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endProcess, forkScript, startProcess } from './children.mjs';
import { median } from './sheet.mjs';

const CHECK_MANY = fileURLToPath(import.meta.resolve('./check-many.mjs'));
/** Checked alone, before and after the others. */
const ALONE = 5;
const UNTIMED = 200;
/** As only one at a time is timed, more of them would only take longer. */
const TIMED = 20;

export const targets = {
  title:
    'Servers that answer in 1 ms, all checked at once by one process: the time, as a part of that of one after another',
  goals: {
    untimed: { figure: `${UNTIMED} servers without timing`, most: 1 / availableParallelism() },
    timed: { figure: `${TIMED} servers with timing`, most: 1 },
    reliable: { figure: 'unreliable figures, more than of checks alone', most: 5, unit: '%' },
    apart: { figure: 'p50 of the others, apart from that of checks alone', most: 5, unit: '%' },
    // That of commit 3a5e4766.
    peak: { figure: `memory at its peak, ${UNTIMED} servers without timing`, most: 1090, unit: 'MB' },
  },
  measure: async (build) => {
    const server = startProcess(
      process.execPath,
      ['scripts/bench/steady-server.mjs', '0', 'wait', '1', String(UNTIMED)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const child = forkScript(CHECK_MANY, [build.folder]);
    try {
      const [ports] = await once(server.stdout.setEncoding('utf8'), 'data');
      const urls = ports
        .trim()
        .split(' ')
        .map((port) => `http://127.0.0.1:${port}`);
      const untimed = await together(child, urls, false);
      const timed = await together(child, urls.slice(0, TIMED), true);
      const [alone, all] = [timed.alone, timed.all.checked].map(reliableShare);
      return {
        untimed: untimed.share,
        timed: timed.share,
        reliable: 100 * Math.max(0, alone - all),
        apart: 100 * Math.abs(median(ratiosOf(timed.all.checked, timed.alone)) - 1),
        peak: untimed.all.peakMb,
      };
    } finally {
      await endProcess(child);
      await endProcess(server);
    }
  },
};

async function together(child, urls, isTimed) {
  const checkAll = async (some, jobs) => {
    child.send({ urls: some, jobs, isTimed });
    const [answer] = await once(child, 'message');
    const failed = answer.checked.filter(({ verdict }) => verdict !== 'pass').length;
    if (failed > 0) throw new Error(`${failed} of ${some.length} checks of conforming servers did not pass`);
    return answer;
  };
  const oneByOne = () => checkAll(urls.slice(0, ALONE), 1);
  const [before, all, after] = [await oneByOne(), await checkAll(urls, urls.length), await oneByOne()];
  const aloneMs = (before.tookMs + after.tookMs) / (2 * ALONE);
  return { all, alone: [...before.checked, ...after.checked], share: all.tookMs / (aloneMs * urls.length) };
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
