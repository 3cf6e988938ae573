// Runs the tests many times in random order and lists those that did not always pass: `npm run flakes -- 10`. --busy
// adds a busy loop on each core. --changed runs only test files that changed since the main branch or in the last five
// commits, or are not committed. `--minutes 4` starts no further run after that time. Other arguments go to the test
// runner.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { changedTests, OWN_RUNS } from './changed-tests.mjs';

/** Keeps the run short if everything changed. */
const MAX_CHANGED = 3;

const [given = '10', ...rest] = process.argv.slice(2);
const runs = Number(given);
if (!Number.isInteger(runs) || runs < 1) {
  console.error(
    `${given} is not a number of runs. Start with one, such as: npm run flakes -- 10 --busy test/run`,
  );
  process.exit(2);
}
const isBusy = rest.includes('--busy');
const isOfChanges = rest.includes('--changed');
const atMinutes = rest.indexOf('--minutes');
const maxMs = atMinutes < 0 ? Number.POSITIVE_INFINITY : Number(rest.splice(atMinutes, 2)[1]) * 60_000;
if (Number.isNaN(maxMs)) {
  console.error('--minutes needs a number, such as: npm run flakes -- 10 --minutes 4');
  process.exit(2);
}
const others = rest.filter((argument) => !['--busy', '--changed'].includes(argument));
const changed = isOfChanges ? changedFiles() : [];
if (isOfChanges && changed.length === 0) {
  console.log('No test file has changed.');
  process.exit(0);
}
const forRunner = [...others, ...changed];

const loops = isBusy ? os.availableParallelism() : 0;
const hogs = Array.from({ length: loops }, () => spawn(process.execPath, ['--eval', 'for (;;);']));
process.on('exit', () => {
  for (const hog of hogs) hog.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

mkdirSync('coverage', { recursive: true });
const failures = new Map();
let done = 0;
while (done < runs && (done === 0 || performance.now() < maxMs)) {
  done += 1;
  const seed = Math.floor(Math.random() * 1e9);
  const startedMs = performance.now();
  const { testResults, numPassedTests, numFailedTests } = await runOnce(seed);
  for (const { name, message, status, assertionResults } of testResults) {
    const file = path.relative('.', name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failed)
      note(`${file} > ${fullName}`, seed, failureMessages.join('\n'));
    if (status === 'failed' && failed.length === 0) note(`${file}, as a whole`, seed, message);
  }
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(
    `run ${done} of ${runs}, seed ${seed}: ${numPassedTests} passed, ${numFailedTests} failed, ${seconds} s`,
  );
  for (const [name, { seeds }] of failures) if (seeds.includes(seed)) console.log(`  ${name}`);
}

const load = isBusy ? `with ${loops} busy loops` : 'without busy loops';
for (const [name, { seeds, message }] of failures)
  console.log(
    `\nfailed in ${seeds.length} of ${done}, with the seeds ${seeds.join(', ')}: ${name}\n  ${message.slice(0, 1500).replaceAll('\n', '\n  ')}`,
  );
const sometimes = [...failures.values()].filter(({ seeds }) => seeds.length < done).length;
console.log(
  `\n${done} runs ${load}: ${sometimes} tests passed only sometimes, ${failures.size - sometimes} never`,
);
// This also ends the busy loops.
process.exit(failures.size === 0 ? 0 : 1);

/** Ends the process if git cannot list the changes. In CI that must not look like a passed run. */
function changedFiles() {
  const { files, leftOut, unknown, why } = changedTests('.');
  if (unknown !== undefined) {
    console.log(`The changed test files are unknown, so none is run: ${why}.`);
    process.exit(unknown === 'broken' && process.env.CI === 'true' ? 1 : 0);
  }
  for (const [below, command] of Object.entries(OWN_RUNS)) {
    const those = leftOut.filter((name) => name.startsWith(below));
    if (those.length > 0) console.log(`Left out, because \`${command}\` runs them: ${those.join(', ')}`);
  }
  if (files.length <= MAX_CHANGED) return files;
  console.log(`${files.length} test files have changed; ${MAX_CHANGED} of them, chosen at random, are run.`);
  return files
    .map((file) => ({ file, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .slice(0, MAX_CHANGED)
    .map(({ file }) => file);
}

function note(name, seed, message) {
  const known = failures.get(name) ?? { seeds: [], message };
  failures.set(name, { ...known, seeds: [...known.seeds, seed] });
}

/** The report of the test runner; an error outside of any test has the name of the runner. */
async function runOnce(seed) {
  const results = path.resolve('coverage', 'flakes.json');
  rmSync(results, { force: true });
  const runner = spawn(
    'npx',
    [
      'vitest',
      'run',
      ...forRunner,
      `--sequence.seed=${seed}`,
      '--reporter=json',
      `--outputFile.json=${results}`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code] = await once(runner, 'exit');
  const report = existsSync(results)
    ? JSON.parse(readFileSync(results, 'utf8'))
    : { testResults: [], numPassedTests: 0, numFailedTests: 0 };
  if (code === 0 && report.testResults.length === 0) note('the test runner', seed, 'it ran nothing');
  const isExplained = code === 0 || report.testResults.some(({ status }) => status === 'failed');
  if (!isExplained) note('the test runner', seed, `it ended with ${code}, and no test failed: see above`);
  return report;
}
