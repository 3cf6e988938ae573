import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig, sourcesOf } from '../../src/suite/read-config.ts';
import { SuiteError } from '../../src/suite/yaml/diagnostic.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'probity-source-map-'));
  mkdirSync(path.join(folder, 'src'));
  writeFileSync(path.join(folder, 'src/tools.ts'), 'one\ntwo\nthree\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(sources: string): string {
  const file = path.join(folder, 'probity.config.yaml');
  writeFileSync(file, `config: v1\nsources:\n  functions:\n    "create_*": ${sources}\n`);
  return file;
}

describe('the places of the configuration in the user’s files', () => {
  test('are relative to the folder of the run', () => {
    const file = path.relative('.', written('src/tools.ts:3'));
    const tools = path.join(path.dirname(file), 'src/tools.ts').replaceAll(path.sep, '/');
    expect(sourcesOf(readConfig(file), file)).toEqual({
      functions: [{ glob: 'create_*', file: tools, line: 3 }],
      requirements: [],
    });
  });

  test.each([
    ['src/none.ts', 'cannot read the file src/none.ts'],
    ['src', 'cannot read the file src'],
    ['src/tools.ts:4', 'src/tools.ts has 3 lines, and no line 4'],
    ['/etc/hosts', '"/etc/hosts" is an absolute path'],
    ['src/tools.ts:0', 'is not a file such as src/health.ts, or src/health.ts:12'],
  ])('%s is refused with its place', (source, message) => {
    const file = written(source);
    const refused = (() => {
      try {
        return readConfig(file);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(SuiteError);
    expect(refused).toMatchObject({
      message: expect.stringContaining(message),
      diagnostics: [{ file, place: { line: 4, column: 17 } }],
    });
  });
});
