import { mkdtempSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { openTargetKeys } from '../../src/cli/target-keys.ts';

function freshFile(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-keys-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'keys.env');
}

it('reads the keys of servers, and again when the file changes or is replaced', async () => {
  const file = freshFile();
  await writeFile(file, '# keys\nPROBITY_TARGET_A=one\n', { mode: 0o600 });
  const warnings: string[] = [];
  const environment = { PROBITY_TARGET_A: 'outer', PROBITY_TARGET_B: 'outer', HOME: '/home' };
  const keys = await openTargetKeys(file, environment, (words) => warnings.push(words));
  onTestFinished(keys.close);
  const changes: (readonly string[])[] = [];
  keys.onChange((names) => changes.push(names));
  expect(keys.environment).toMatchObject({ PROBITY_TARGET_A: 'one', PROBITY_TARGET_B: 'outer' });

  await writeFile(`${file}.new`, 'PROBITY_TARGET_B=two\n', { mode: 0o600 });
  await rename(`${file}.new`, file);
  await eventually(
    () => changes.flat(),
    (names) => names.length >= 2,
  );
  expect(changes.flat().sort()).toEqual(['PROBITY_TARGET_A', 'PROBITY_TARGET_B']);
  expect(keys.environment).toMatchObject({ PROBITY_TARGET_A: 'outer', PROBITY_TARGET_B: 'two' });

  await writeFile(file, 'PATH=/bin\n');
  await eventually(
    () => warnings.join('\n'),
    (words) => words.includes('"PATH"'),
  );
  expect(keys.environment).toMatchObject({ PROBITY_TARGET_B: 'two' });
  expect(warnings.join('\n')).not.toMatch(/one|two/);
});

it('refuses a file that cannot be used, and warns about one that others can read', async () => {
  const file = freshFile();
  const open = () => openTargetKeys(file, {}, (words) => warnings.push(words));
  const warnings: string[] = [];
  await expect(open()).rejects.toThrow(/cannot be read from .*does not exist\. Create it .*chmod 600/);
  await writeFile(file, 'SECRET=x\n', { mode: 0o644 });
  await expect(open()).rejects.toThrow(/sets "SECRET".*PROBITY_TARGET_ and the id/);
  await writeFile(file, 'PROBITY_TARGET_A=one\n');
  (await open()).close();
  expect(warnings).toEqual([expect.stringContaining(`chmod 600 ${file}`)]);
});
