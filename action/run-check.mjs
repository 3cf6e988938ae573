// Runs a check with the inputs of the action, sets its outputs, and exits with the same code. The inputs come from the
// environment and become arguments of a process: no shell reads them.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PROBITY = fileURLToPath(new URL('../dist/probity.js', import.meta.url));

const VERDICTS = { 0: 'pass', 1: 'fail', 3: 'unreachable', 4: 'incomplete' };
const USAGE = 2;
const HARNESS = 70;
const WITHOUT_RESULT = { 0: USAGE, 1: HARNESS };

const FILES = {
  report: 'probity.json',
  html: 'probity.html',
  junit: 'probity.junit.xml',
  sarif: 'probity.sarif',
  markdown: 'probity.md',
  badge: 'probity.badge.svg',
};

const folder = given('reports') || 'probity-reports';
const files = Object.entries(FILES).map(([output, name]) => [output, path.join(folder, name)]);

try {
  const mistake = mistakeInInputs() ?? mistakeInFolder();
  if (mistake === undefined) conclude(await check(checkArguments()), existsSync);
  else {
    complain(mistake);
    conclude(USAGE, () => false);
  }
} catch (error) {
  // Node's default exit code, 1, would mean that the server failed.
  process.exitCode = HARNESS;
  complain(`This is a fault of the action, not of your server: ${error.message}`);
}

function given(name) {
  return (process.env[`PROBITY_INPUT_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').trim();
}

function lines(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function words(text) {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

function mistakeInInputs() {
  const mistake = mistakeInTarget();
  if (mistake !== undefined) return mistake;
  // A message with such a value could write separate lines to the log, and the runner executes some lines as commands.
  const broken = ['url', 'wait', 'mcp', 'config', 'baseline', 'fail-on', 'reports'].find((name) =>
    /\p{Cc}/u.test(given(name)),
  );
  return broken === undefined
    ? undefined
    : `The input ${broken} has a line break or another control character: write it on one line.`;
}

function mistakeInTarget() {
  const isGiven = (name) => given(name) !== '';
  if (isGiven('mcp')) {
    const other = ['url', 'start', 'wait'].find(isGiven);
    return other === undefined
      ? undefined
      : `The inputs ${other} and mcp cannot be combined, because mcp names the server and starts it: remove one of the two.`;
  }
  if (!isGiven('url'))
    return 'The input url is missing: set it to the base address of the server, such as http://127.0.0.1:3000, or set mcp.';
  return isGiven('env')
    ? 'The input env applies only to the command of mcp: set mcp, or set env of the step instead, which start gets.'
    : undefined;
}

/** Removes the files of an earlier check, so that they are not taken for this result. */
function mistakeInFolder() {
  try {
    for (const [, file] of files) rmSync(file, { force: true });
    return undefined;
  } catch (error) {
    return `The input reports names a folder that cannot be written to: ${error.code}.`;
  }
}

function checkArguments() {
  const formats = new Set([...words(given('formats')), 'json']);
  const options = ['start', 'wait', 'config', 'baseline', 'fail-on']
    .filter((name) => given(name) !== '')
    .map((name) => `--${name}=${given(name)}`);
  return [
    'check',
    `--format=${[...formats].join(',')}`,
    ...options,
    ...lines(given('args')),
    // Last, so that the files are where the outputs say.
    `--output=${folder}${path.sep}`,
    `--reports=${folder}`,
    ...target(),
  ];
}

function target() {
  // After "--", an address that looks like an option is not read as one.
  if (given('mcp') === '') return ['--', given('url')];
  return [`--mcp=${given('mcp')}`, ...words(given('env')).map((name) => `--env=${name}`)];
}

function check(args) {
  const child = spawn(process.execPath, [PROBITY, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      complain(`Probity cannot be started: ${error.message}`);
      resolve(HARNESS);
    });
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** A pass or a failure counts only together with its result file, because a process can end with such a code for other reasons. For an unreachable server there is no result file.
 */
function conclude(code, isMade) {
  const made = Object.fromEntries(files.map(([output, file]) => [output, isMade(file) ? file : '']));
  const exitCode = made.report === '' ? (WITHOUT_RESULT[code] ?? code) : code;
  if (exitCode !== code)
    complain(
      `Probity ended with code ${code} and without a result, so nothing was judged. Remove options from args that prevent a check, such as --help.`,
    );
  else if (made.report === '' && code in VERDICTS)
    complain(`Nothing was checked, for the reason above: ${VERDICTS[code]}.`);
  process.exitCode = exitCode;
  tell({ verdict: VERDICTS[exitCode] ?? '', 'exit-code': String(exitCode), ...made });
}

/** The delimiter is random, so that no value can contain it. */
function tell(outputs) {
  if (!process.env.GITHUB_OUTPUT) return;
  const delimiter = `probity_${randomUUID()}`;
  const text = Object.entries(outputs).map(
    ([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`,
  );
  appendFileSync(process.env.GITHUB_OUTPUT, text.join(''));
}

function complain(message) {
  process.stdout.write(`::error title=Probity::${message}\n`);
}
