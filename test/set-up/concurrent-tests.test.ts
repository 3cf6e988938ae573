import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const sources = new Map(
  ['test', 'directory/test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => path.join(folder, name))
      .map((file) => [file, readFileSync(file, 'utf8')] as const),
  ),
);
const RUNS_AT_ONCE = /^\s*(?:describe|it|test)\.concurrent\b/m;
/** Not `import type`, and not from the context of a test. */
const OF_NO_TEST = /^import \{[^}]*\bonTest(?:Finished|Failed)\b[^}]*\} from 'vitest';$/m;

function withImports(file: string, found = new Set([file])): ReadonlySet<string> {
  for (const [, imported = ''] of (sources.get(file) ?? '').matchAll(/from '(\.[^']+)'/g)) {
    const other = path.join(path.dirname(file), imported);
    if (!sources.has(other) || found.has(other)) continue;
    found.add(other);
    withImports(other, found);
  }
  return found;
}

describe('tests that run at the same time', () => {
  const files = [...sources].flatMap(([file, source]) => (RUNS_AT_ONCE.test(source) ? [file] : []));

  it('are known', () => {
    expect(files.length).toBeGreaterThan(10);
    expect([...sources.values()].filter((source) => OF_NO_TEST.test(source)).length).toBeGreaterThan(10);
  });

  // It would be called when any other of these tests ends, and close the server of one that goes on.
  it.each(files)('in %s register what ends with a test at its own context', (file) => {
    const wrong = [...withImports(file)].filter((one) => OF_NO_TEST.test(sources.get(one) ?? ''));
    expect(wrong).toEqual([]);
  });
});
