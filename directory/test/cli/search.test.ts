import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { type RunningServer, startReferenceServer } from 'probity';
import type { Listing, TestResult } from 'probity/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplesIn } from '../../../src/cli/options/listed-target.ts';
import { PLAIN } from '../../../src/report/terminal/layout.ts';
import { renderSearch } from '../../../src/report/terminal/search-terminal.ts';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { json, record, startFake } from '../../../test/client/fake-directory.ts';
import { freePort } from '../../../test/free-port.ts';
import { startHttpSubject } from '../../../test/mcp/http-subject.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { listing, newEntry } from '../entries/kept-entries.ts';
import { listingOf } from '../entries/listings.ts';

let directory: DirectoryUnderTest;
let reference: RunningServer;
let base: string;

beforeAll(async () => {
  directory = await startDirectory();
  base = `${directory.url}/v1`;
  reference = await startReferenceServer({ form: 'A' });
  const local = (id: string, more: Partial<Listing> = {}): Listing => ({
    id,
    name: `The ${id}`,
    description: 'A server',
    category: 'Science',
    tags: ['rain', id],
    transport: ['http'],
    audited: true,
    openSource: true,
    endpoint: reference.url,
    uptime: 99.996,
    responseTime: 800,
    ...more,
  });
  const listings = [
    local('weather'),
    local('snow', { audited: false, openSource: false, responseTime: 4.26, name: 'Snow\u001b[31m\u202e' }),
    local('strange', { endpoint: 'http://127.0.0.1:1/health?x', category: 'Other' }),
  ];
  await putEntries(
    directory.store.db,
    listings.map((one) => ({ listing: one, first: { decision: 'list', decidedBy: 'operator', rows: [] } })),
    new Date(),
  );
});
afterAll(async () => {
  await reference?.close();
  await directory?.stop();
});

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = emptyFolder()) =>
  runCommand(args, {
    cwd,
    env: { PROBITY_DIRECTORY: base, PROBITY_DIRECTORY_KEY: directory.key, ...env },
  });

