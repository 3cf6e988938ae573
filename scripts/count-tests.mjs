// Ends a CI run with one plain line, counted from the test runner's own report, after the failures once more: a log that
// is cut off keeps its end. A skipped test is a failure here: what it misses must be installed, not passed over.
import { readFileSync } from 'node:fs';

const MOST_OF_A_MESSAGE = 2000;

const [file] = process.argv.slice(2);
const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
const brokenFiles = testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
);

for (const { fullName, failureMessages } of tests.filter(({ status }) => status === 'failed')) {
  console.log(
    `failed: ${fullName}\n  ${failureMessages.join('\n').slice(0, MOST_OF_A_MESSAGE).replaceAll('\n', '\n  ')}`,
  );
}
for (const { fullName } of skipped) console.log(`skipped: ${fullName}`);
for (const { name, message } of brokenFiles) console.log(`could not be run: ${name}: ${message}`);
const failed = numFailedTests + skipped.length + brokenFiles.length;
console.log(`${numPassedTests} passed, ${failed} failed`);
process.exitCode = failed > 0 || numPassedTests === 0 ? 1 : 0;
