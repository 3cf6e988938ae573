import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../eventually.ts';
import { runInHost } from './command-hosts.ts';
import { emptyFolder } from './run-command.ts';
import { isRunning } from './started.ts';

const command = path.join(emptyFolder(), 'command.mjs');
writeFileSync(
  command,
  `const [, , what] = process.argv;
console.log(what + ' in ' + process.cwd() + ' with ' + process.env.GIVEN + ' and ' + process.env.MORE);
console.error(process.pid);
if (what === 'fail') process.exitCode = 4;
if (what === 'exit') process.exit(7);
if (what === 'later') setTimeout(() => console.log('later still'), 20);
if (what === 'read') process.stdin.resume().once('end', () => console.log('and its input ends'));
if (what === 'never') await new Promise(() => undefined);
`,
);

const run = (what: string, cwd = emptyFolder(), environment: Readonly<Record<string, string>> = {}) =>
  runInHost(command, [what], { cwd, env: { ...process.env, GIVEN: 'one', ...environment } });

it('gives each command line its folder, output and exit code, in the same process', async () => {
  const [here, there] = [emptyFolder(), emptyFolder()];
  const failed = await run('fail', here);
  expect(failed).toMatchObject({ code: 4, stdout: `fail in ${here} with one and undefined\n` });
  expect(await run('pass', there)).toEqual({
    code: 0,
    stdout: `pass in ${there} with one and undefined\n`,
    stderr: failed.stderr,
  });
});

it('ends a command line only when nothing would keep its own process alive', async () => {
  expect((await run('later')).stdout).toMatch(/with one and undefined\nlater still\n$/);
  expect((await run('never')).code).toBe(13);
});

it('gives each command line an empty input that ends', async () => {
  for (const _ of [1, 2]) expect((await run('read')).stdout).toMatch(/\nand its input ends\n$/);
});

it('reports the code of a command line that ends its process, and starts another for the next', async () => {
  const ended = await run('exit');
  expect(ended).toMatchObject({
    code: 7,
    stdout: expect.stringMatching(/^exit in .* with one and undefined\n$/),
  });
  const next = await run('pass');
  expect(next.code).toBe(0);
  expect(next.stderr).not.toBe(ended.stderr);
});

it('gives each command line its environment, in the same process', async () => {
  const other = await run('pass', undefined, { GIVEN: 'other', MORE: 'any' });
  expect(other.stdout).toContain('with other and any\n');
  const { stdout, stderr } = await run('pass');
  expect(stdout).toContain('with one and undefined\n');
  expect(stderr).toBe(other.stderr);
});

it('shares no process between values that Node.js reads only once', async () => {
  const other = await run('pass', undefined, { NODE_OPTIONS: '--no-warnings' });
  expect(other.stderr).not.toBe((await run('pass')).stderr);
});

it('keeps few processes when many command lines run at once, and ends the others', async () => {
  const finished = await Promise.all(Array.from({ length: 5 }, () => run('pass')));
  const ids = finished.map(({ stderr }) => Number(stderr));
  expect(new Set(ids).size).toBe(5);
  await until(() => ids.filter(isRunning).length <= 3);
  expect(ids).toContain(Number((await run('pass')).stderr));
});
