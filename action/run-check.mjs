// Runs a check with the inputs of the action, sets its outputs, and exits with the same code. The inputs come from the
// environment and become arguments of a process: no shell reads them.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { comment, isNameOfMarker } from './comment.mjs';
import { compareWithBase } from './compare-with-base.mjs';
import { complain } from './messages.mjs';
import { HARNESS, runProbity } from './run-probity.mjs';

const VERDICTS = { 0: 'pass', 1: 'fail', 3: 'unreachable', 4: 'incomplete' };
const USAGE = 2;
const WITHOUT_RESULT = { 0: USAGE, 1: HARNESS };

const ON_ONE_LINE = ['url', 'wait', 'mcp', 'config', 'baseline', 'fail-on', 'reports', 'base'];

const FILES = {
  report: 'probity.json',
  html: 'probity.html',
  junit: 'probity.junit.xml',
  sarif: 'probity.sarif',
  tap: 'probity.tap',
  markdown: 'probity.md',
  badge: 'probity.badge.svg',
  ctrf: 'probity.ctrf.json',
  codequality: 'probity.codequality.json',
  har: 'probity.har',
  diff: 'probity.diff.md',
};

const folder = given('reports') || 'probity-reports';
const files = Object.entries(FILES).map(([output, name]) => [output, path.join(folder, name)]);
const DIFF = path.join(folder, FILES.diff);
const comments = { token: given('comment-token'), name: given('comment-name') || 'check' };
// The command of start gets the whole environment, and its code may be that of the pull request.
delete process.env.PROBITY_INPUT_COMMENT_TOKEN;

try {
  const mistake = mistakeInInputs() ?? mistakeInFolder();
  if (mistake === undefined) await conclude(await runProbity(checkArguments()), existsSync);
  else {
    complain(mistake);
    await conclude(USAGE, () => false);
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
  const broken = ON_ONE_LINE.find((name) => /\p{Cc}/u.test(given(name)));
  if (broken !== undefined)
    return `The input ${broken} has a line break or another control character: write it on one line.`;
  if (!['', 'true', 'false'].includes(given('fail-on-worse')))
    return 'The input fail-on-worse is neither true nor false: write one of the two.';
  return isNameOfMarker(comments.name)
    ? undefined
    : 'The input comment-name may have letters, digits, spaces and the signs . / _ -, but not two hyphens in a row: choose another name.';
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
  // The command line takes a command as its target too; an address may come from elsewhere, and must never run.
  if (!/^https?:\/\//i.test(given('url')))
    return `The input url ${JSON.stringify(given('url'))} is not an address with http:// or https://. A command goes into mcp.`;
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
  const needed = comments.token === '' ? ['json'] : ['json', 'markdown'];
  const formats = new Set([...words(given('formats')), ...needed]);
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

/**
 * A pass or a failure counts only together with its result file, because a process can end with such a code for other
 * reasons. That of an unreachable server says why nothing was checked.
 */
async function conclude(code, isMade) {
  const madeFiles = () =>
    Object.fromEntries(files.map(([output, file]) => [output, isMade(file) ? file : '']));
  const { report } = madeFiles();
  const exitCode = report === '' ? (WITHOUT_RESULT[code] ?? code) : code;
  if (exitCode !== code)
    complain(
      `Probity ended with code ${code} and without a result, so nothing was judged. Remove options from args that prevent a check, such as --help.`,
    );
  else if (VERDICTS[code] === 'unreachable' || (report === '' && code in VERDICTS))
    complain(`Nothing was checked, for the reason above: ${VERDICTS[code]}.`);
  const worse = await compareWithBase({ base: given('base'), report, diff: DIFF });
  const made = madeFiles();
  await comment({
    ...comments,
    verdict: VERDICTS[exitCode] ?? 'the check could not be run',
    diff: made.diff,
    report: made.markdown,
  });
  process.exitCode = exitCode === 0 && worse === 'true' && given('fail-on-worse') === 'true' ? 1 : exitCode;
  tell({ verdict: VERDICTS[exitCode] ?? '', 'exit-code': String(process.exitCode), worse, ...made });
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
