import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { unless } from './skips.ts';

const FLAKES = path.resolve(import.meta.dirname, '../../scripts/flakes.mjs');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'probity-changed-'));
  folders.push(folder);
  return folder;
}

const noGit = spawnSync('git', ['--version']).error === undefined ? null : 'no git: install it';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@x',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@x',
};

function git(folder: string, ...parameters: readonly string[]): void {
  execFileSync('git', parameters, { cwd: folder, env: { ...process.env, ...IDENTITY }, stdio: 'ignore' });
}

/** A checkout whose history has a commit for each file. */
function checkout(...files: readonly string[]): string {
  const folder = newFolder();
  git(folder, 'init', '--initial-branch=main');
  for (const file of files) commit(folder, file);
  return folder;
}

function commit(folder: string, file: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), file);
  git(folder, 'add', '.');
  git(folder, 'commit', '--message', file);
}

/** A program that precedes or replaces those of the machine. */
function programs(scripts: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, name), `#!${process.execPath}\n${script}\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}

/** Replaces the test runner: records what it should run, and reports success. */
const RUNNER = `
const { writeFileSync } = require('node:fs');
writeFileSync('asked.json', JSON.stringify(process.argv.filter((one) => one.startsWith('test/'))));
const output = process.argv.find((one) => one.startsWith('--outputFile.json=')).split('=')[1];
const testResults = [{ name: 'one', status: 'passed', assertionResults: [] }];
writeFileSync(output, JSON.stringify({ testResults, numPassedTests: 1, numFailedTests: 0 }));
`;

function flakes(
  folder: string,
  { path: searched, CI = 'true' }: { readonly path?: string; readonly CI?: string } = {},
): { readonly code: number | null; readonly said: string; readonly asked: () => readonly string[] } {
  const usual = `${programs({ npx: RUNNER })}${path.delimiter}${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [FLAKES, '1', '--changed'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: searched ?? usual, CI },
  });
  const asked = (): readonly string[] => JSON.parse(readFileSync(path.join(folder, 'asked.json'), 'utf8'));
  return { code: status, said: stdout + stderr, asked };
}

describe('the changed test files', unless(noGit), () => {
  it('are those of the last five commits and uncommitted ones', () => {
    const folder = checkout('test/old.test.ts', 'test/a.test.ts', 'src/b.ts', 'c', 'test/d.test.tsx', 'e');
    writeFileSync(path.join(folder, 'test/new.test.ts'), '');
    writeFileSync(path.join(folder, 'test/no-test.ts'), '');
    const { code, asked } = flakes(folder);
    expect(code).toBe(0);
    expect([...asked()].sort()).toEqual(['test/a.test.ts', 'test/d.test.tsx', 'test/new.test.ts']);
  });

  it('are those since the main branch, however many commits', () => {
    const folder = checkout('test/of-main.test.ts');
    git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    for (const file of ['test/first.test.ts', 'b', 'c', 'd', 'e', 'f', 'g']) commit(folder, file);
    const { code, asked } = flakes(folder);
    expect([code, asked()]).toEqual([0, ['test/first.test.ts']]);
  });

  it('are all files of a shorter history', () => {
    const { code, asked } = flakes(checkout('test/a.test.ts', 'test/b.test.ts'));
    expect([code, asked()]).toEqual([0, ['test/a.test.ts', 'test/b.test.ts']]);
  });

  it('are left out and reported if they have a separate run', () => {
    const own = ['test/mutants/a.test.ts', 'test/natural/b.test.ts'];
    const { code, said, asked } = flakes(checkout(...own, 'test/c.test.ts'));
    expect([code, asked()]).toEqual([0, ['test/c.test.ts']]);
    expect(said).toContain('`npm run mutants` runs them: test/mutants/a.test.ts');
    expect(said).toContain('`npm run natural` runs them: test/natural/b.test.ts');
    const none = flakes(checkout(...own));
    expect(none.code).toBe(0);
    expect(none.said).toContain('No test file has changed.');
  });

  it('are unknown in a shallow clone, which fails in CI', () => {
    const origin = checkout('a', 'test/b.test.ts', 'c');
    const shallow = path.join(newFolder(), 'clone');
    git(origin, 'clone', '--depth=1', `file://${origin}`, shallow);
    const inCi = flakes(shallow);
    expect(inCi.code).toBe(1);
    expect(inCi.said).toContain('are unknown, so none is run: this clone is shallow');
    expect(inCi.said).toContain('git fetch --depth=6');
    expect(flakes(shallow, { CI: '' }).code).toBe(0);
  });

  it('are unknown if git fails, which fails in CI', () => {
    const failing = programs({ git: "console.error('fatal: broken'); process.exit(128);" });
    const { code, said } = flakes(checkout('a'), { path: failing });
    expect(code).toBe(1);
    expect(said).toContain('git rev-parse failed: fatal: broken');
  });
});

describe('without git', () => {
  it('the files are unknown, which is reported without a failure', () => {
    const { code, said } = flakes(newFolder());
    expect(code).toBe(0);
    expect(said).toContain('are unknown, so none is run: this is not a git checkout');
    const copied = newFolder();
    mkdirSync(path.join(copied, '.git'));
    const without = flakes(copied, { path: newFolder() });
    expect(without.code).toBe(0);
    expect(without.said).toContain('are unknown, so none is run: git is not installed');
  });

  it('a run of nothing at all fails', () => {
    const nothing = programs({ npx: '' });
    const { status, stdout } = spawnSync(process.execPath, [FLAKES, '1', 'test/none'], {
      cwd: newFolder(),
      encoding: 'utf8',
      env: { ...process.env, PATH: nothing },
    });
    expect(status).toBe(1);
    expect(stdout).toContain('it ran nothing');
  });
});

it('flakes starts no further run after the given minutes, but always one', () => {
  const env = { ...process.env, PATH: `${programs({ npx: RUNNER })}${path.delimiter}${process.env.PATH}` };
  const args = [FLAKES, '3', '--minutes', '0'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: newFolder(), encoding: 'utf8', env });
  expect([status, stdout]).toEqual([0, expect.stringContaining('\n1 runs without busy loops: 0 tests')]);
});
