// How the time and memory of the command grow with the work: checks of servers with 10, 100 and 1,000 functions, with
// large descriptors and large answers; what is done with their reports; and many saved reports judged in one process.
import { linkSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HERE, judgedHere, named } from './builds.mjs';
import { checked, usageOf, withServer } from './check.mjs';
import { judged, note } from './sheet.mjs';

const SIZES = [10, 100, 1000];
/** Below the 4 MiB that a check reads of a body. */
const LARGE_BYTES = 4_100_000;
/** Below the 64 KiB that a check reads of many bodies. */
const MEDIUM_BYTES = 60_000;
const SERVERS = {
  'all functions called': { all: true },
  'every answer wrong': { all: true, isBroken: true },
  'up to 50 called': {},
  'descriptors of 4 MB': { descriptorBytes: LARGE_BYTES },
  'descriptors of 5 MB, not read': { descriptorBytes: 5_000_000 },
  'descriptors and answers of 4 MB': { descriptorBytes: LARGE_BYTES, answerBytes: LARGE_BYTES },
  'all called, answers of 60 kB': { all: true, answerBytes: MEDIUM_BYTES },
};
/** Of what one more function takes at 1,000, to what it takes at 100. */
const MAX_GROWTH = 1.5;
const MAX_REPORT_MB = 100;
const MAX_PAGE_MB = 1;
/** Of many saved reports to a tenth of them. */
const MAX_SLOWER = 1.1;
const MAX_LARGER = 1.5;

/** Those of commit 3a5e4766. They differ by a tenth from run to run, because garbage is collected at other times. */
const MAX_PEAK_MB = { functions: 370, answers: 400 };

export const memory = {
  title: 'Memory of a check without timing, at its peak; the goal is that of commit 3a5e4766',
  goals: {
    functions: { figure: 'a server with 1,000 functions', most: MAX_PEAK_MB.functions, unit: 'MB' },
    answers: { figure: '100 MB of answers', most: MAX_PEAK_MB.answers, unit: 'MB' },
  },
  measure: async (build) => {
    const functions = await checkOf(build, 1000, { all: true });
    // Each function is called about eight times.
    const answers = await checkOf(build, 200, { all: true, answerBytes: MEDIUM_BYTES });
    return { functions: functions.peakMb, answers: answers.peakMb };
  },
};

export async function scale(reports = 1000, builds = [HERE]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const measured = builds.map((build) => ({ build, results: {} }));
  for (const [name, server] of Object.entries(SERVERS))
    for (const size of SIZES)
      for (const { build, results } of measured)
        results[`${name} ${size}`] = await checkAndKeep(build, size, server, folder);
  showChecks(measured);
  for (const { build, results } of measured) {
    const saved = (size) => results[`every answer wrong ${size}`].report;
    await laterCommands(build, saved, folder);
    await judging(build, reports, results['all functions called 10'].report, folder);
  }
}

async function checkAndKeep(build, size, server, folder) {
  const report = path.join(mkdtempSync(path.join(folder, 'report-')), 'report.json');
  return { ...(await checkOf(build, size, server, (file) => renameSync(file, report))), report };
}

async function checkOf(build, size, { all, isBroken, descriptorBytes = 0, answerBytes = 0 }, keepReport) {
  const args = [size, descriptorBytes, answerBytes, ...(isBroken ? ['broken'] : [])].map(String);
  // A busy machine shall do the same work.
  const more = ['--no-latency', '--deadline', '600', ...(all ? ['--max-functions', String(size)] : [])];
  return withServer(['scripts/bench/scale-server.mjs', ...args], (url) =>
    checked(build, [url, ...more], keepReport),
  );
}

