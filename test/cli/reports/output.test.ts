import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatsForFiles, writeFormats } from '../../../src/cli/terminal/output.ts';
import { startReferenceServer } from '../../../src/reference/server.ts';
import { resultOf, row } from '../../report/results.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const result = resultOf([row('health/status-200', 'passed')]);

describe('the place of formats', () => {
  it('is the named file for a single format', async () => {
    const file = path.join(emptyFolder(), 'new', 'comment.md');
    expect(await writeFormats(result, { format: ['markdown'], output: file }, '')).toEqual([file]);
    expect(readdirSync(path.dirname(file))).toEqual(['comment.md']);
  });

  it('is the named folder, even for a single format, if it exists or ends in a slash', async () => {
    const there = emptyFolder();
    await writeFormats(result, { format: ['json'], output: there }, '');
    expect(readdirSync(there)).toEqual(['probity.json']);
    const folder = path.join(emptyFolder(), 'new');
    await writeFormats(result, { format: ['json'], output: `${folder}/` }, '');
    expect(readdirSync(folder)).toEqual(['probity.json']);
  });

  it('is a folder for several', async () => {
    const folder = path.join(emptyFolder(), 'new');
    const written = await writeFormats(result, { format: ['json', 'markdown'], output: folder }, '');
    expect(written).toEqual([path.join(folder, 'probity.json'), path.join(folder, 'probity.md')]);
  });

  it('cannot replace a file by a folder or a folder by a file', async () => {
    const folder = emptyFolder();
    const file = path.join(folder, 'a.md');
    await writeFormats(result, { format: ['markdown'], output: file }, '');
    await expect(writeFormats(result, { format: ['json', 'markdown'], output: file }, '')).rejects.toThrow(
      /Cannot write .*a\.md\/probity\.json: .*Choose another path with --output/s,
    );
    mkdirSync(path.join(folder, 'b.md', 'probity.md'), { recursive: true });
    await expect(
      writeFormats(result, { format: ['markdown'], output: path.join(folder, 'b.md') }, ''),
    ).rejects.toThrow(/Cannot write .*: E[A-Z]+/);
  });
});

describe('annotations for GitHub', () => {
  it.each([
    [['github'], undefined, []],
    [['github'], '-', []],
    [['github', 'sarif'], 'out.sarif', ['sarif']],
    [['github'], 'out.txt', ['github']],
    [['github', 'sarif'], 'out/', ['github', 'sarif']],
  ] as const)('of %j with --output %s become the files %j', async (format, output, files) => {
    expect(await formatsForFiles({ format, ...(output === undefined ? {} : { output }) })).toEqual(files);
  });

  it('are printed by check, and written where render writes them', async () => {
    const server = await startReferenceServer({ form: 'A' });
    onTestFinished(server.close);
    const cwd = emptyFolder();
    const args = ['--only', 'health/status-200', '--no-latency', '--format', 'github', '--output', 'out/'];
    const { code, stdout, stderr } = await runCommand(['check', server.url, ...args], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('::notice title=probity');
    const file = path.join('out', 'probity.github.txt');
    expect(stderr).toContain(`written: ${file}`);
    const [report = ''] = readdirSync(path.join(cwd, 'reports'));
    const byCheck = readFileSync(path.join(cwd, file), 'utf8');
    rmSync(path.join(cwd, file));
    await runCommand(['render', `reports/${report}`, '--format', 'github', '--output', 'out/'], { cwd });
    expect(readFileSync(path.join(cwd, file), 'utf8')).toBe(byCheck);
  });
});
