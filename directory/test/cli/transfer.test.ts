import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { until } from '../../../test/eventually.ts';
import { openStore } from '../../src/db/open-store.ts';
import { freshDataFolder, openEmbedded } from '../db/stores.ts';
import { fillDirectory } from '../transfer/filled-directory.ts';

const probity = (...args: readonly string[]) =>
  runCommand(['directory', ...args], { env: { DATABASE_URL: '' } });

/** The folder of a directory that this process has opened: a command beside it need not open it again. */
async function filledFolder(): Promise<string> {
  const { store, folder, close } = await openEmbedded();
  onTestFinished(close);
  await fillDirectory(store);
  return folder;
}

/** The folder of a directory that no process has opened. */
async function closedFolder(): Promise<string> {
  const folder = await freshDataFolder();
  const store = await openStore({ databaseUrl: null, dataFolder: folder, share: false });
  await fillDirectory(store);
  await store.close();
  return folder;
}

describe('a whole directory from the command line', () => {
  it('is backed up into a file that only its owner reads, and restored into a new folder', async () => {
    const folder = emptyFolder();
    const data = await filledFolder();
    const before = (await probity('export', '--data', data)).stdout;
    const file = path.join(folder, 'backup.gz');
    const saved = await probity('backup', file, '--data', data);
    expect([saved.code, saved.stderr]).toMatchObject([0, expect.stringContaining('restore ')]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await probity('backup', file, '--data', data)).stderr).toContain('exists');
    const restored = path.join(folder, 'restored');
    const done = await probity('restore', file, '--data', restored, '--by', 'ada');
    expect([done.code, done.stderr]).toMatchObject([0, expect.stringContaining(`serve --data ${restored}`)]);
    const after = (await probity('export', '--data', restored)).stdout;
    const restoring = after.split('\n').filter((line) => line.includes('"action":"restore"'));
    expect(restoring).toMatchObject([expect.stringContaining('"operator":"ada"')]);
    const rows = (text: string) =>
      text
        .trim()
        .split('\n')
        .slice(1, -1)
        .map((line) => JSON.stringify(JSON.parse(line).row));
    expect(rows(after).filter((row) => !row.includes('"action":"restore"'))).toEqual(rows(before));
    expect((await probity('restore', file, '--data', restored)).stderr).toContain('is not empty');
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const other = path.join(folder, 'other');
    const refused = await probity('restore', file, '--data', other);
    expect([refused.code, refused.stderr]).toMatchObject([2, expect.stringMatching(/after line \d+ of the/)]);
    expect((await probity('restore', '/nowhere', '--data', other)).stderr).toContain('no file');
    const unwritable = await probity('backup', path.join(folder, 'no', 'backup'), '--data', data);
    expect([unwritable.code, unwritable.stderr]).toMatchObject([2, expect.stringContaining('ENOENT')]);
  });

  it('is not served after a restore that was killed, which can be repeated', async () => {
    const folder = emptyFolder();
    const file = path.join(folder, 'backup.gz');
    await probity('backup', file, '--data', await closedFolder());
    const restored = path.join(folder, 'restored');
    const killed = runCommand(['directory', 'restore', file, '--data', restored], {
      env: { DATABASE_URL: '' },
      onStart: (kill) => until(() => existsSync(path.join(restored, 'database'))).then(() => kill('SIGKILL')),
    });
    expect((await killed).code).toBeNull();
    for (const command of ['list', 'serve', 'doctor']) {
      const refused = await probity(command, '--data', restored);
      expect(refused.code).not.toBe(0);
      expect(refused.stdout + refused.stderr).toContain(
        `probity directory restore ${file} --data ${restored}`,
      );
    }
    expect((await probity('restore', file, '--data', restored)).code).toBe(0);
    expect((await probity('list', '--held', '--json', '--data', restored)).stdout).toContain('"id":"held"');
  });

  it('is exported and imported as it was, and what was held stays held', async () => {
    const folder = emptyFolder();
    const data = await filledFolder();
    const exported = await probity('export', '--data', data);
    const file = path.join(folder, 'directory.ndjson');
    writeFileSync(file, exported.stdout);
    const copy = await freshDataFolder();
    expect((await probity('import', file, '--listed', '--data', copy)).stderr).toContain(
      'Leave out --listed',
    );
    const done = await probity('import', file, '--data', copy);
    expect([done.code, done.stderr]).toMatchObject([0, expect.stringContaining('Imported the directory')]);
    expect((await probity('export', '--data', copy)).stdout).toBe(exported.stdout);
    expect((await probity('list', '--held', '--json', '--data', copy)).stdout).toContain('"id":"held"');
    const again = await probity('import', file, '--data', copy);
    expect([again.code, again.stderr]).toMatchObject([
      2,
      expect.stringContaining('Import it into a new one'),
    ]);
    writeFileSync(file, readFileSync(file, 'utf8').replace('harmful', 'harmless'));
    const damaged = await probity('import', file, '--data', await freshDataFolder());
    expect([damaged.code, damaged.stderr]).toMatchObject([2, expect.stringMatching(/Line \d+ .*damaged/)]);
    const listings = await probity('export', '--listings', '--data', data);
    expect(JSON.parse(listings.stdout.split('\n')[0] ?? '')).toMatchObject({ listing: 'v1', id: 'Zulu' });
  });
});