function showChecks([{ results }, ...others]) {
  console.log('scale: untimed checks of servers with 10, 100 and 1,000 functions');
  for (const [name, result] of Object.entries(results)) {
    note(name, figuresOf(result));
    for (const other of others) note(named(name, other.build), figuresOf(other.results[name]));
  }
  for (const name of ['all functions called', 'every answer wrong'])
    for (const [figure, words] of Object.entries({ cpuSeconds: 'CPU', peakMb: 'memory' })) {
      const [few, some, many] = SIZES.map((size) => results[`${name} ${size}`][figure]);
      const perFunction = (some - few) / (SIZES[1] - SIZES[0]);
      const ratio = (many - some) / (SIZES[2] - SIZES[1]) / perFunction;
      judged(`${name}: ${words} each`, `${ratio.toFixed(2)} of that at 100`, ratio <= MAX_GROWTH, MAX_GROWTH);
    }
  const [small, large] = ['up to 50 called', 'descriptors of 4 MB'].map(
    (name) => results[`${name} ${SIZES[2]}`],
  );
  for (const [figure, words] of Object.entries({ cpuSeconds: 'CPU', peakMb: 'memory' })) {
    const ratio = large[figure] / small[figure];
    judged(
      `descriptors of 4 MB: ${words}`,
      `${ratio.toFixed(2)} of small ones`,
      ratio <= MAX_GROWTH,
      MAX_GROWTH,
    );
  }
  const largest = Math.max(...Object.values(results).map(({ reportMb }) => reportMb));
  judged('largest report', `${largest.toFixed(0)} MB`, largest <= MAX_REPORT_MB, `${MAX_REPORT_MB} MB`);
  const undecided = Object.entries(results).filter(([, { isStopped }]) => isStopped);
  judged('stopped for memory', `${undecided.length}`, undecided.length === 0, '0');
}

function figuresOf({ seconds, cpuSeconds, peakMb, requests, reportMb, verdict }) {
  return [
    `${seconds.toFixed(1).padStart(5)} s`,
    `CPU ${cpuSeconds.toFixed(1).padStart(4)} s`,
    `${String(requests).padStart(5)} requests`,
    `peak ${peakMb.toFixed(0).padStart(4)} MB`,
    `report ${reportMb.toFixed(1).padStart(5)} MB`,
    verdict,
  ].join('  ');
}

/** What readers do with the report of a server with many mistakes. */
async function laterCommands(build, saved, folder) {
  console.log(`scale: the reports of servers whose answers are all wrong ${build.name}`);
  const page = path.join(folder, 'page.html');
  const commands = {
    show: (file) => ['show', file],
    'render --format html': (file) => ['render', file, '--format', 'html', '--output', page],
    diff: (file) => ['diff', file, file],
    judge: (file) => ['judge', file],
  };
  for (const [name, argsFor] of Object.entries(commands)) {
    const [few, some, many] = await inOrder(SIZES, (size) => usageOf([build.file, ...argsFor(saved(size))]));
    const ratio =
      (many.cpuSeconds - some.cpuSeconds) /
      (SIZES[2] - SIZES[1]) /
      ((some.cpuSeconds - few.cpuSeconds) / (SIZES[1] - SIZES[0]));
    const figures = [few, some, many].map(({ cpuSeconds }) => (1000 * cpuSeconds).toFixed(0)).join(', ');
    judgedHere(build, name, `CPU ${figures} ms  ${ratio.toFixed(2)}`, ratio <= MAX_GROWTH, MAX_GROWTH);
  }
  const megabytes = statSync(page).size / 1e6;
  judgedHere(
    build,
    'page of 1,000 functions',
    `${megabytes.toFixed(2)} MB`,
    megabytes <= MAX_PAGE_MB,
    `${MAX_PAGE_MB} MB`,
  );
}

async function judging(build, count, report, folder) {
  console.log(
    `scale: ${count} saved reports of ${(statSync(report).size / 1e6).toFixed(1)} MB, judged in one process ${build.name}`,
  );
  const [few, many] = await inOrder([count / 10, count], async (copies) => {
    const reports = mkdtempSync(path.join(folder, 'saved-'));
    for (let copy = 0; copy < copies; copy += 1) linkSync(report, path.join(reports, `${copy}.json`));
    return { ...(await usageOf([build.file, 'judge', reports, '--quiet'])), copies };
  });
  for (const { copies, seconds, cpuSeconds, peakMb } of [few, many])
    note(
      `${copies} reports`,
      `${(copies / seconds).toFixed(1)} reports/s  CPU ${((1000 * cpuSeconds) / copies).toFixed(1)} ms each  peak ${peakMb.toFixed(0)} MB`,
    );
  const slower = many.seconds / many.copies / (few.seconds / few.copies);
  judgedHere(
    build,
    'time per report',
    `${slower.toFixed(2)} of a tenth of them`,
    slower <= MAX_SLOWER,
    MAX_SLOWER,
  );
  const larger = many.peakMb / few.peakMb;
  judgedHere(build, 'memory', `${larger.toFixed(2)} of a tenth of them`, larger <= MAX_LARGER, MAX_LARGER);
}

async function inOrder(values, work) {
  const done = [];
  for (const value of values) done.push(await work(value));
  return done;
}
