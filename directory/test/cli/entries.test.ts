import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { UsageError } from 'probity/command-line';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runCommand } from '../../../test/cli/run-command.ts';
import { readEntryListings } from '../../src/cli/entry-listings.ts';
import { readHolder } from '../../src/db/data-lock.ts';
import { freshDataFolder, startPostgres, type TestPostgres } from '../db/stores.ts';

// Each command opens the store again, which is fast with PostgreSQL.
let postgres: TestPostgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = await postgres.database('commands');
});
afterAll(() => postgres?.stop());

const LISTING = {
  listing: 'v1',
  id: 'weather',
  name: 'Weather',
  description: 'Tells the weather.',
  category: 'science',
  tags: ['forecast'],
  transport: ['http'],
  endpoint: 'https://weather.example',
  audited: false,
  openSource: true,
  repository: 'https://git.example/weather',
};

const probity = (...args: readonly string[]) =>
  runCommand(['directory', ...args], { env: { DATABASE_URL: databaseUrl } });

function file(...listings: readonly object[]): string {
  const name = path.join(emptyFolder(), 'listings.ndjson');
  writeFileSync(name, listings.map((listing) => `${JSON.stringify(listing)}\n`).join(''));
  return name;
}

describe('entries from the command line', () => {
  it('are added once, updated when they exist, and removed', async () => {
    const one = file(LISTING);
    const added = await probity('add', one, '--no-fetch', '--json');
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(JSON.parse(added.stdout)).toMatchObject([{ id: 'weather', decision: 'hold' }]);
    const again = await probity('add', one, '--no-fetch');
    expect([again.code, again.stderr]).toMatchObject([
      2,
      expect.stringContaining('probity directory update'),
    ]);
    expect((await probity('update', one, '--no-fetch')).code).toBe(0);
    const unknown = await probity('update', file({ ...LISTING, id: 'other' }), '--no-fetch');
    expect([unknown.code, unknown.stderr]).toMatchObject([
      2,
      expect.stringContaining('No server with the id "other".'),
    ]);
    const removed = await probity('remove', 'weather', 'other');
    expect([removed.code, removed.stderr]).toMatchObject([2, expect.stringContaining('Nothing was removed')]);
    expect((await probity('remove', 'weather')).code).toBe(0);
  });

  it('are added all, or none', async () => {
    const { code, stderr } = await probity('add', file(LISTING, { ...LISTING, id: 'no id' }), '--no-fetch');
    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was changed');
    const removed = await probity('remove', 'weather');
    expect(removed.code).toBe(2);
  });

  it('with an author who refuses tests are left to the operator', async () => {
    const added = await probity('add', file({ ...LISTING, id: 'untested', tests: false }), '--no-fetch');
    expect(added.code).toBe(0);
    expect(added.stderr).toContain(
      'Its author refuses tests; list it with: `probity directory approve untested --reason',
    );
    expect(added.stderr).not.toMatch(/tests it|tests new servers/);
    expect((await probity('show', 'untested')).stdout).toContain(
      'next test    none: its author refuses tests',
    );
    expect(JSON.parse((await probity('show', 'untested', '--json')).stdout).nextTestAt).toBeNull();
    await probity('remove', 'untested');
  });

  const KEPT = { ...LISTING, id: 'kept' };

  it('stay as they are when an identical listing is put again, and say why they are on hold', async () => {
    const held = await probity('add', file(KEPT), '--no-fetch');
    expect([held.code, held.stdout]).toMatchObject([0, expect.stringContaining('kept  hold')]);
    expect(held.stderr).toMatch(
      /listing\/mcp-support undecided: MCP support: there is no test of this listing yet\. .*`probity directory test kept`/,
    );
    const rejected = await probity('reject', 'kept', '--reason', 'the author asked', '--by', 'ada');
    expect([rejected.code, rejected.stderr]).toMatchObject([0, expect.stringContaining('is rejected')]);
    const again = await probity('update', file(KEPT), '--no-fetch');
    expect([again.code, again.stdout]).toMatchObject([0, expect.stringContaining('kept  reject')]);
    const moved = await probity('import', file({ ...KEPT, endpoint: 'https://moved.example' }));
    expect(moved.code).toBe(0);
    const listed = await probity('list', '--rejected', '--json');
    expect(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id: 'kept', decidedBy: 'operator', observed: null, reasons: ['the operator: the author asked'] },
    ]);
    expect((await probity('release', 'kept', '--reason', 'settled')).stderr).toContain('kept is on hold');
    const { stdout } = await probity('show', 'kept', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      decision: 'hold',
      decidedBy: 'checks',
      endpoint: 'https://moved.example',
      operatorActions: [
        { action: 'release', reason: 'settled' },
        { action: 'update' },
        { action: 'reject', reason: 'the author asked', operator: 'ada' },
        { action: 'add' },
      ],
    });
    const text = await probity('show', 'kept');
    expect(text.stdout).toContain('reject kept by ada: the author asked');
    expect((await probity('hold', 'kept', '--reason', ' ')).code).toBe(2);
    expect((await probity('hold', 'nobody', '--reason', 'x')).stderr).toContain('probity directory list');
    expect((await probity('hold', 'kept')).stderr).toContain('--reason');
    expect((await probity('remove', 'kept')).code).toBe(0);
  });

  it('are exported as import takes them back, and marked where they are only claimed', async () => {
    const many = [
      { ...LISTING, id: 'a-one', name: '=1+1, "quoted"', uptime: 99.5, responseTime: 12 },
      { ...LISTING, id: 'b-two', samples: { f: [{ input: { x: 1 } }] } },
    ];
    expect((await probity('import', file(...many), '--json')).code).toBe(2);
    expect((await probity('import', file(...many))).code).toBe(0);
    const exported = await probity('export', '--listings');
    const lines = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect(lines.filter(({ id }) => /^[ab]-/.test(id))).toHaveLength(2);
    const before = await probity('list', '--json');
    expect((await probity('import', file(...lines))).code).toBe(0);
    expect((await probity('list', '--json')).stdout).toBe(before.stdout);
    expect((await probity('export', '--listings')).stdout).toBe(exported.stdout);
    const csv = await probity('list', '--held', '--csv');
    const row = csv.stdout.split('\r\n').find((line) => line.startsWith('a-one')) ?? '';
    expect(row).toContain(`'=1+1, ""quoted""`);
    expect(row).toContain(',hold,checks,unknown,,,99.5,12,');
    const text = await probity('list');
    expect(text.stdout).toContain('claimed uptime 99.5 %, claimed response time 12 ms');
    expect((await probity('list', '--down')).stderr).toContain('no such entries');
    expect((await probity('list', '--json', '--csv')).code).toBe(2);
    expect((await probity('remove', 'a-one', 'b-two')).code).toBe(0);
  });

  it('are tested by a running service', async () => {
    expect((await probity('add', file({ ...LISTING, id: 'untested' }), '--no-fetch')).code).toBe(0);
    const { code, stderr } = await probity('test', 'untested', '--wait', '1');
    expect([code, stderr]).toMatchObject([2, expect.stringContaining('Run a service on this store')]);
    expect((await probity('remove', 'untested')).code).toBe(0);
  });

  it.each([
    ['a name that is too long', { name: 'n'.repeat(201) }, /201 characters; the maximum is 200/],
    ['a description that is too long', { description: 'd'.repeat(2001) }, /the maximum is 2000/],
    [
      'too many tags',
      { tags: Array.from({ length: 31 }, (_, index) => `t${index}`) },
      /31 items; the maximum is 30/,
    ],
    ['a tag that is too long', { tags: ['t'.repeat(61)] }, /the maximum is 60/],
    [
      'samples that are too large',
      { samples: { f: [{ input: { x: 'x'.repeat(300_000) } }] } },
      /maximum is 262144/,
    ],
    ['a reserved id', { id: 'search' }, /Choose another/],
    ['an endpoint on a private address', { endpoint: 'http://127.0.0.1:1' }, /--allow-private/],
    ['a character that the database refuses', { name: 'a\u0000b' }, /listings\.ndjson:1.*U\+0000/s],
    ['half of a surrogate pair', { description: '\ud800' }, /surrogate/],
    ['the variable of another server', { bearerEnv: 'PATH' }, /PROBITY_TARGET_WEATHER/],
  ])('are refused with %s', async (_what, change, message) => {
    // Not by the command, which takes much longer to start than to refuse a listing; see "all, or none".
    const refused = readEntryListings([file({ ...LISTING, ...change })], {}).catch((error: unknown) => error);
    expect(await refused).toBeInstanceOf(UsageError);
    expect(await refused).toMatchObject({ message: expect.stringMatching(message) });
  });

  it('are refused when two ids differ only in case and punctuation', async () => {
    const both = file(LISTING, { ...LISTING, id: 'Weather' });
    await expect(readEntryListings([both], {})).rejects.toThrow('Duplicate id');
  });

  it('are imported in large numbers, and listed immediately if they claim both figures', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      ...LISTING,
      id: `imported-${index}`,
      name: 'Imported',
      uptime: 99,
      responseTime: 10,
    }));
    const done = await probity('import', file(...many), '--listed');
    expect([done.code, done.stderr]).toMatchObject([0, expect.stringContaining('300 entries')]);
    const without = await probity('import', file(LISTING), '--listed');
    expect([without.code, without.stderr]).toMatchObject([
      2,
      expect.stringContaining('cannot be listed at once'),
    ]);
  });
});

