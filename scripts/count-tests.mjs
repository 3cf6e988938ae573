// Ends a CI run with one plain line, counted from the test runner's own report, after the failures once more: a log that
// is cut off keeps its end. A few files that failed beside all others are run again, alone: what a busy machine kept from
// its end passes then, and is named; a defect fails twice. A skipped test is a failure: what it misses must be installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const MOST_OF_A_MESSAGE = 2000;
/** When more have failed, it is not the machine. */
const MOST_FILES_AGAIN = 3;

const [file, exitCode] = process.argv.slice(2);
const first = read(file);
const badFiles = first.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
let second = null;
if (badFiles.length > 0 && badFiles.length <= MOST_FILES_AGAIN) {
  for (const { fullName, failureMessages } of testsOf(first).filter(hasFailed))
    console.log(`failed beside the others: ${fullName}\n${shortened(failureMessages)}`);
  second = runAlone(badFiles.map((name) => path.relative('.', name)));
}

const last = second ?? first;
for (const { fullName, failureMessages } of testsOf(last).filter(hasFailed))
  console.log(`failed: ${fullName}\n${shortened(failureMessages)}`);
const skipped = [...testsOf(first), ...testsOf(last)].filter(
  ({ status }) => !['passed', 'failed'].includes(status),
);
for (const fullName of new Set(skipped.map((test) => test.fullName))) console.log(`skipped: ${fullName}`);
const broken = last.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some(hasFailed),
);
for (const { name, message } of broken) console.log(`could not be run: ${name}: ${message}`);

// An error outside of any test ends the run with another code than 0.
const strayError = exitCode !== '0' && badFiles.length === 0;
if (strayError) console.log(`no test failed, and yet the test runner ended with ${exitCode}: see above`);
const failed = last.numFailedTests + skipped.length + broken.length + (strayError ? 1 : 0);
const passed = first.numPassedTests + (second === null ? 0 : first.numFailedTests - second.numFailedTests);
if (second !== null && failed === 0) console.log('Those passed when they ran alone.');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function runAlone(files) {
  const results = 'coverage/test-results-alone.json';
  spawnSync(
    'npx',
    [
      'vitest',
      'run',
      ...files,
      '--maxWorkers=1',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${results}`,
    ],
    { stdio: 'inherit' },
  );
  return read(results);
}

function read(name) {
  return JSON.parse(readFileSync(name, 'utf8'));
}

function testsOf({ testResults }) {
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

function hasFailed({ status }) {
  return status === 'failed';
}

function shortened(messages) {
  return `  ${messages.join('\n').slice(0, MOST_OF_A_MESSAGE).replaceAll('\n', '\n  ')}`;
}
