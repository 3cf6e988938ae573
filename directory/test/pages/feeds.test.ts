import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseXml, type XmlElement } from '../../../test/report/formats/read-xml.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import { readServers } from '../../src/registry/read-page.ts';
import { storeServers } from '../../src/registry/store-servers.ts';
import { type DirectoryUnderTest, fetchWhole, startDirectory } from '../directory-under-test.ts';
import { HOSTILE, listing, newEntry } from '../entries/kept-entries.ts';
import { answerFor, type FakeServer, PACKAGE } from '../registry/fake-registry.ts';

let open: DirectoryUnderTest;
let closed: DirectoryUnderTest;

beforeAll(async () => {
  open = await startDirectory({ publicPages: true, publicUrl: 'https://directory.example' });
  closed = await open.another();
  const { db } = open.store;
  await putEntries(db, [newEntry(HOSTILE), newEntry(listing('held'), 'hold')], new Date());
  await putEntries(db, [newEntry(listing('weather'))], new Date());
  await sql`update entries set observed = 'up' where id = 'weather'`.execute(db);
  await sql`update entries set observed = 'down' where id = 'weather'`.execute(db);
  const changes = JSON.stringify([
    { kind: 'breaking', name: '<b>', message: 'the function is gone', pointer: '' },
  ]);
  await sql`
    insert into contracts (entry_id, seen_at, last_seen_at, contract, changes, change_count, worst, is_suspicious)
    values ('weather', '2026-01-02', '2026-01-03', '{}', '[]', 0, null, false),
      ('weather', '2026-01-03', '2026-01-03', '{}', ${changes}, 1, 'breaking', false)`.execute(db);
});
afterAll(async () => {
  await closed?.stop();
  await open?.stop();
});

const get = (from: DirectoryUnderTest, path: string, headers: Record<string, string> = {}) =>
  fetchWhole(`${from.url}${path}`, { redirect: 'manual', headers });

async function readXml(path: string): Promise<XmlElement> {
  const answer = await get(open, path);
  expect(answer.status).toBe(200);
  return parseXml(await answer.text());
}

function textsOf(element: XmlElement, name: string): readonly string[] {
  return element.children.filter((child) => child.name === name).map(({ text }) => text);
}

function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

