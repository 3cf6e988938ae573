import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMMAND, emptyFolder, runCommand } from '../run-command.ts';

const PACKAGE = path.resolve(import.meta.dirname, '../../..');
const SUITE = 'suites/server/health.suite.yaml';

describe('lint of the product’s own suites', () => {
  test('finds a mistake that was made after the build, with its position', async () => {
    const folder = copyOfPackage();
    const file = path.join(folder, SUITE);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/^steps:$/m, 'stepz:'));
    const line = text.split('\n').indexOf('steps:') + 1;
    const { code, stdout } = await runCommand(['lint'], { command: path.join(folder, 'dist/probity.js') });
    expect(code).toBe(2);
    expect(stdout).toContain(`${SUITE}:${line}:1`);
    expect(stdout).toContain('stepz');
  });

  test('finds a mistake in the registry of requirements', async () => {
    const folder = copyOfPackage();
    const file = path.join(folder, 'suites/requirements.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('health/status-200', 'health/status-2OO'));
    const { code, stdout } = await runCommand(['lint'], { command: path.join(folder, 'dist/probity.js') });
    expect(code).toBe(2);
    expect(stdout).toContain('health/status-200');
  });

  test('finds none in a copy whose files are newer than the build', async () => {
    const folder = copyOfPackage();
    const { code, stdout } = await runCommand(['lint'], { command: path.join(folder, 'dist/probity.js') });
    expect(stdout).toContain('No mistakes in the product’s own suites.');
    expect(code).toBe(0);
  });

  test('finds no mistake in one that is named', async () => {
    const { code, stdout } = await runCommand(['lint', path.join(PACKAGE, SUITE)]);
    expect(stdout).toBe('No mistakes in 1 file.\n');
    expect(code).toBe(0);
  });
});

/** The parts of the package that the command reads. */
function copyOfPackage(): string {
  const folder = emptyFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const types = path.join(path.dirname(COMMAND), 'types');
  for (const part of ['dist', 'suites', 'package.json'])
    cpSync(path.join(PACKAGE, part), path.join(folder, part), {
      recursive: true,
      filter: (source) => source !== types,
    });
  return folder;
}
