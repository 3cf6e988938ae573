import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

describe('the package', () => {
  it('works when it is packed and installed elsewhere: command, library and types', {
    timeout: 120_000,
  }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'probity-package-'));
    const packed = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT);
    const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
    const names = files.map(({ path: name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'schemas/test-result.schema.json',
        'suites/requirements.yaml',
        'suites/server/health.suite.yaml',
        'dist/probity.js',
      ]),
    );
    expect(
      names.filter(
        (name) => name.startsWith('test/') || name.startsWith('src/') || name.startsWith('reports/'),
      ),
    ).toEqual([]);

    writeFileSync(path.join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
    run(
      'npm',
      ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', filename],
      folder,
    );
    expect(run('npx', ['--no', 'probity', 'lint'], folder)).toBe('The product’s own suites are sound.\n');
    expect(run('npx', ['--no', 'probity', 'demo', '--no-latency'], folder)).toContain('PASS');

    writeFileSync(
      path.join(folder, 'example.mjs'),
      readFileSync(path.join(ROOT, 'examples/check-in-code.mjs')),
    );
    expect(run('node', ['example.mjs'], folder)).toMatch(/^(pass|incomplete): \d+ requirements met\n/);

    writeFileSync(
      path.join(folder, 'types.ts'),
      "import { checkServer, type TestResult } from 'probity';\nexport const check = async (url: string): Promise<TestResult['verdict']> => (await checkServer(url, { form: 'A' })).verdict;\n",
    );
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    run(
      'node',
      [tsc, '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', '', 'types.ts'],
      folder,
    );
  });
});