describe('the feed of news', () => {
  test('has new, changed and broken entries, the newest first, as Atom', async () => {
    const feed = await readXml('/feed.atom');
    expect(feed.name).toBe('feed');
    expect(feed.attributes.xmlns).toBe('http://www.w3.org/2005/Atom');
    const entries = childrenOf(feed, 'entry');
    const titles = entries.map((entry) => textsOf(entry, 'title')[0]);
    expect(titles[0]).toBe('Server weather: down, before up');
    expect(titles[1]).toBe('Server weather: new in the directory');
    expect(titles[2]).toMatch(/^Hostile .*: new in the directory$/);
    expect(titles[3]).toBe('Server weather: one breaking change of what it offers');
    expect(titles).toHaveLength(4);
    for (const part of [feed, ...entries]) {
      expect(textsOf(part, 'id')[0]).toMatch(
        /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(new Date(textsOf(part, 'updated')[0] ?? '').toISOString()).toBe(textsOf(part, 'updated')[0]);
      expect(childrenOf(part, 'link').length).toBeGreaterThan(0);
    }
    expect(new Set(entries.map((entry) => textsOf(entry, 'id')[0])).size).toBe(4);
    expect(textsOf(feed, 'updated')).toEqual(textsOf(entries[0] as XmlElement, 'updated'));
    const links = entries.map((entry) => childrenOf(entry, 'link')[0]?.attributes.href);
    expect(links[0]).toBe('https://directory.example/servers/weather');
  });

  test('stays the same until something happens, and then keeps the ids', async () => {
    const first = await get(open, '/feed.atom');
    const etag = first.headers.get('etag') ?? '';
    expect((await get(open, '/feed.atom', { 'if-none-match': etag })).status).toBe(304);
    const before = childrenOf(parseXml(await first.text()), 'entry').map((entry) => textsOf(entry, 'id')[0]);
    await open.list('later', 'https://later.example');
    const again = await get(open, '/feed.atom', { 'if-none-match': etag });
    expect(again.status).toBe(200);
    const after = childrenOf(parseXml(await again.text()), 'entry').map((entry) => textsOf(entry, 'id')[0]);
    expect(after.slice(1)).toEqual(before);
    await removeEntries(open.store.db, ['later']);
  });

  test('shows hostile texts as text', async () => {
    const text = await (await get(open, '/servers/hostile/feed.atom')).text();
    expect(text).not.toMatch(/[\u0000-\u0008\u200b\u202e]|<script|<img/);
    expect(textsOf(childrenOf(parseXml(text), 'entry')[0] as XmlElement, 'title')[0]).toContain(
      '<script>alert(2)',
    );
  });

  test('of one entry has its own news, also while it is not listed', async () => {
    const feed = await readXml('/servers/weather/feed.atom');
    expect(childrenOf(feed, 'entry')).toHaveLength(3);
    expect(textsOf(childrenOf(feed, 'entry')[2] as XmlElement, 'summary')[0]).toContain('<b>');
    expect(childrenOf(await readXml('/servers/held/feed.atom'), 'entry')).toEqual([]);
    expect((await get(open, '/servers/nope/feed.atom')).status).toBe(404);
  });

  test('needs a key when the pages are not public', async () => {
    for (const path of ['/feed.atom', '/servers/weather/feed.atom']) {
      expect((await get(closed, path)).status).toBe(401);
      const read = await get(closed, path, { authorization: `Bearer ${closed.key}` });
      expect([read.status, read.headers.get('cache-control')]).toEqual([
        200,
        'private, max-age=0, must-revalidate',
      ]);
    }
  });
});

describe('search engines and browsers', () => {
  test('find the listed entries of a public directory', async () => {
    const robots = await (await get(open, '/robots.txt')).text();
    expect(robots).toContain('Sitemap: https://directory.example/sitemap.xml');
    const index = await readXml('/sitemap.xml');
    expect(index.children.flatMap((part) => textsOf(part, 'loc'))).toEqual([
      'https://directory.example/sitemap-1.xml',
    ]);
    const urls = (await readXml('/sitemap-1.xml')).children;
    expect(urls.flatMap((url) => textsOf(url, 'loc'))).toEqual(
      ['hostile', 'weather'].map((id) => `https://directory.example/servers/${id}`),
    );
    expect(new Date(textsOf(urls[0] as XmlElement, 'lastmod')[0] ?? '').getTime()).toBeGreaterThan(0);
    for (const path of ['/sitemap-2.xml', '/sitemap-0.xml', '/sitemap-x.xml', '/sitemap-99999999.xml'])
      expect([path, (await get(open, path)).status]).toEqual([path, 404]);
  });

  test('find at once what was added or removed, and that a contract changed', async () => {
    const own = await startDirectory({ publicPages: true });
    onTestFinished(own.stop);
    const { db } = own.store;
    const pages = async () => {
      const { children } = parseXml(await (await get(own, '/sitemap-1.xml')).text());
      return children.map((url) => [textsOf(url, 'loc')[0], textsOf(url, 'lastmod')[0]]);
    };
    const address = (id: string) => `${own.url}/servers/${id}`;
    expect(await pages()).toEqual([]);
    await putEntries(
      db,
      [newEntry(listing('a')), newEntry(listing('b')), newEntry(listing('c'))],
      new Date(),
    );
    await sql`
      insert into contracts (entry_id, seen_at, last_seen_at, contract, changes, change_count, worst, is_suspicious)
      values ('b', '2096-01-03T00:00:00Z', '2096-01-03', '{}', '[]', 1, 'additive', false)`.execute(db);
    const [a, b, c] = await pages();
    expect([a?.[0], b, c?.[0]]).toEqual([
      address('a'),
      [address('b'), '2096-01-03T00:00:00.000Z'],
      address('c'),
    ]);
    const packages = ['com.example/one', 'com.example/gone'].map((name) => ({ name, more: PACKAGE }));
    const store = (servers: readonly FakeServer[]) =>
      storeServers(db, readServers(servers.map(answerFor)).servers, 'https://registry.example', {
        publicOnly: true,
        now: new Date(),
        maxServers: null,
      });
    await store(packages);
    const ofPackage = (name: string) => `${own.url}/registry/com.example%2F${name}`;
    expect((await pages()).slice(3).map(([loc]) => loc)).toEqual([ofPackage('gone'), ofPackage('one')]);
    await store([{ name: 'com.example/gone', status: 'deleted', updatedAt: '2026-02-01T00:00:00Z' }]);
    await removeEntries(db, ['a']);
    await decideAsOperator(db, 'c', { action: 'reject', reason: 'harmful', operator: 'ada' });
    expect((await pages()).map(([loc]) => loc)).toEqual([address('b'), ofPackage('one')]);
    // An answer is kept for all, but names the directory as each reader reaches it.
    const elsewhere = own.url.replace('127.0.0.1', 'localhost');
    const text = await (await fetchWhole(`${elsewhere}/sitemap-1.xml`)).text();
    expect(text).toContain(`<loc>${elsewhere}/servers/b</loc>`);
  });

  test('find nothing of a private one', async () => {
    expect(await (await get(closed, '/robots.txt')).text()).toBe('User-agent: *\nDisallow: /\n');
    expect((await get(closed, '/sitemap.xml')).status).toBe(404);
    expect((await get(closed, '/sitemap-1.xml')).status).toBe(404);
  });

  test('can search from their address bar, and have an icon', async () => {
    const description = await readXml('/opensearch.xml');
    expect(childrenOf(description, 'Url')[0]?.attributes.template).toBe(
      'https://directory.example/?q={searchTerms}',
    );
    expect((await get(closed, '/favicon.ico')).headers.get('location')).toBe('/icon.svg');
    const page = await (await get(open, '/servers/weather')).text();
    expect(page).toContain('<link rel="canonical" href="https://directory.example/servers/weather"/>');
    expect(page).toContain('href="/servers/weather/feed.atom" type="application/atom+xml"');
    expect(page).toContain('<meta name="description" content="What weather does, in a sentence."/>');
  });
});
