// Runs the tests many times, each time in another order, and names those that did not pass every time:
// `npm run flakes -- 10`, with --busy beside a busy loop on each core; whatever else is given goes to the test runner.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [given = '10', ...rest] = process.argv.slice(2);
const runs = Number(given);
if (!Number.isInteger(runs) || runs < 1) {
  console.error(
    `${given} is no number of runs. Give one first, such as: npm run flakes -- 10 --busy test/run`,
  );
  process.exit(2);
}
const isBusy = rest.includes('--busy');
const forRunner = rest.filter((argument) => argument !== '--busy');

const loops = isBusy ? os.availableParallelism() : 0;
const hogs = Array.from({ length: loops }, () => spawn(process.execPath, ['--eval', 'for (;;);']));
process.on('exit', () => {
  for (const hog of hogs) hog.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

mkdirSync('coverage', { recursive: true });
const failures = new Map();
for (let run = 1; run <= runs; run += 1) {
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
    `run ${run} of ${runs}, seed ${seed}: ${numPassedTests} passed, ${numFailedTests} failed, ${seconds} s`,
  );
}

const load = isBusy ? `beside ${loops} busy loops` : 'beside nothing of ours';
for (const [name, { seeds, message }] of failures)
  console.log(
    `\nfailed in ${seeds.length} of ${runs}, with the seeds ${seeds.join(', ')}: ${name}\n  ${message.slice(0, 1500).replaceAll('\n', '\n  ')}`,
  );
const sometimes = [...failures.values()].filter(({ seeds }) => seeds.length < runs).length;
console.log(
  `\n${runs} runs ${load}: ${sometimes} tests passed only sometimes, ${failures.size - sometimes} never`,
);
process.exitCode = failures.size === 0 ? 0 : 1;

function note(name, seed, message) {
  const known = failures.get(name) ?? { seeds: [], message };
  failures.set(name, { ...known, seeds: [...known.seeds, seed] });
}

async function runOnce(seed) {
  const results = path.resolve('coverage', 'flakes.json');
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
  await once(runner, 'exit');
  return JSON.parse(readFileSync(results, 'utf8'));
}
