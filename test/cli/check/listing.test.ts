import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { type RunningServer, startReferenceServer } from '../../../src/reference/server.ts';
import { startSigstore } from '../../listing/sigstore-instance.ts';
import { startHttpSubject } from '../../mcp/http-subject.ts';
import { emptyFolder, runCommand } from '../run-command.ts';

const schema = JSON.parse(readFileSync('schemas/test-result.schema.json', 'utf8')) as object;
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
const LISTING = 'probity.listing.yaml';

let reference: RunningServer;
let pages: string;
const closers: (() => Promise<void>)[] = [];
const received: http.IncomingMessage[] = [];
const server = http.createServer((request, response) => {
  received.push(request);
  if (request.url === '/gone') response.writeHead(404);
  response.end('there');
});

beforeAll(async () => {
  reference = await startReferenceServer({ form: 'B' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  pages = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await reference.close();
  for (const close of closers) await close();
  server.close();
  server.closeAllConnections();
});

function folderWith(changes: Readonly<Record<string, string | null>> = {}, config?: string): string {
  const cwd = emptyFolder();
  const lines: Readonly<Record<string, string | null>> = {
    listing: 'v1',
    id: 'reference',
    name: 'Reference',
    description: 'Adds and greets',
    category: 'examples',
    tags: '[]',
    transport: '[http]',
    audited: 'false',
    openSource: 'true',
    endpoint: reference.url,
    repository: `${pages}/source`,
    ...changes,
  };
  const text = Object.entries(lines).map(([key, value]) => (value === null ? '' : `${key}: ${value}\n`));
  writeFileSync(path.join(cwd, LISTING), text.join(''));
  if (config !== undefined) writeFileSync(path.join(cwd, 'probity.config.yaml'), config);
  return cwd;
}

const QUICK = ['--no-latency', '--json', '--seed', '7'];

async function checkIn(
  cwd: string,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly result: TestResult; readonly stdout: string }> {
  const { code, stdout, stderr } = await runCommand(['check', ...args, ...QUICK], {
    cwd,
    env: { PROBITY_TARGET_REFERENCE: 'canary-token-of-the-target' },
  });
  expect(stdout, stderr).toMatch(/^\{/);
  const result = JSON.parse(stdout) as TestResult;
  expect(validate(result), JSON.stringify(validate.errors)).toBe(true);
  return { code, result, stdout };
}

// Mostly they wait, for the repeated reads of a check and for processes.
describe.concurrent('probity check --listing', () => {
  it('checks a server of the Model Context Protocol, whose endpoint the listing gives', async () => {
    const subject = await startHttpSubject({ only: ['add'] });
    closers.push(subject.close);
    const cwd = folderWith({ protocol: 'mcp', endpoint: subject.url, responseTime: '5000' });
    const { code, result } = await checkIn(cwd, '--listing', LISTING);
    expect([code, result.verdict, result.listingDecision]).toEqual([0, 'pass', 'list']);
    expect(result.settings.mcp).toMatchObject({ address: subject.url });
    const audit = result.findings.find(({ id }) => id === 'listing/security-audit');
    expect(audit?.check).toContain(`probity check --mcp ${subject.url} --listing ${LISTING}`);
  });

  it('replaces the report of an earlier run if a server of the Model Context Protocol cannot be reached', async () => {
    const subject = await startHttpSubject({});
    await subject.close();
    const cwd = folderWith({ protocol: 'mcp', endpoint: subject.url });
    writeFileSync(path.join(cwd, 'j.xml'), 'of an earlier run');
    const { code, result } = await checkIn(
      cwd,
      '--listing',
      LISTING,
      '--format',
      'junit',
      '--output',
      path.join(cwd, 'j.xml'),
    );
    expect([code, result.reachable, result.listingDecision]).toEqual([3, false, 'hold']);
    expect(readFileSync(path.join(cwd, 'j.xml'), 'utf8')).toContain('"UNREACHABLE"');
  });

  // The documents are fetched by this check alone.
  it.sequential('checks the endpoint of the listing and decides it; the saved report is judged identically again', async () => {
    const cwd = folderWith({ bearerEnv: 'PROBITY_TARGET_REFERENCE', responseTime: '5000' });
    received.length = 0;
    const { code, result, stdout } = await checkIn(cwd, '--listing', LISTING);
    expect(result.listing?.map(({ outcome }) => outcome)).toEqual([
      'passed',
      'passed',
      'failed',
      'passed',
      'passed',
    ]);
    expect([code, result.verdict, result.listingDecision]).toEqual([0, 'pass', 'list']);
    expect(result.settings).toMatchObject({
      claimedResponseTimeMs: 5000,
      transports: ['http'],
      listingGiven: true,
    });
    expect(result.settings.headerNames).toContain('authorization');
    // The token is sent only to the server, and to no other host in the listing.
    expect(received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/source', undefined],
    ]);
    expect(stdout).not.toContain('canary');
    const [report = ''] = readdirSync(path.join(cwd, 'reports'));
    const judged = await runCommand(['judge', path.join('reports', report), '--json'], { cwd });
    expect(JSON.parse(judged.stdout)).toEqual(result);
    const page = await runCommand(
      ['render', path.join('reports', report), '--format', 'html', '--output', '-'],
      {
        cwd,
      },
    );
    expect(page.stdout).toContain('A directory may list it.');
  });

  it('fails the run for mandatory requirements, with the line of the listing', async () => {
    const cwd = folderWith({ name: '[a]', repository: `${pages}/gone`, endpoint: 'http://127.0.0.1:1' });
    const { code, result } = await checkIn(cwd, reference.url, '--listing', LISTING);
    expect([code, result.listingDecision]).toEqual([1, 'reject']);
    const found = result.findings.filter(({ level }) => level === 'MUST');
    expect(found.map(({ id, where }) => `${id} ${where.suite}:${where.line} ${where.pointer}`)).toEqual([
      'listing/open-or-verifiable probity.listing.yaml:11 /repository',
      'listing/record probity.listing.yaml:3 /name',
      'listing/record probity.listing.yaml:10 /endpoint',
    ]);
  });

  it('decides only selected requirements', async () => {
    const cwd = folderWith();
    const only = await checkIn(cwd, '--listing', LISTING, '--only', 'listing/record');
    expect(only.result.results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'listing/record passed',
    ]);
    expect([only.code, only.result.listingDecision]).toEqual([0, 'hold']);
    const some = await checkIn(
      cwd,
      '--listing',
      LISTING,
      '--only',
      'listing/mcp-support',
      '--only',
      'health/*',
    );
    expect(some.result.listing).toMatchObject([{ requirement: 'listing/mcp-support', outcome: 'undecided' }]);
    expect(some.code).toBe(4);
    const without = await checkIn(cwd, '--listing', LISTING, '--skip', 'listing/*', '--skip', 'robustness/*');
    expect(without.result.listing).toEqual([]);
  });

  it('uses the listing of the configuration, whose values take precedence', async () => {
    const cwd = folderWith(
      { samples: '{ add: { input: { a: 1, b: 2 } }, greet: { input: { name: L } } }' },
      `config: v1\nlisting: ${LISTING}\nsamples: { greet: { input: { name: C } } }\nlatency: { off: true }\n`,
    );
    const { result } = await checkIn(cwd, '--only', 'listing/record');
    expect(result.settings.samples).toEqual({
      add: [{ input: { a: 1, b: 2 }, fails: false }],
      greet: [{ input: { name: 'C' }, fails: false }],
    });
    expect(result.listing).toMatchObject([{ outcome: 'passed' }]);
  });

  it('verifies attestations with the given trusted root', async () => {
    const sigstore = await startSigstore();
    const bundle = await sigstore.attest({ sha256: 'a'.repeat(64) });
    const build = `{ digest: "sha256:${'a'.repeat(64)}", attestation: ${JSON.stringify(bundle)} }`;
    const cwd = folderWith({ repository: null, openSource: 'false', build });
    writeFileSync(path.join(cwd, 'root.json'), sigstore.trustedRoot);
    const args = ['--listing', LISTING, '--only', 'listing/open-or-verifiable'];
    expect((await checkIn(cwd, ...args, '--trusted-root', 'root.json')).code).toBe(0);
    // The public instance does not know that log, so the attestation is undecided.
    expect((await checkIn(cwd, ...args)).code).toBe(4);
  });

  it.each([
    [[], /No target/],
    [['--listing', 'missing.yaml'], /the file does not exist/],
    [['--only', 'listing/record', 'http://127.0.0.1:1'], /about a listing.*--listing/],
    [['--listing', LISTING, '--trusted-root', 'missing.json'], /--trusted-root: cannot read missing.json/],
  ])('says what is wrong with %j', async (args, message) => {
    const { code, stderr } = await runCommand(['check', ...args], { cwd: folderWith() });
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it('refuses a listing that names an arbitrary environment variable', async () => {
    const cwd = folderWith({ bearerEnv: 'HOME' });
    const { code, stderr } = await runCommand(['check', '--listing', LISTING], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`${LISTING}:12:12: bearerEnv must name the variable of this server`);
  });

  it('reports a listing without an endpoint', async () => {
    const cwd = folderWith({ endpoint: null });
    const { code, stderr } = await runCommand(['check', '--listing', LISTING], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('has no valid endpoint');
  });
});

describe.concurrent('probity lint', () => {
  it('distinguishes listings from configurations that name one', async () => {
    const cwd = folderWith({}, `config: v1\nlisting: ${LISTING}\n`);
    writeFileSync(path.join(cwd, 'a.json'), JSON.stringify({ listing: 'v1', id: 'x y' }, null, 2));
    writeFileSync(path.join(cwd, 'all.ndjson'), '{"listing":"v1","id":"a"}\n');
    const sound = await runCommand(['lint', LISTING, 'probity.config.yaml'], { cwd });
    expect(sound).toMatchObject({ code: 0, stdout: 'No mistakes in 2 files.\n' });
    const wrong = await runCommand(['lint', 'a.json', 'all.ndjson'], { cwd });
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toContain('a.json:3:9: "x y" is not an id');
    expect(wrong.stdout).toContain('all.ndjson:1:1: the field "name" is missing [missing-key]');
    expect(wrong.stdout).toContain('17 problems');
  });
});

it('probity explain lists the listing requirements', async () => {
  const { stdout } = await runCommand(['explain', 'listing/*']);
  expect(stdout.match(/^listing\//gm)).toHaveLength(5);
});
