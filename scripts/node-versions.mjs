// Runs the built command and the library on every Node version in package.json, installed from npm, and the tests on
// the newest of each line: `npm run node-versions`, or with versions and arguments for the test runner: `npm run
// node-versions -- 22 24 -- test/cli`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { nodeFolder, nodePackage } from './npm-node.mjs';

const ALL = ['20.19', '22.12.0', '22', '24', '26'];
/** The oldest supported version of a line whose newest version runs all tests. */
const WITHOUT_TESTS = ['22.12.0'];
const given = process.argv.slice(2);
const border = given.includes('--') ? given.indexOf('--') : given.length;
const versions = border > 0 ? given.slice(0, border) : ALL;
const forRunner = given.slice(border + 1);

if (nodePackage === undefined) {
  console.error(`npm has no package of Node for ${process.platform} on ${process.arch}.`);
  process.exit(2);
}

const outcomes = [];
for (const version of versions) outcomes.push(await tryOut(version));
console.log(`\n${outcomes.map(({ line }) => line).join('\n')}`);
process.exitCode = outcomes.every(({ isOk }) => isOk) ? 0 : 1;

async function tryOut(version) {
  const folder = nodeFolder(version);
  const exact = execFileSync(path.join(folder, 'node'), ['--version'], { encoding: 'utf8' }).trim();
  console.log(`\n--- Node ${exact}`);
  const runsTests = !WITHOUT_TESTS.includes(version);
  const steps = {
    command: ['dist/probity.js', 'demo'],
    library: ['examples/check-in-code.mjs'],
    ...(runsTests && { tests: ['node_modules/vitest/vitest.mjs', 'run', ...forRunner] }),
  };
  const failed = [];
  for (const [step, parameters] of Object.entries(steps))
    if ((await run(folder, parameters)) !== 0) failed.push(step);
  const outcome =
    failed.length === 0 ? `${Object.keys(steps).join(', ')} pass` : `failed: ${failed.join(', ')}`;
  return { line: `Node ${exact}: ${outcome}`, isOk: failed.length === 0 };
}

async function run(folder, parameters) {
  // Commands that a test starts by name have the same version.
  const environment = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
  const child = spawn(path.join(folder, 'node'), parameters, { stdio: 'inherit', env: environment });
  const [code] = await once(child, 'exit');
  return code;
}
