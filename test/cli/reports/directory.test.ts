import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { isOverHttp } from '../../../src/model/sent.ts';
import { type RunningDirectory, startDirectory } from '../../fake-directory/directory.ts';
import { KEY } from '../../fake-directory/rules.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const schema = JSON.parse(readFileSync('schemas/test-result.schema.json', 'utf8')) as object;
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
const env = { DIRECTORY_KEY: KEY };
const WITH_KEY = ['--bearer-env', 'DIRECTORY_KEY', '--max-rate', '1000'];

let directory: RunningDirectory;

beforeEach(async () => {
  directory = await startDirectory();
});

afterEach(() => directory.close());

describe('probity check --directory', () => {
  test('passes a conforming directory without sending the key to its servers; the report can be judged again', async () => {
    const cwd = emptyFolder();
    // The configuration of a server, which must not be used here, especially its key.
    writeFileSync(
      path.join(cwd, 'probity.config.yaml'),
      'config: v1\nskip: ["health/*"]\nheaders: { x-key: s3 }\n',
    );
    const args = ['check', '--directory', directory.url, ...WITH_KEY, '--json'];
    const { code, stdout, stderr } = await runCommand(args, { cwd, env });
    expect(stderr).toBe(`checking ${directory.url}\n`);
    expect(code).toBe(0);
    expect(stdout).not.toContain(KEY);
    const result = JSON.parse(stdout) as TestResult;
    expect(validate(result), JSON.stringify(validate.errors)).toBe(true);
    expect(result.results).toHaveLength(27);
    expect(result.suites.map(({ id }) => id.split('-', 1)[0])).toEqual(Array(4).fill('directory'));
    expect(result.responseTimes.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['search', 'details', 'test', 'execute']),
    );
    const [file = ''] = readdirSync(path.join(cwd, 'reports'));
    const judged = await runCommand(['judge', path.join('reports', file), '--json'], { cwd });
    expect(JSON.parse(judged.stdout)).toEqual(result);
    expect(judged.stderr).toBe('');

    expect(directory.askedOfServers.length).toBeGreaterThan(0);
    expect(JSON.stringify(directory.askedOfServers)).not.toContain(KEY);
    expect(directory.askedOfServers.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });

  test('without a key asks for one, and decides nothing that needs it', async () => {
    const { code, stdout } = await runCommand(['check', '--directory', directory.url]);
    expect(code).toBe(4);
    expect(stdout).toContain('the target requires a key');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('name it with --bearer-env');
  });

  test('uses the key that PROBITY_DIRECTORY_KEY holds, as the other commands do, and shows it nowhere', async () => {
    const args = ['check', '--directory', directory.url, '--json'];
    const { code, stdout } = await runCommand(args, { env: { PROBITY_DIRECTORY_KEY: KEY } });
    expect(code).toBe(0);
    expect(stdout).not.toContain(KEY);
    expect((JSON.parse(stdout) as TestResult).settings.bearerEnv).toBe('PROBITY_DIRECTORY_KEY');
    expect(JSON.stringify(directory.askedOfServers)).not.toContain(KEY);
  });

  test('prefers another key that the command line gives', async () => {
    const wrong = { PROBITY_DIRECTORY_KEY: 'wrong', ...env };
    expect(
      (await runCommand(['check', '--directory', directory.url, ...WITH_KEY], { env: wrong })).code,
    ).toBe(0);
    const header = ['--header', `Authorization: Bearer ${KEY}`];
    expect((await runCommand(['check', '--directory', directory.url, ...header], { env: wrong })).code).toBe(
      0,
    );
  });

  test('shows a finding with a curl line and a command that checks it again', async () => {
    const broken = await startDirectory({ rules: { basePath: '/api' } });
    const args = [
      'check',
      '--directory',
      broken.url,
      ...WITH_KEY,
      '--only',
      'directory/base-path',
      '--verbose',
    ];
    const { code, stdout } = await runCommand(args, { env });
    await broken.close();
    expect(code).toBe(1);
    expect(stdout).toContain('\'authorization: Bearer \'"$PROBITY_TOKEN"');
    expect(stdout.replaceAll(/\s*\\\n\s*/g, ' ')).toContain(
      `probity check --directory ${broken.url} --only directory/base-path --bearer-env DIRECTORY_KEY`,
    );
  });

  test('is not a check of a server', async () => {
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [['check'], 'No target.'],
      [['check', directory.url, '--directory', directory.url], 'one target can be checked at a time'],
      [['check', directory.url, '--entry', 'a'], '--entry applies only to directories'],
      [['check', '--directory', directory.url, '--form', 'a'], '--form applies only to servers'],
      [['check', '--directory', directory.url, '--start', 'x'], '--start applies only to servers'],
      [
        ['check', '--directory', directory.url, '--only', 'health/*'],
        'A check of a directory decides only "directory/*"',
      ],
      [['check', 'http://127.0.0.1:1', '--only', 'directory/test'], '--directory BASE_URL'],
    ];
    for (const [args, says] of wrong) {
      const { code, stderr } = await runCommand(args);
      expect(code, args.join(' ')).toBe(2);
      expect(stderr).toContain(says);
    }
  });
});

describe('probity plan --directory', () => {
  test('sends only the reads that later requests need', async () => {
    const { code, stdout } = await runCommand(['plan', '--directory', directory.url, ...WITH_KEY], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('POST /servers/srv-0001/execute {"function":"');
    expect(stdout).toMatch(/59 requests for 27 requirements\. Sent now: 14/);
    expect(stdout).not.toContain('other form');
  });
});

describe('a suite of the user', () => {
  const SUITE = `suite: v1
id: mine
title: Of a directory
target: directory
steps:
  - id: read
    needs: [directory-search/first]
    request: { get: /servers/search, query: { limit: 1, tags: [a, b] } }
    expect: { status: { is: 200, id: ok } }
`;

  test('checks a directory if it has that target', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'mine.suite.yaml'), SUITE);
    const args = ['--suite', 'mine.suite.yaml', ...WITH_KEY, '--only', 'mine/ok', '--json'];
    const { stdout, code } = await runCommand(['check', '--directory', directory.url, ...args], { cwd, env });
    expect(code).toBe(0);
    const { exchanges } = JSON.parse(stdout) as TestResult;
    expect(
      exchanges.filter(isOverHttp).map(({ request }) => request.url.slice(directory.url.length)),
    ).toEqual(['/servers/search', '/servers/search?limit=1&tags=a&tags=b']);
    expect((await runCommand(['lint', 'mine.suite.yaml'], { cwd })).stdout).toBe('No mistakes in 1 file.\n');
    const asServer = await runCommand(['check', directory.url, '--suite', 'mine.suite.yaml'], { cwd });
    expect(asServer.code).toBe(2);
  });
});
