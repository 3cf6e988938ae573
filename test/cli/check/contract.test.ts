import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONTRACT_SCHEMA_ID } from '../../../src/model/contract.ts';
import { type BrokenServer, startBrokenServer } from '../broken-server.ts';
import { COMMAND, emptyFolder, runCommand } from '../run-command.ts';

let server: BrokenServer;
let cwd: string;
let original: string;

const run = (...args: readonly string[]) => runCommand(args, { cwd });
const inFolder = (name: string): string => path.join(cwd, name);
const checked = (...args: readonly string[]) =>
  run('check', server.url, '--only', 'contract/*,health/reachable', '--no-store', ...args);

/** The next release requires one argument more, and describes a function in other words. */
const NEXT = (address: string, body: string): string => {
  if (address !== '/capabilities') return body;
  const said = JSON.parse(body);
  const add = said.functions.find(({ name }: { name: string }) => name === 'add');
  add.description = 'Sums the numbers a and b.';
  add.parameters.properties.c = { type: 'number', description: 'The third number.' };
  add.parameters.required.push('c');
  delete add.examples;
  return JSON.stringify(said);
};

beforeAll(async () => {
  server = await startBrokenServer();
  cwd = emptyFolder();
  await run('contract', server.url, '-o', 'contract.json');
  original = readFileSync(inFolder('contract.json'), 'utf8');
});
beforeEach(() => {
  server.breakSo(null);
  writeFileSync(inFolder('contract.json'), original);
});
afterAll(() => server.close());

describe('probity contract', () => {
  test('prints the same bytes each time, and those of a saved report', async () => {
    const { code, stdout } = await run('contract', server.url);
    expect([code, stdout]).toEqual([0, original]);
    await run(
      'check',
      server.url,
      '--only',
      'capabilities/*',
      '--output',
      'report.json',
      '--format',
      'json',
      '--no-store',
    );
    expect((await run('contract', 'report.json')).stdout).toBe(original);
  });

  test('prints that of a command', async () => {
    const { code, stdout } = await run('contract', `${process.execPath} ${COMMAND} reference --wire mcp`);
    expect(code).toBe(0);
    const printed = JSON.parse(stdout);
    expect(printed).toMatchObject({ schema: CONTRACT_SCHEMA_ID, wire: 'mcp', unread: [] });
    expect(printed.prompts.length).toBeGreaterThan(0);
    expect(printed.resources.length).toBeGreaterThan(0);
  });

  test('says that nothing answers, with the exit code 3', async () => {
    const { code, stdout, stderr } = await run('contract', 'http://127.0.0.1:1');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('does not answer');
  });

  test('says that the list was not read, with the exit code 4, and writes nothing', async () => {
    server.breakSo((address, body) => (address === '/capabilities' ? '[]' : body));
    const { code, stderr } = await run('contract', server.url, '-o', 'none.json');
    expect(code).toBe(4);
    expect(stderr).toContain('The list of the functions was not read');
    expect(existsSync(inFolder('none.json'))).toBe(false);
  });
});

describe('probity diff of contracts', () => {
  beforeAll(async () => {
    server.breakSo(NEXT);
    await run('contract', server.url, '-o', 'next.json');
  });

  test('fails where callers break', async () => {
    const { code, stdout } = await run('diff', 'contract.json', 'next.json');
    expect(code).toBe(1);
    expect(stdout).toContain('BREAKING');
    expect(stdout).toContain('COSMETIC  function add  its description was changed');
    expect(stdout).toContain('was "Adds the numbers a and b."; is "Sums the numbers a and b."');
  });

  test('does not fail where they do not', async () => {
    const { code, stdout } = await run('diff', 'contract.json', 'contract.json');
    expect([code, stdout]).toEqual([0, 'Nothing changed for callers.\n']);
    expect((await run('diff', 'next.json', 'contract.json')).code).toBe(0);
  });

  test.each([
    ['json', '"isBreaking": true'],
    ['markdown', '### Breaking'],
    ['html', '<span class="mark failed">breaking</span>'],
    ['junit', '<failure message="BREAKING:'],
  ])('has the format %s', async (format, part) => {
    const { code, stdout } = await run('diff', 'contract.json', 'next.json', '--format', format);
    expect(code).toBe(1);
    expect(stdout).toContain(part);
  });

  test('takes no limits of response times, and no other files', async () => {
    const slower = await run('diff', 'contract.json', 'next.json', '--fail-on-slower');
    expect(slower.code).toBe(2);
    writeFileSync(inFolder('other.json'), '{"schema": "https://probity.invalid/schemas/contract/v9"}');
    const other = await run('diff', 'other.json', 'next.json');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('another version of Probity');
  });
});

