import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SaxesParser } from 'saxes';
import { emptyFolder } from '../../cli/run-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface RunnerReport {
  readonly code: number | null;
  readonly output: string;
  /** By the name of the test: how the runner reports it. */
  readonly tests: ReadonlyMap<string, ReportedTest>;
}

export interface ReportedTest {
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The message of the failure, or the reason of the skip. */
  readonly text: string;
}

export const RUNNERS = {
  vitest: {
    file: 'contract.test.mjs',
    args: (report: string, more: readonly string[]) => [
      path.join(ROOT, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--reporter=verbose', '--reporter=junit', `--outputFile.junit=${report}`, ...more],
    ],
    only: (pattern: string) => ['-t', pattern],
  },
  'node-test': {
    file: 'contract.test.mjs',
    args: (report: string, more: readonly string[]) => [
      ...['--test', '--test-reporter=junit', `--test-reporter-destination=${report}`],
      ...['--test-reporter=spec', '--test-reporter-destination=stdout', ...more, 'contract.test.mjs'],
    ],
    only: (pattern: string) => [`--test-name-pattern=${pattern}`],
  },
} as const;

export type RunnerName = keyof typeof RUNNERS;

/** Runs a project whose only test file has this code, and reads what the runner itself reports. */
export async function runProject(
  runner: RunnerName,
  code: string,
  more: readonly string[] = [],
): Promise<RunnerReport> {
  const { file, args } = RUNNERS[runner];
  const folder = emptyFolder();
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(ROOT, path.join(folder, 'node_modules/probity'), 'junction');
  symlinkSync(path.join(ROOT, 'node_modules/vitest'), path.join(folder, 'node_modules/vitest'), 'junction');
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    path.join(folder, file),
    `import { probitySuite } from 'probity/${runner}';\nimport { startReferenceServer } from 'probity';\n${code}\n`,
  );
  const { NODE_TEST_CONTEXT: _context, VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(process.execPath, args('report.xml', more), {
    cwd: folder,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code: exit, output, tests: testsIn(readFileSync(path.join(folder, 'report.xml'), 'utf8')) };
}

/** The cases of a JUnit report, by the last part of their name. */
function testsIn(xml: string): ReadonlyMap<string, ReportedTest> {
  const tests = new Map<string, ReportedTest>();
  const parser = new SaxesParser();
  let name = '';
  let test: ReportedTest = { state: 'passed', text: '' };
  let isInside = false;
  parser.on('opentag', ({ name: tag, attributes }) => {
    const said = String(attributes.message ?? '');
    if (tag === 'testcase') {
      name = String(attributes.name).split(' > ').at(-1) ?? '';
      test = { state: 'passed', text: '' };
    } else if (tag === 'failure' || tag === 'error') {
      test = { state: 'failed', text: said };
      isInside = true;
    } else if (tag === 'skipped') test = { state: 'skipped', text: said };
  });
  parser.on('text', (text) => {
    if (isInside) test = { ...test, text: `${test.text}\n${text}` };
  });
  parser.on('closetag', ({ name: tag }) => {
    if (tag === 'failure' || tag === 'error') isInside = false;
    if (tag === 'testcase') tests.set(name, test);
  });
  parser.write(xml).close();
  return tests;
}
