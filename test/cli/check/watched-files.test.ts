import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type WatchedFiles, watchFiles } from '../../../src/cli/process/watched-files.ts';
import { until } from '../../eventually.ts';
import { emptyFolder } from '../run-command.ts';

let watched: WatchedFiles | undefined;
afterEach(() => watched?.close());

/** Watches files in a folder, and records every reported change. */
function watching(folder: string, paths: readonly string[]) {
  const reported: string[][] = [];
  watched = watchFiles({
    onChange: (files) => reported.push(files.map((file) => path.relative(folder, file)).sort()),
    onProblem: (problem) => expect.fail(problem),
    ignored: [path.join(folder, 'reports')],
  });
  watched.set(paths.map((one) => path.join(folder, one)));
  return reported;
}

describe('watchFiles', () => {
  it('reports files that are written, replaced, created and removed, even in folders created later', async () => {
    const folder = emptyFolder();
    mkdirSync(path.join(folder, 'source/deep'), { recursive: true });
    writeFileSync(path.join(folder, 'source/deep/a.js'), '1');
    const reported = watching(folder, ['source']);
    const reports = (file: string): Promise<void> =>
      until(() => reported.some((files) => files.includes(file)));

    writeFileSync(path.join(folder, 'source/deep/a.js'), '2');
    await reports('source/deep/a.js');
    mkdirSync(path.join(folder, 'source/later'));
    await reports('source/later');
    reported.length = 0;
    writeFileSync(path.join(folder, 'source/later/b.js'), '1');
    await reports('source/later/b.js');

    // A checkout replaces a folder by another with the same name.
    renameSync(path.join(folder, 'source/deep'), path.join(folder, 'old'));
    mkdirSync(path.join(folder, 'source/deep'));
    await reports('source/deep');
    reported.length = 0;
    writeFileSync(path.join(folder, 'source/deep/c.js'), '1');
    await reports('source/deep/c.js');
    rmSync(path.join(folder, 'source/deep/c.js'));
    reported.length = 0;
    await reports('source/deep/c.js');
    expect(reported.flat()).toContain('source/deep/c.js');
  });

  it('reports changes together, and ignores folders that people do not edit', async () => {
    const folder = emptyFolder();
    for (const name of ['reports', 'node_modules/a', '.git'])
      mkdirSync(path.join(folder, name), { recursive: true });
    const reported = watching(folder, ['.']);
    const silent = ['reports/r.json', 'node_modules/a/index.js', '.git/index', '.a.js.swp', 'a.js~'];
    for (const name of silent) writeFileSync(path.join(folder, name), '1');
    for (const name of ['a.js', 'b.js']) writeFileSync(path.join(folder, name), '1');
    await until(() => reported.length > 0);
    expect(reported).toEqual([['a.js', 'b.js']]);
  });

  it('reports a file that is created later, and no other', async () => {
    const folder = emptyFolder();
    const reported = watching(folder, ['probity.config.yaml']);
    writeFileSync(path.join(folder, 'other.yaml'), '1');
    writeFileSync(path.join(folder, 'probity.config.yaml'), '1');
    await until(() => reported.length > 0);
    expect(reported).toEqual([['probity.config.yaml']]);
  });
});
