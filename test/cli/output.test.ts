import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFormats } from '../../src/cli/terminal/output.ts';
import { resultOf, row } from '../report/results.ts';
import { emptyFolder } from './run-command.ts';

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