describe('keys from the command line', () => {
  it('are shown once, listed without their secrets, and revoked', async () => {
    const made = await probity('key', 'create', 'first client', '--scope', 'read,test');
    const key = made.stdout.trim();
    expect(key).toMatch(/^prb_[a-z2-7]{10}_[A-Za-z0-9_-]{43}$/);
    const listed = await probity('key', 'list', '--json');
    expect(listed.stdout).not.toContain(key.slice(15));
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'first client', scopes: ['read', 'test'], state: 'valid' },
    ]);
    expect((await probity('key', 'revoke', key)).code).toBe(0);
    expect((await probity('key', 'list')).stdout).toContain('revoked');
    for (const [args, message] of [
      [['key', 'create', ' '], /a name/],
      [['key', 'create', 'x', '--expires', '2020-01-01'], /in the past/],
      [['key', 'create', 'x', '--scope', 'owner'], /one of read, test, execute, admin/],
      [['key', 'revoke', 'nobody'], /No key with this id/],
    ] as const) {
      const { code, stderr } = await probity(...args);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
  });
});

describe('the service from the command line', () => {
  it.each([
    [['--public-url', 'javascript:alert(1)'], /http or https address/],
    [['--public-url', 'https://user:secret@directory.example'], /without a user name/],
    [['--public-url', 'https://directory.example/?q=1'], /without a user name, a query/],
    [['--metrics-port', '65536'], /65535/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await probity('serve', ...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it('names the option of a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await probity('serve', '--port', '0', '--metrics-port', String(port));
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use. Choose another with --metrics-port`);
    expect(code).toBe(2);
    server.close();
  });
});

describe('a port that is in use', () => {
  it.each(['embedded', 'postgres'] as const)(
    'ends the service on an %s store with work, and frees it',
    async (kind) => {
      const server = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const data = await freshDataFolder();
      onTestFinished(() => rm(data, { recursive: true }));
      const env = { DATABASE_URL: kind === 'embedded' ? '' : databaseUrl };
      const run = (...args: readonly string[]) => runCommand(['directory', ...args, '--data', data], { env });
      expect((await run('import', file({ ...LISTING, id: 'due' }))).code).toBe(0);
      const { code, stderr } = await run('serve', '--port', String(port));
      expect([code, stderr]).toEqual([2, expect.stringContaining(`Port ${port} on 127.0.0.1 is in use.`)]);
      expect(await readHolder(data)).toBeNull();
    },
  );
});

describe('commands that need a directory', () => {
  const commands = [
    ['list'],
    ['show', 'weather'],
    ['test', 'weather'],
    ['export'],
    ['log'],
    ['policy'],
    ['audits'],
    ['follow'],
    ['key', 'list'],
    ['remove', 'weather'],
    ['hold', 'weather', '--reason', 'unclear'],
    ['backup', 'nowhere.gz'],
  ];

  it.each(commands)('create none in a folder: %s %s', async (...args) => {
    const nowhere = path.join(emptyFolder(), 'none');
    const { code, stderr } = await runCommand(['directory', ...args.filter(Boolean), '--data', nowhere], {
      env: { DATABASE_URL: '' },
    });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`There is no directory in ${nowhere}. Name its folder with --data`),
    ]);
    expect(existsSync(nowhere)).toBe(false);
  });

  it('create none in an empty database', async () => {
    const env = { DATABASE_URL: await postgres.database('empty') };
    for (const _twice of [1, 2]) {
      const { code, stderr } = await runCommand(['directory', 'list'], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining('There is no directory in this database')]);
    }
  });
});

describe('a store that cannot be used', () => {
  it.each([
    [{ DATABASE_URL: 'mysql://user:secret@127.0.0.1/x' }, /begin with postgres:\/\//],
    [{ DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/x' }, /cannot be used/],
  ])('is reported without the password: %j', async (env, message) => {
    const { code, stderr } = await runCommand(['directory', 'key', 'list'], { env });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('secret');
    expect(code).toBe(2);
  });

  it('is reported when the data folder is a file', async () => {
    const name = path.join(emptyFolder(), 'file');
    writeFileSync(name, '');
    const { code, stderr } = await runCommand(['directory', 'key', 'create', 'me', '--data', name], {
      env: { DATABASE_URL: '' },
    });
    expect([code, stderr]).toMatchObject([2, expect.stringContaining('cannot be used')]);
  });
});