describe('probity check --contract', () => {
  test('passes what did not change, and fails what breaks callers', async () => {
    expect((await checked('--contract', 'contract.json')).code).toBe(0);
    server.breakSo(NEXT);
    const { code, stdout } = await checked('--contract', 'contract.json', '-v');
    expect(code).toBe(1);
    expect(stdout).toContain('contract/unbroken');
    // The command that repeats it.
    expect(stdout.replaceAll(/[\s\\]+/g, ' ')).toMatch(
      /--contract '?contract\.json'? --only contract\/unbroken/,
    );
  });

  test('is set in the configuration, beside which the file is', async () => {
    server.breakSo(NEXT);
    writeFileSync(inFolder('own.yaml'), 'config: v1\ncontract: contract.json\n');
    const from = { cwd: emptyFolder() };
    const { code } = await runCommand(
      ['check', server.url, '--only', 'contract/*', '--no-store', '--config', inFolder('own.yaml')],
      from,
    );
    expect(code).toBe(1);
  });

  test('says how to write a file that does not exist', async () => {
    const { code, stderr } = await checked('--contract', 'missing.json');
    expect(code).toBe(2);
    expect(stderr).toContain('missing.json does not exist. Write it with --accept');
  });

  test('needs a contract for the row, and a file to accept into', async () => {
    const only = await run('check', server.url, '--only', 'contract/unbroken', '--no-store');
    expect(only.code).toBe(2);
    expect(only.stderr).toContain('is decided only with an option of its own');
    const accept = await run('check', server.url, '--accept', '--no-store');
    expect(accept.code).toBe(2);
    expect(accept.stderr).toContain('--contract FILE');
  });
});

describe('probity check --contract FILE --accept', () => {
  const accepted = (file: string, only = 'capabilities/*') =>
    run('check', server.url, '--only', only, '--no-store', '--contract', file, '--accept');

  test('writes a file that does not exist, and leaves one alone that is the same', async () => {
    const first = await accepted('new.json');
    expect(first.code).toBe(0);
    expect(readFileSync(inFolder('new.json'), 'utf8')).toBe(original);
    expect((await accepted('new.json')).stderr).toContain('unchanged: new.json');
  });

  test('renews it, says what changed, and does not fail for it', async () => {
    server.breakSo(NEXT);
    const { code, stderr } = await accepted('contract.json');
    expect(code).toBe(0);
    expect(stderr).toContain('accepted: breaking: function "add"');
    expect((await checked('--contract', 'contract.json')).code).toBe(0);
  });

  test('leaves it alone where the list was not read', async () => {
    const { code, stderr } = await accepted('contract.json', 'health/*');
    expect(code).toBe(4);
    expect(stderr).toContain('The contract was not renewed');
    expect(readFileSync(inFolder('contract.json'), 'utf8')).toBe(original);
  });

  test('does not overwrite another file', async () => {
    writeFileSync(inFolder('notes.json'), '{"notes": []}');
    const { code } = await accepted('notes.json');
    expect(code).toBe(2);
    expect(readFileSync(inFolder('notes.json'), 'utf8')).toBe('{"notes": []}');
  });
});
