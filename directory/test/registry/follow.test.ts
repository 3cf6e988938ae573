import { expect, it } from 'vitest';
import { allRows, run } from '../../src/db/rows.ts';
import type { Db } from '../../src/db/tables.ts';
import { readEntry } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { followOnce } from '../../src/registry/follow.ts';
import { readList, registryOf } from '../../src/registry/read-servers.ts';
import { answerOf } from '../../src/registry/server-answer.ts';
import { followSource, readSources } from '../../src/registry/sources.ts';
import { describeStores } from '../db/stores.ts';
import { listingOf } from '../entries/listings.ts';
import { answerFor, type FakeRegistry, PACKAGE, remoteAt, sendJson, startRegistry } from './fake-registry.ts';
import { followEmptyRegistry, HOUR_MS } from './followed-registry.ts';
import { whyInvalid } from './server-schema.ts';

/** A listing without one is rejected before any test. */
const REPOSITORY = { url: 'https://git.example/weather', source: 'git' };

describeStores('following a registry', (stores) => {
  let db: Db;
  let registry: FakeRegistry;
  const { follower, read } = followEmptyRegistry(stores, (followed) => {
    ({ db, registry } = followed);
  });
  const follow = (publicOnly = false) => read(registry.url, publicOnly);
  const source = async () => (await readSources(db))[0];
  const listed = async () => {
    const query = { after: null, limit: 1000, search: null, updatedSince: null, version: null };
    const namespace = 'org.example';
    const { rows } = await readList(registryOf(db, { namespace, publicUrl: null }), {
      ...query,
      includesDeleted: false,
    });
    return rows.map((row) => JSON.parse(answerOf(row, { namespace, address: 'http://here' })));
  };
  const test = (id: string, decision: 'list' | 'reject') =>
    run(
      db,
    )`update entries set uptime = 100, response_time_ms = 1, checks_decision = ${decision} where id = ${id}`;

  it('makes an entry of a server with an address, which is shown when a test lists it', async () => {
    registry.servers = [
      {
        name: 'com.example/weather',
        more: remoteAt('http://127.0.0.1:9/mcp', { title: 'Weather', repository: REPOSITORY }),
      },
      { name: 'com.example/package', more: PACKAGE },
    ];
    expect(await follow()).toMatchObject({ pages: 1, servers: 2, changed: 2, refused: 0, problem: null });
    expect(await readEntry(db, 'com.example.weather')).toMatchObject({
      name: 'Weather',
      endpoint: 'http://127.0.0.1:9/mcp',
      protocol: 'mcp',
      decision: 'hold',
    });
    // A package needs no entry.
    expect((await listed()).map(({ server }) => server.name)).toEqual(['com.example/package']);
    await test('com.example.weather', 'list');
    const shown = await listed();
    expect(shown.map(({ server }) => server.name)).toEqual(['com.example/package', 'com.example/weather']);
    for (const one of shown) expect(whyInvalid(one)).toBeNull();
    const known = shown.map(({ _meta }) => _meta['io.github.probity-mcp/directory']);
    expect(known[0]).toEqual({
      verdict: 'unchecked',
      report: 'http://here/registry/com.example%2Fpackage',
    });
    expect(known[1]).toMatchObject({ decision: 'list', report: 'http://here/servers/com.example.weather' });
    await test('com.example.weather', 'reject');
    expect(await listed()).toHaveLength(1);
  });

  it('reads only updates later, and changes nothing twice', async () => {
    registry.servers = Array.from({ length: 250 }, (_, number) => ({
      name: `com.example/s${number}`,
      more: PACKAGE,
    }));
    expect(await follow()).toMatchObject({ pages: 3, changed: 250 });
    expect(registry.queries.map((query) => query.get('updated_since'))).toEqual([null, null, null]);
    expect(await follow()).toMatchObject({ changed: 0, problem: null });
    expect(registry.queries.at(-1)?.get('updated_since')).toBe('2025-12-31T23:50:00.000Z');
    const updatedAt = '2026-02-01T00:00:00Z';
    registry.servers = [
      ...registry.servers,
      { name: 'com.example/s7', version: '2.0.0', updatedAt, more: PACKAGE },
      { name: 'com.example/s7', isLatest: false, updatedAt, more: PACKAGE },
    ];
    await follow();
    expect(await follow()).toMatchObject({ servers: 2, changed: 0 });
    const versions = (await listed()).filter(({ server }) => server.name === 'com.example/s7');
    expect(
      versions.map(({ server, _meta }) => [
        server.version,
        _meta['io.modelcontextprotocol.registry/official'].isLatest,
      ]),
    ).toEqual([
      ['1.0.0', false],
      ['2.0.0', true],
    ]);
  });

  it('holds the entry of a server that is deleted, and releases it when it is back', async () => {
    const server = { name: 'com.example/a', more: remoteAt('http://127.0.0.1:9/a') };
    registry.servers = [
      server,
      { name: 'com.example/b', more: remoteAt('http://127.0.0.1:9/b') },
      { name: 'com.example/c', more: remoteAt('http://127.0.0.1:9/c') },
    ];
    await follow();
    for (const id of ['com.example.a', 'com.example.b', 'com.example.c']) await test(id, 'list');
    await decideAsOperator(db, 'com.example.b', { action: 'approve', reason: 'r', operator: 'ada' });
    await decideAsOperator(db, 'com.example.c', { action: 'hold', reason: 'r', operator: 'registry' });
    registry.servers = registry.servers.map((one) => ({ ...one, status: 'deleted' }));
    await follow();
    expect(await readEntry(db, 'com.example.a')).toMatchObject({ decision: 'hold', decided_by: 'operator' });
    // What the operator decided stays, but the registry API does not list what the source deleted.
    expect(await readEntry(db, 'com.example.b')).toMatchObject({ decision: 'list' });
    expect(await listed()).toEqual([]);
    registry.servers = registry.servers.map((one) => ({ ...one, status: 'active' }));
    await follow();
    expect(await readEntry(db, 'com.example.a')).toMatchObject({ decision: 'list', decided_by: 'checks' });
    // Only by its name like a hold of the registry.
    expect(await readEntry(db, 'com.example.c')).toMatchObject({ decision: 'hold', decided_by: 'operator' });
    expect(await listed()).toHaveLength(2);
  });

  it('keeps the entry of a server that is deleted without its address, for when it is back', async () => {
    const server = { name: 'com.example/a', more: remoteAt('http://127.0.0.1:9/a') };
    registry.servers = [server];
    await follow();
    await test('com.example.a', 'list');
    registry.servers = [{ name: 'com.example/a', status: 'deleted' }];
    await follow();
    expect(await readEntry(db, 'com.example.a')).toMatchObject({ decision: 'hold' });
    registry.servers = [server];
    await follow();
    expect(await readEntry(db, 'com.example.a')).toMatchObject({ decision: 'list' });
    expect(await allRows(db)`select id from entries`).toEqual([{ id: 'com.example.a' }]);
    expect(await listed()).toHaveLength(1);
  });

  it('never writes over an entry, or over the name of another source', async () => {
    const other = await startRegistry([{ name: 'com.example/own', more: PACKAGE }]);
    await putEntries(
      db,
      ['com.example.own', 'COM-EXAMPLE-LIKE'].map((id) => ({
        listing: listingOf(id, 'http://127.0.0.1:9/own'),
        first: { decision: 'hold', decidedBy: 'checks', rows: [] },
      })),
      new Date(),
    );
    registry.servers = [
      { name: 'com.example/own', more: remoteAt('http://127.0.0.1:9/evil') },
      { name: 'com.example/like', more: remoteAt('http://127.0.0.1:9/evil') },
      { name: 'com.example/same.id', more: remoteAt('http://127.0.0.1:9/one') },
      { name: 'com.example/same-id', more: remoteAt('http://127.0.0.1:9/two') },
      { name: `com.example/${'long'.repeat(40)}`, more: remoteAt('http://127.0.0.1:9/long') },
      { name: 'com.example/a_b', more: remoteAt('http://127.0.0.1:9/search') },
    ];
    expect(await follow()).toMatchObject({ changed: 6, problem: null });
    expect(await readEntry(db, 'com.example.own')).toMatchObject({ endpoint: 'http://127.0.0.1:9/own' });
    const entries = await allRows<{ id: string; endpoint: string }>(
      db,
    )`select id, endpoint from entries order by endpoint, id`;
    expect(await allRows(db)`select name, problem from registry_servers where problem is not null`).toEqual(
      [],
    );
    expect(entries).toHaveLength(8);
    expect(entries.filter(({ endpoint }) => endpoint.endsWith('evil')).map(({ id }) => id)).toEqual([
      expect.stringMatching(/^com\.example\.like-[0-9a-f]{12}$/),
      expect.stringMatching(/^com\.example\.own-[0-9a-f]{12}$/),
    ]);
    await followSource(db, other.url, HOUR_MS);
    const foreign = await read(other.url);
    expect(foreign).toMatchObject({ changed: 0, refused: 1 });
    // Ids are kept.
    registry.servers = registry.servers.map((one) => ({
      ...one,
      version: '2.0.0',
      updatedAt: '2026-03-01T00:00:00Z',
    }));
    await follow();
    expect(await allRows(db)`select id, endpoint from entries order by endpoint, id`).toEqual(entries);
    await other.stop();
  });

  it.each([
    ['a template', remoteAt('http://{host}/mcp')],
    ['another transport', { remotes: [{ type: 'sse', url: 'http://127.0.0.1:9/sse' }] }],
    ['a user and a password', remoteAt('http://ada:secret@127.0.0.1:9/mcp')],
  ])('makes no entry of %s, and does not show the server', async (_of, more) => {
    registry.servers = [{ name: 'com.example/a', more }];
    expect(await follow()).toMatchObject({ changed: 1, problem: null });
    expect(await allRows(db)`select id from entries`).toEqual([]);
    expect(await listed()).toEqual([]);
    expect(await allRows(db)`select problem from registry_servers`).toEqual([
      { problem: expect.any(String) },
    ]);
  });

  it('makes no entry of a private address when only public ones are allowed', async () => {
    registry.servers = [{ name: 'com.example/a', more: remoteAt('http://127.0.0.1:9/mcp') }];
    expect((await follow(true)).problem).toContain('page 1: ');
    expect(registry.queries).toEqual([]);
  });

  it.each<[string, (response: Parameters<NonNullable<FakeRegistry['respond']>>[1]) => void, RegExp]>([
    ['no JSON', (response) => response.end('<html>'), /not JSON/],
    ['another object', (response) => sendJson(response, { error: 'x' }), /no list "servers"/],
    [
      'a list of another type',
      (response) => sendJson(response, { servers: { length: 1 } }),
      /no list "servers"/,
    ],
    [
      'a cursor of another type',
      (response) => sendJson(response, { servers: [], metadata: { nextCursor: {} } }),
      /nextCursor/,
    ],
    ['too many servers', (response) => sendJson(response, { servers: Array(1001).fill({}) }), /1001 servers/],
    ['a failure', (response) => response.writeHead(500).end('{}'), /status 500/],
    [
      'a redirect to a file',
      (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      /redirect/,
    ],
    ['a broken connection', (response) => response.destroy(), /page 1/],
    [
      'a compressed answer',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
      /content coding/,
    ],
  ])('changes nothing when it answers with %s', async (_with, respond, problem) => {
    registry.respond = (_request, response) => respond(response);
    expect((await follow()).problem).toMatch(problem);
    expect(await source()).toMatchObject({ problem: expect.stringMatching(problem), cursor: null });
    registry.respond = null;
    registry.servers = [{ name: 'com.example/a', more: PACKAGE }];
    expect(await follow()).toMatchObject({ changed: 1, problem: null });
    expect(await source()).toMatchObject({ problem: null });
  });

  it('reads no more of a page than its limit', async () => {
    let sent = 0;
    registry.respond = (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536))) sent += 65_536;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect((await follow()).problem).toMatch(/16777216|too large|larger/);
    expect(sent).toBeLessThan(256 * 1024 * 1024);
  });

  it.each([
    ['the same cursor', () => 'a'],
    ['cursors in a circle', (at: number) => 'abc'[at % 3] ?? ''],
  ])('ends a list with %s forever', async (_with, cursorOf) => {
    let pages = 0;
    registry.respond = (_request, response) => {
      const server = answerFor({ name: `com.example/s${pages}`, more: PACKAGE });
      sendJson(response, { servers: [server], metadata: { nextCursor: cursorOf(pages) } });
      pages += 1;
    };
    expect((await follow()).problem).toContain('the list does not end');
    expect(pages).toBeLessThan(6);
  });

  it('accepts the valid servers of a page with others, and says what is wrong with those', async () => {
    registry.respond = (_request, response) =>
      sendJson(response, {
        servers: [
          answerFor({ name: 'com.example/good', more: PACKAGE }),
          answerFor({ name: 'com.example/good', more: PACKAGE }),
          null,
          7,
          { server: { name: 'no slash', description: 'x', version: '1' } },
          answerFor({ name: 'com.example/latest', version: 'latest' }),
          answerFor({ name: 'com.example/odd', status: 'paused' }),
          answerFor({ name: 'com.example/script', more: remoteAt('javascript:alert(1)') }),
          answerFor({ name: 'com.example/large', more: { websiteUrl: `https://a/${'x'.repeat(70_000)}` } }),
          answerFor({ name: 'com.example/deep', more: { title: '\u0000\u202e<script>', ...PACKAGE } }),
        ],
      });
    expect(await follow()).toMatchObject({ changed: 2, refused: 7, problem: null });
    expect((await listed()).map(({ server }) => server.name)).toEqual([
      'com.example/deep',
      'com.example/good',
    ]);
    expect((await source())?.lastRefusal).toMatch(/^com\.example\/large: it has \d+ bytes/);
  });

  it('is not deceived by a time in the future', async () => {
    registry.servers = [{ name: 'com.example/a', updatedAt: '9998-01-01T00:00:00Z', more: PACKAGE }];
    await follow();
    await follow();
    const since = Date.parse(registry.queries.at(-1)?.get('updated_since') ?? '');
    expect(since).toBeLessThan(Date.now());
  });

  it('loses and doubles nothing when readers are stopped between pages and work at the same time', async () => {
    registry.pageSize = 10;
    registry.servers = Array.from({ length: 300 }, (_, number) => ({
      name: `com.example/s${number}`,
      more: number % 3 === 0 ? remoteAt(`http://127.0.0.1:9/${number}`) : PACKAGE,
    }));
    for (let round = 0; round < 6; round += 1) {
      const stopping = new AbortController();
      const stopAfter = 1 + (round % 4);
      let pages = 0;
      await Promise.all([
        followOnce(follower(), registry.url, stopping.signal, () => {
          pages += 1;
          if (pages >= stopAfter) stopping.abort();
        }),
        followOnce(follower(), registry.url, stopping.signal),
      ]);
    }
    await follow();
    const [count] = await allRows(db)`
      select count(*)::integer as versions, count(distinct name)::integer as names,
        count(distinct entry_id)::integer as linked, (select count(*)::integer from entries) as entries
      from registry_servers`;
    expect(count).toEqual({ versions: 300, names: 300, linked: 100, entries: 100 });
  });
});