// Mostly they wait, for processes and for the repeated reads of a check.
describe.concurrent('probity search', () => {
  it('prints servers with invisible characters escaped, and marks claimed figures', async () => {
    const { code, stdout, stderr } = await run(['search', '--category', 'science']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      [
        'Snow\\e[31m\\u{202E}  snow',
        '  Science  99.99 %  4.3 ms  figures claimed',
        'The weather  weather',
        '  Science  99.99 %  800 ms  audited, open source, figures claimed',
        '',
        '2 servers.',
        '',
      ].join('\n'),
    );
  });

  it('accepts words, filters and pages', async () => {
    const shown = async (...args: string[]) => (await run(['search', ...args])).stdout;
    expect(await shown('the', 'weath')).toMatch(/weather[\s\S]*1 server\.\n$/);
    expect(await shown('--tag', 'rain', '--tag', 'snow', '--max-response-time', '10ms')).toMatch(
      /snow[\s\S]*1 server/,
    );
    expect(await shown('--limit', '1', '--offset', '1')).toMatch(
      /Server 2 of 3\.\nNext page: --offset 2; all servers: --all\n$/,
    );
    expect(await shown('--all')).toMatch(/\n3 servers\.\n$/);
    expect(
      await shown('--audited', '--open-source', '--min-uptime', '99.99', '--transport', 'http', '--json'),
    ).toContain('"total": 2');
  });

  it('finds servers by state, protocol and last test, in the order that is wanted', async ({
    onTestFinished,
  }) => {
    const own = await startDirectory();
    onTestFinished(own.stop);
    const entries = [1, 2, 3].map((number) =>
      newEntry(
        listing(`s${number}`, { uptime: 90 + number, ...(number === 3 ? {} : { protocol: 'mcp' as const }) }),
        'list',
      ),
    );
    await putEntries(own.store.db, entries, new Date());
    await sql`update entry_details set verdict = 'incomplete' where entry_id = 's2'`.execute(own.store.db);
    await sql`update entries set observed = case when id = 's1' then 'gated' else 'down' end`.execute(
      own.store.db,
    );
    const found = async (...args: string[]) => {
      const env = { PROBITY_DIRECTORY: `${own.url}/v1`, PROBITY_DIRECTORY_KEY: own.key };
      const { stdout, stderr } = await run(['search', '--json', ...args], env);
      const { servers } = JSON.parse(stdout || '{}') as { readonly servers?: readonly { id: string }[] };
      return servers?.map(({ id }) => id) ?? stderr;
    };
    expect(await found('--status', 'gated')).toEqual(['s1']);
    expect(await found('--status', 'gated,down', '--sort', 'uptime')).toEqual(['s3', 's2', 's1']);
    expect(await found('--protocol', 'endpoints')).toEqual(['s3']);
    expect(await found('--verdict', 'incomplete')).toEqual(['s2']);
    expect(await found('--status', 'gatet')).toContain('Did you mean "gated"?');
    expect(await found('--sort', 'best')).toContain('responseTime');
  });

  it('succeeds when no server matches', async () => {
    expect(await run(['search', 'nothing'])).toEqual({ code: 0, stdout: 'No server matches.\n', stderr: '' });
    expect((await run(['search', '--offset', '9'])).stdout).toBe(
      'No server matches at offset 9; 3 match in total.\n',
    );
  });

  it('prints one page or all pages as JSON', async () => {
    const one = JSON.parse((await run(['search', '--limit', '2', '--json'])).stdout);
    expect(one).toMatchObject({
      servers: [{ id: 'snow' }, { id: 'strange' }],
      pagination: { total: 3, hasNext: true },
    });
    const all = JSON.parse((await run(['search', '--all', '--json'])).stdout);
    expect(all).toMatchObject({ pagination: { total: 3, offset: 0, hasNext: false } });
    expect(all.servers).toHaveLength(3);
  });

  it('exits with 2 after a mistake and with 3 without a usable answer', async () => {
    expect(await run(['search'], { PROBITY_DIRECTORY: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--directory'),
    });
    expect(await run(['search'], { PROBITY_DIRECTORY_KEY: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/PROBITY_DIRECTORY_KEY.*--directory-key-env/),
    });
    expect(await run(['search', '--directory-key-env', 'NOT_SET'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('NOT_SET'),
    });
    expect(await run(['search', '--directory-key-env', 'OTHER'], { OTHER: 'wrong' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('status 401 (unauthorised)'),
    });
    expect(await run(['search', '--directory', 'http://directory.example/v1'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--allow-insecure'),
    });
    expect(await run(['search', '--all', '--limit', '3'])).toMatchObject({ code: 2 });
    expect(await run(['search', '--max-response-time', '300'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('300ms'),
    });
    const silent = `http://127.0.0.1:${await freePort()}/v1`;
    expect(await run(['search', '--directory', silent])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
    const strange = await startFake((_, response) => response.end('<html>'));
    expect(await run(['search', '--directory', strange.baseUrl])).toMatchObject({ code: 3, stdout: '' });
    await strange.close();
  });
});

describe('the table', () => {
  const rendered = (columns: number, ...records: readonly ReturnType<typeof record>[]) =>
    renderSearch(records, { total: 1, offset: 0, hasNext: false }, { palette: PLAIN, columns });

  it('aligns its columns, and marks claimed figures', () => {
    const observed = record('weather', { figures: 'observed' });
    const claimed = record('snow', { responseTime: 800, audited: false, figures: 'claimed' });
    expect(rendered(80, observed, claimed).split('\n').slice(0, 3)).toEqual([
      'NAME            ID       CATEGORY   UPTIME    TIME  MARKS',
      'Server weather  weather  science   99.50 %   12 ms  audited',
      'Server snow     snow     science   99.50 %  800 ms  figures claimed',
    ]);
  });

  it('marks a server that is not up', () => {
    const marks = (status: 'up' | 'gated' | 'unknown') =>
      rendered(80, record('one', { status }))
        .split('\n')[1]
        ?.replace(/.* ms +/, '');
    expect([marks('up'), marks('gated'), marks('unknown')]).toEqual(['audited', 'gated, audited', 'audited']);
  });

  it('shortens names and categories first, then changes its layout, and never shortens ids', () => {
    const long = record('weather-of-the-whole-world', { name: 'n'.repeat(300), category: 'c'.repeat(300) });
    for (const columns of [80, 100, 200]) {
      const lines = rendered(columns, long).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(lines[1]).toContain('weather-of-the-whole-world');
    }
    expect(rendered(40, long)).toMatch(
      /^n+… {2}weather-of-the-whole-world\n {2}c+… {2}99\.50 % {2}12 ms {2}audited\n/,
    );
  });
});

describe.concurrent('probity check --server', () => {
  const quick = ['--no-latency', '--only', 'health/*'];

  it('checks the endpoint of the entry against the claims of the entry', async () => {
    const cwd = emptyFolder();
    const { code, stderr } = await run(['check', '--server', 'weather', ...quick], {}, cwd);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`lists The weather (weather) at ${reference.url}`);
    expect(stderr).toContain('transport http, response time 800 ms');
    const [file = ''] = readdirSync(path.join(cwd, 'reports'));
    const report = readFileSync(path.join(cwd, 'reports', file), 'utf8');
    expect(JSON.parse(report)).toMatchObject({
      target: { url: reference.url },
      settings: { transports: ['http'], claimedResponseTimeMs: 800, publicOnly: false },
    });
    expect(report).not.toContain(directory.key);
  });

  it('gives the configuration precedence', async () => {
    const cwd = emptyFolder();
    writeFileSync(path.join(cwd, 'probity.config.yaml'), 'config: v1\nlisting: { responseTime: 50 }\n');
    const { stdout } = await run(['check', '--server', 'weather', '--json', ...quick], {}, cwd);
    expect(JSON.parse(stdout)).toMatchObject({
      settings: { transports: ['http'], claimedResponseTimeMs: 50 },
    });
  });

  it('calls the functions with the samples of the listing', async () => {
    const capabilities = (await (await fetch(`${reference.url}/capabilities`)).json()) as {
      readonly functions: readonly { readonly name: string; readonly inputs: object }[];
    };
    const [called] = capabilities.functions;
    const input = { '2.2': 'of the listing' };
    await directory.add(
      listingOf('sampled', reference.url, { samples: { [called?.name ?? '']: [{ input, fails: true }] } }),
    );
    const args = ['check', '--server', 'sampled', '--no-latency', '--json', '--only', 'execute/*,errors/*'];
    const { stdout, stderr } = await run(args);
    expect(stderr).toContain('samples of one function');
    const { settings, exchanges } = JSON.parse(stdout) as TestResult;
    expect(settings.samples).toEqual({ [called?.name ?? '']: [{ input, fails: true }] });
    expect(JSON.stringify(exchanges)).toContain('of the listing');
  });

  it('ignores samples that are not samples', () => {
    const input = { a: 1 };
    expect(samplesIn(undefined)).toEqual({});
    expect(samplesIn({ samples: [] })).toEqual({});
    expect(
      samplesIn({
        samples: { f: [{ input }, 3, { input: [] }], g: 'x', h: [{ input, fails: true, more: 1 }] },
      }),
    ).toEqual({ f: [{ input, fails: false }], h: [{ input, fails: true }] });
  });

  it('sends each key only to its owner', async () => {
    const server = await startFake((_, response) => json(response, { status: 'ok' }));
    const endpoint = server.baseUrl.replace('/v1', '');
    const directory = await startFake((_, response) => json(response, record('one', { endpoint })));
    const env = { PROBITY_DIRECTORY_KEY: 'key-of-the-directory', TARGET_KEY: 'key-of-the-target' };
    await run(
      ['check', '--server', 'one', '--directory', directory.baseUrl, '--bearer-env', 'TARGET_KEY', ...quick],
      env,
    );
    expect(directory.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-of-the-directory',
    ]);
    expect(JSON.stringify(directory.seen)).not.toContain('key-of-the-target');
    expect(server.seen.length).toBeGreaterThan(0);
    expect(server.seen.map(({ headers }) => headers.authorization)).toContain('Bearer key-of-the-target');
    expect(JSON.stringify(server.seen)).not.toContain('key-of-the-directory');
    await server.close();
    await directory.close();
  });

  it('checks a server of the Model Context Protocol', async ({ onTestFinished }) => {
    const server = await startHttpSubject({ only: ['add'] });
    onTestFinished(server.close);
    // Untested, so that no search of another test finds it.
    await directory.add(listingOf('adder', server.url, { protocol: 'mcp' }));
    const { code, stdout, stderr } = await run(['check', '--server', 'adder', '--no-latency', '--json']);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'pass',
      settings: { mcp: { address: server.url } },
    });
  });

  it('runs no command that a directory names', async ({ onTestFinished }) => {
    const cwd = emptyFolder();
    const endpoint = 'touch started';
    const hostile = await startFake((_, response) =>
      json(response, record('one', { endpoint, protocol: 'mcp' })),
    );
    onTestFinished(hostile.close);
    const args = ['check', '--server', 'one', '--directory', hostile.baseUrl, ...quick];
    expect(await run(args, {}, cwd)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is not an http or https address'),
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('refuses invalid endpoints, unknown entries and contradictory options', async () => {
    expect(await run(['check', '--server', 'strange'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /endpoint of strange in the directory is not checked: .*instead of --server/,
      ),
    });
    expect(await run(['check', '--server', 'nope'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('server-not-found'),
    });
    expect(await run(['check', reference.url, '--server', 'weather'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('two servers'),
    });
    expect(await run(['check'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--server') });
    expect(await run(['check', '--server', 'weather', '--public-only'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('loopback'),
    });
    expect(await run(['check', '--server', 'weather', '--directory', 'http://127.0.0.1:1/v1'])).toMatchObject(
      { code: 3 },
    );
  });
});
