import { expect, it } from 'vitest';
import { allRows, run } from '../../src/db/rows.ts';
import type { Db } from '../../src/db/tables.ts';
import { readEntry } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { followDue } from '../../src/registry/follow-due.ts';
import { NameIndex } from '../../src/registry/name-index.ts';
import { readVersions } from '../../src/registry/read-servers.ts';
import { answerOf } from '../../src/registry/server-answer.ts';
import { followSource, readSources } from '../../src/registry/sources.ts';
import { describeStores } from '../db/stores.ts';
import { answerFor, type FakeRegistry, PACKAGE, remoteAt, sendJson, startRegistry } from './fake-registry.ts';
import { followEmptyRegistry, HOUR_MS } from './followed-registry.ts';

const NAME = 'com.example/a';
const ID = 'com.example.a';
const TESTED = 'http://127.0.0.1:9/tested';
const OTHER = 'http://127.0.0.1:9/other';
const NAMESPACE = 'org.example';

describeStores('what a followed registry cannot do', (stores) => {
  let db: Db;
  let registry: FakeRegistry;
  const { follower, read } = followEmptyRegistry(stores, (followed) => {
    ({ db, registry } = followed);
  });
  const follow = (servers: FakeRegistry['servers']) => {
    registry.servers = servers;
    return read();
  };
  const versions = async (includesDeleted = false) => {
    const names = new NameIndex(db, NAMESPACE);
    const { rows } = await readVersions({ db, namespace: NAMESPACE, names }, NAME, null, includesDeleted);
    return rows.map((row) => JSON.parse(answerOf(row, { namespace: NAMESPACE, address: 'http://here' })));
  };
  const shown = async () =>
    (await versions()).map(({ server, _meta }) => [
      server.version,
      server.remotes?.map(({ url }: { url: string }) => url) ?? 'package',
      _meta['io.github.probity-mcp/directory'].verdict,
    ]);
  /** As a test does it that passes. */
  const pass = async () => {
    await run(db)`
      update entries set uptime = 99, response_time_ms = 7, figures_claimed = false, checks_decision = 'list' where id = ${ID}`;
    await run(db)`update entry_details set verdict = 'pass', coverage = 100 where entry_id = ${ID}`;
  };
  const decide = (action: 'approve' | 'reject' | 'hold') =>
    decideAsOperator(db, ID, { action, reason: 'r', operator: 'ada' });

  it('publishes no version with an address that was not tested, and no figures for other versions', async () => {
    await follow([
      { name: NAME, version: '1.0.0', isLatest: false, more: remoteAt(OTHER) },
      { name: NAME, version: '1.5.0', isLatest: false, more: remoteAt(TESTED) },
      { name: NAME, version: '2.0.0', more: remoteAt(TESTED) },
    ]);
    await pass();
    expect(await shown()).toEqual([
      ['2.0.0', [TESTED], 'pass'],
      ['1.5.0', [TESTED], 'unchecked'],
    ]);
    const [latest, older] = (await versions()).map(({ _meta }) => _meta['io.github.probity-mcp/directory']);
    expect(latest).toMatchObject({ remote: TESTED, uptime: 99, responseTime: 7, decision: 'list' });
    expect(older).toEqual({ verdict: 'unchecked' });
    // Not even as deleted: it was never shown.
    expect(await versions(true)).toHaveLength(2);
  });

  it('makes no package of a version with an address, or of one with nothing', async () => {
    const old = { name: NAME, version: '1.0.0', isLatest: false, more: remoteAt(OTHER) };
    const latest = { name: NAME, version: '3.0.0' };
    await follow([old, { name: NAME, version: '2.0.0', isLatest: false, more: PACKAGE }, latest]);
    expect(await versions(true)).toEqual([]);
    expect(await allRows(db)`select problem from registry_servers where problem is not null`).toEqual([
      { problem: 'it has neither an address nor a package' },
    ]);
    await follow([{ ...latest, more: { remotes: [], ...PACKAGE } }]);
    expect(await shown()).toEqual([
      ['3.0.0', [], 'unchecked'],
      ['2.0.0', 'package', 'unchecked'],
    ]);
  });

  it('publishes only the tested one of several addresses', async () => {
    const remotes = [
      { type: 'sse', url: OTHER },
      { type: 'streamable-http', url: 'https://{host}/mcp' },
      { type: 'streamable-http', url: TESTED },
      { type: 'streamable-http', url: OTHER },
    ];
    await follow([{ name: NAME, more: { remotes } }]);
    await pass();
    expect(await shown()).toEqual([['1.0.0', [TESTED], 'pass']]);
    expect(await readEntry(db, ID)).toMatchObject({ endpoint: TESTED });
    // What is not published is no change.
    expect(await follow([{ name: NAME, more: { remotes: remotes.slice(0, 3) } }])).toMatchObject({
      changed: 0,
    });
  });

  it('says nothing under the key of the directory', async () => {
    const provided = { 'io.modelcontextprotocol.registry/publisher-provided': { tool: 'x' } };
    const claimed = {
      'io.github.probity-mcp/directory': { verdict: 'pass' },
      'io.modelcontextprotocol.registry/official': { status: 'active' },
    };
    await follow([{ name: NAME, more: { ...PACKAGE, _meta: { ...provided, ...claimed } } }]);
    expect((await versions()).map(({ server }) => server._meta)).toEqual([provided]);
  });

  it('shows a version no longer when the operator moves its entry elsewhere', async () => {
    await follow([{ name: NAME, more: remoteAt(TESTED) }]);
    await pass();
    expect(await shown()).toHaveLength(1);
    await run(db)`update entries set endpoint = ${OTHER} where id = ${ID}`;
    expect(await shown()).toEqual([]);
  });

  it('moves no approved entry: the approval ends, and the log says why', async () => {
    await follow([{ name: NAME, more: remoteAt(TESTED) }]);
    await pass();
    await decide('approve');
    // Another version at the same address is still approved.
    await follow([{ name: NAME, version: '2.0.0', more: remoteAt(TESTED) }]);
    expect(await readEntry(db, ID)).toMatchObject({ decision: 'list', decided_by: 'operator' });
    const moved = { name: NAME, version: '3.0.0', more: remoteAt(OTHER) };
    await follow([moved]);
    expect(await readEntry(db, ID)).toMatchObject({ decision: 'hold', endpoint: OTHER });
    expect(await shown()).toEqual([]);
    expect(
      await allRows(db)`select action, author_kind, reason from operator_log order by id desc limit 1`,
    ).toEqual([
      {
        action: 'hold',
        author_kind: 'directory',
        reason: expect.stringContaining(`moved it from ${TESTED} to ${OTHER}`),
      },
    ]);
    // Neither a later pass nor a test lists it: the operator decides.
    await follow([{ ...moved, version: '4.0.0' }]);
    await pass();
    expect(await shown()).toEqual([]);
    await decide('approve');
    expect(await shown()).toEqual([
      ['4.0.0', [OTHER], 'pass'],
      ['3.0.0', [OTHER], 'unchecked'],
    ]);
  });

  it('brings nothing back as a package that the operator keeps out', async () => {
    await follow([{ name: NAME, more: remoteAt(TESTED) }]);
    await pass();
    await decide('reject');
    await follow([{ name: NAME, version: '2.0.0', more: PACKAGE }]);
    expect(await shown()).toEqual([]);
    await decide('hold');
    await follow([{ name: NAME, version: '3.0.0', more: PACKAGE }]);
    expect(await shown()).toEqual([]);
  });

  it('stores no more versions than its bound, but still deletes those it has', async () => {
    await followSource(db, registry.url, HOUR_MS, 3);
    const servers = Array.from({ length: 5 }, (_, number) => ({
      name: `com.example/${number}`,
      more: PACKAGE,
    }));
    expect(await follow(servers)).toMatchObject({
      changed: 3,
      refused: 2,
      lastRefusal: expect.stringContaining(`follow ${registry.url} --max-servers NUMBER`),
    });
    const updatedAt = '2026-03-01T00:00:00Z';
    expect(
      await follow([...servers, { name: 'com.example/0', status: 'deleted', updatedAt, more: PACKAGE }]),
    ).toMatchObject({ changed: 1 });
    expect(await allRows(db)`select status from registry_servers order by name`).toEqual(
      ['deleted', 'active', 'active'].map((status) => ({ status })),
    );
    // With a higher one, those that were refused come too.
    await followSource(db, registry.url, HOUR_MS, 5);
    expect(await follow(servers)).toMatchObject({ refused: 0 });
    expect((await readSources(db))[0]).toMatchObject({ servers: 5, maxServers: 5 });
  });

  it('keeps no other registry waiting with a list that does not end', async () => {
    const other = await startRegistry(
      Array.from({ length: 3 }, (_, number) => ({ name: `org.example.other/${number}`, more: PACKAGE })),
    );
    other.pageSize = 1;
    await followSource(db, other.url, HOUR_MS);
    const stopping = new AbortController();
    let pages = 0;
    registry.respond = (_request, response) => {
      pages += 1;
      // Far more than its turns.
      if (pages > 20) stopping.abort();
      const server = answerFor({ name: `com.example/s${pages}`, more: PACKAGE });
      sendJson(response, { servers: [server], metadata: { nextCursor: `page ${pages}` } });
    };
    const read: unknown[] = [];
    const note = (about: object): void => {
      read.push(about);
      stopping.abort();
    };
    await followDue(follower(), stopping.signal, { info: note, warn: note } as never);
    await other.stop();
    expect(read).toMatchObject([{ registry: other.url, pages: 3, servers: 3 }]);
    expect(pages).toBeLessThan(6);
  });

  it.each(['../..', 'admin/.', '-.-/search', './audits', 'com.example/a.', 'com.example/_a'])(
    'has no server of the name %s',
    async (name) => {
      expect(await follow([{ name, more: remoteAt(TESTED) }])).toMatchObject({ changed: 0, refused: 1 });
    },
  );
});
