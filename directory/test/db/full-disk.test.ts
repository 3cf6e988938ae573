import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COMMAND, emptyFolder } from '../../../test/cli/run-command.ts';

it('says what to do when the files of a new store cannot be written, and leaves no part of it', async () => {
  const folder = emptyFolder();
  onTestFinished(() => rm(folder, { recursive: true }));
  const data = path.join(folder, 'data');
  const begin = [process.execPath, COMMAND, 'directory', 'key', 'create', 'me', '--data', data];
  const env = { ...process.env, DATABASE_URL: '' };
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile('sh', ['-c', 'ulimit -f 200 && exec "$@"', 'sh', ...begin], { env }, (error, _stdout, said) =>
      resolve({ code: error?.code, stderr: said }),
    );
  });
  expect(stderr).toMatch(/cannot be started: .*free space.*ulimit -f/);
  expect(stderr).not.toMatch(/fault of probity|wasm|\[object/);
  expect(code).toBe(2);
  expect(existsSync(path.join(data, 'database'))).toBe(false);
});
