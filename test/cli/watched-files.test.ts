import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type WatchedFiles, watchFiles } from '../../src/cli/process/watched-files.ts';
import { until } from '../eventually.ts';
import { emptyFolder } from './run-command.ts';

let watched: WatchedFiles | undefined;
afterEach(() => watched?.close());

/** Watches a folder with what it holds, and notes every change below it. */
function watching(folder: string, paths: readonly string[]) {
  const told: string[][] = [];
  watched = watchFiles({
    onChange: (files) => told.push(files.map((file) => path.relative(folder, file)).sort()),
    onProblem: (problem) => expect.fail(problem),
    ignored: [path.join(folder, 'reports')],
  });
  watched.set(paths.map((one) => path.join(folder, one)));
  return told;
}

describe('watchFiles', () => {
  it('tells of files that are written, replaced, made and removed, below folders made later too', async () => {
    const folder = emptyFolder();
    mkdirSync(path.join(folder, 'source/deep'), { recursive: true });
    writeFileSync(path.join(folder, 'source/deep/a.js'), '1');
    const told = watching(folder, ['source']);
    const tells = (file: string): Promise<void> => until(() => told.some((files) => files.includes(file)));

    writeFileSync(path.join(folder, 'source/deep/a.js'), '2');
    await tells('source/deep/a.js');
    mkdirSync(path.join(folder, 'source/later'));
    await tells('source/later');
    told.length = 0;
    writeFileSync(path.join(folder, 'source/later/b.js'), '1');
    await tells('source/later/b.js');

    // A checkout replaces a folder by another of its name.
    renameSync(path.join(folder, 'source/deep'), path.join(folder, 'old'));
    mkdirSync(path.join(folder, 'source/deep'));
    await tells('source/deep');
    told.length = 0;
    writeFileSync(path.join(folder, 'source/deep/c.js'), '1');
    await tells('source/deep/c.js');
    rmSync(path.join(folder, 'source/deep/c.js'));
    told.length = 0;
    await tells('source/deep/c.js');
    expect(told.flat()).toContain('source/deep/c.js');
  });

  it('tells once of what changes together, and nothing of what nobody edits', async () => {
    const folder = emptyFolder();
    for (const name of ['reports', 'node_modules/a', '.git'])
      mkdirSync(path.join(folder, name), { recursive: true });
    const told = watching(folder, ['.']);
    const silent = ['reports/r.json', 'node_modules/a/index.js', '.git/index', '.a.js.swp', 'a.js~'];
    for (const name of silent) writeFileSync(path.join(folder, name), '1');
    for (const name of ['a.js', 'b.js']) writeFileSync(path.join(folder, name), '1');
    await until(() => told.length > 0);
    expect(told).toEqual([['a.js', 'b.js']]);
  });

  it('tells of a file that is only made later, and of none beside it', async () => {
    const folder = emptyFolder();
    const told = watching(folder, ['probity.config.yaml']);
    writeFileSync(path.join(folder, 'other.yaml'), '1');
    writeFileSync(path.join(folder, 'probity.config.yaml'), '1');
    await until(() => told.length > 0);
    expect(told).toEqual([['probity.config.yaml']]);
  });
});
