import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUserProject, type Packed, type UserProject } from './packed.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MANIFEST = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

let project: UserProject;
let packed: Packed;
let warnings: readonly string[];

/** The JSON output of a script that uses the installed package `probity`. */
function inUse(script: string): unknown {
  writeFileSync(path.join(project.folder, 'use.mjs'), `import * as probity from 'probity';\n${script}`);
  return JSON.parse(project.run('node', 'use.mjs'));
}

beforeAll(() => {
  project = createUserProject();
  packed = project.pack('.');
  warnings = project.install(packed);
});

describe('the package', () => {
  it('contains only what is used', () => {
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'docs/library.md',
        'schemas/test-result.schema.json',
        'suites/requirements.yaml',
        'suites/server/health.suite.yaml',
        'dist/probity.js',
        'dist/third-party-licenses.txt',
      ]),
    );
    const others = packed.files.filter(
      (file) =>
        !/^(dist|suites|schemas|docs)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(file),
    );
    expect(others).toEqual([]);
  });

  it('is installed without a warning by an npm with strict engines', () => {
    expect(warnings).toEqual([]);
  });

  it('runs as a command', () => {
    expect(project.run('npx', '--no', 'probity', 'lint')).toContain(
      'No mistakes in the product’s own suites.',
    );
    expect(project.run('npx', '--no', 'probity', 'demo', '--no-latency')).toContain('PASS');
  });

  it('runs as a library, and has types', () => {
    writeFileSync(
      path.join(project.folder, 'example.mjs'),
      readFileSync(path.join(ROOT, 'examples/check-in-code.mjs')),
    );
    expect(project.run('node', 'example.mjs')).toMatch(/^(pass|incomplete): \d+ requirements met\n/m);

    writeFileSync(
      path.join(project.folder, 'types.ts'),
      "import { checkServer, type ServerRecord, type TestResult } from 'probity';\nexport const check = async (url: string): Promise<TestResult['verdict']> => (await checkServer(url, { form: 'A' })).verdict;\n// @ts-expect-error: a list of texts\nexport const tags = (record: ServerRecord): number => record.tags;\n",
    );
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
    project.run('node', tsc, ...options, 'types.ts');
  });

  it('registers tests in the test runner of Node, without Vitest', () => {
    writeFileSync(
      path.join(project.folder, 'contract.test.mjs'),
      `import { startReferenceServer } from 'probity';
      import { probitySuite } from 'probity/node-test';
      const start = async () => {
        const { url, close } = await startReferenceServer({ form: 'B' });
        return { url, stop: close };
      };
      probitySuite({ start, only: ['health/*'] });`,
    );
    const printed = project.run('node', '--test', '--test-reporter=tap', 'contract.test.mjs');
    expect(printed).toContain('health/status-string: status is a string');
    expect(printed).toMatch(/^# fail 0$/m);
    writeFileSync(
      path.join(project.folder, 'suite-types.ts'),
      "import { probitySuite } from 'probity/node-test';\nimport { probitySuite as inVitest } from 'probity/vitest';\nfor (const register of [probitySuite, inVitest]) register({ url: 'http://127.0.0.1:3000', failOn: 'should' });\n// @ts-expect-error: not a level\nprobitySuite({ url: 'http://127.0.0.1:3000', failOn: 'may' });\n",
    );
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
    project.run('node', tsc, ...options, 'suite-types.ts');
  });

  it('exports exactly what docs/library.md lists and the types declare', () => {
    const documented = [
      ...readFileSync(path.join(ROOT, 'docs/library.md'), 'utf8').matchAll(/^\| `(\w+)` \|/gm),
    ].map(([, name]) => name);
    const declarations = readFileSync(
      path.join(project.folder, 'node_modules/probity/dist/index.d.ts'),
      'utf8',
    );
    const declared = /^export \{(.*?)\};/ms
      .exec(declarations)?.[1]
      ?.split(',')
      .map((name) => name.trim());
    const exported = inUse('console.log(JSON.stringify(Object.keys(probity)));');
    expect(exported).toEqual(documented.toSorted());
    expect(declared).toEqual(expect.arrayContaining(documented));
  });

  it('throws errors with the names of their classes, whose messages name options', () => {
    const failures = inUse(`
      const failures = [];
      for (const attempt of [
        () => probity.checkServer(),
        () => probity.checkServer('http://127.0.0.1:1', { only: ['helth/*'] }),
        () => probity.checkServer('http://user@127.0.0.1:1'),
        () => probity.loadSuites(['none.yaml']),
        () => probity.createDirectoryClient({ baseUrl: 'http://directory.example/v1', apiKey: 'key' }),
      ])
        try {
          await attempt();
        } catch (error) {
          const { name, message } = error;
          failures.push({
            name,
            message,
            className: error.constructor.name,
            isExported: error instanceof probity[name],
            isExpected: error instanceof probity.ExpectedError,
          });
        }
      console.log(JSON.stringify(failures));`) as { name: string; message: string }[];
    expect(failures).toEqual(
      ['OptionError', 'OptionError', 'TargetError', 'SuiteError', 'DirectoryError'].map((name) => ({
        name,
        message: expect.not.stringMatching(/(^|\s)--[a-z]/),
        className: name,
        isExported: true,
        isExpected: true,
      })),
    );
  });

  it('has no side effects when imported, as sideEffects declares', () => {
    const script = `
      const seen = () => [Reflect.ownKeys(globalThis).map(String), process.eventNames().map(String)];
      const before = seen();
      await import('probity');
      console.log(JSON.stringify({ before, after: seen() }));`;
    const { before, after } = JSON.parse(project.run('node', '--input-type=module', '--eval', script));
    expect(after).toEqual(before);
    for (const file of MANIFEST.sideEffects) expect(packed.files).toContain(path.posix.normalize(file));
  });

  it('passes publint', async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(packed.tarball).buffer },
      strict: true,
    });
    expect(messages).toEqual([]);
  });

  it('is a single package of up to 9 MB', () => {
    const installed = path.join(project.folder, 'node_modules');
    expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['probity']);
    const bytes = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
    expect(bytes).toBeLessThan(9e6);
  });

  it('names the package that `probity directory` needs', () => {
    const command = path.join(project.folder, 'node_modules/.bin/probity');
    const { status, stderr } = spawnSync(command, ['directory', 'serve'], {
      cwd: project.folder,
      encoding: 'utf8',
    });
    expect(stderr).toContain('Install it with: npm install probity-directory\n');
    expect(status).toBe(2);
  });

  it.each(['model', 'service', 'mcp', 'html', 'command-line'])(
    'exports as probity/%s what docs/service-parts.md lists',
    (entry) => {
      const page = readFileSync(path.join(ROOT, 'docs/service-parts.md'), 'utf8');
      const [, section = ''] = page.split(`## \`probity/${entry}\`\n`);
      const documented = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(
        ([, name]) => name,
      );
      const script = `console.log(JSON.stringify(Object.keys(await import('probity/${entry}'))));`;
      expect(JSON.parse(project.run('node', '--input-type=module', '--eval', script))).toEqual(
        documented.toSorted(),
      );
    },
  );

  it('has types for every resolution of ES modules', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(packed.tarball));
    const problems = analysis.types === false ? ['no types'] : analysis.problems;
    const deliberate = problems.filter(
      (problem) =>
        typeof problem === 'object' &&
        // ES modules only: `require` depends on Node, and the resolution of Node 10 ignores \`exports\`.
        (problem.kind === 'CJSResolvesToESM' ||
          ('resolutionKind' in problem && problem.resolutionKind === 'node10')),
    );
    expect(problems.filter((problem) => !deliberate.includes(problem))).toEqual([]);
  });

  it('has the same repository as the documentation', () => {
    const home = 'https://github.com/probity-mcp/probity';
    const { repository, homepage, bugs } = MANIFEST;
    expect({ repository, homepage, bugs }).toEqual({
      repository: { type: 'git', url: `git+${home}.git` },
      homepage: `${home}#readme`,
      bugs: { url: `${home}/issues` },
    });
    const named = ['README.md', 'docs/ci.md', 'action.yml']
      .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
      .flatMap((text) => [...text.matchAll(/[\w.-]+\/probity(?=\.git|@)/g)].map(([name]) => name));
    expect(new Set(named)).toEqual(new Set(['probity-mcp/probity']));
  });
});
