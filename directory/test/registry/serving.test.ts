import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoPostgres } from '../../../test/set-up/postgres-programs.ts';
import { unless } from '../../../test/set-up/skips.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { decideAsOperator } from '../../src/entries/operator-decisions.ts';
import { startPostgres } from '../db/stores.ts';
import { type DirectoryUnderTest, fetchWhole, startDirectory } from '../directory-under-test.ts';
import { listingOf } from '../entries/listings.ts';
import { whyInvalid } from './server-schema.ts';

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const OWN = 'io.github.probity-mcp/directory';
const SERVERS = 25;

interface Page {
  // biome-ignore lint/suspicious/noExplicitAny: tests check the content of answers
  readonly servers: readonly any[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

for (const kind of ['the embedded store', 'PostgreSQL'] as const)
  describe(`the registry API, on ${kind}`, unless(kind === 'PostgreSQL' ? whyNoPostgres() : null), () => {
    let directory: DirectoryUnderTest;
    let stopPostgres = async (): Promise<void> => undefined;

    beforeAll(async () => {
      const postgres = kind === 'PostgreSQL' ? await startPostgres() : null;
      stopPostgres = async () => postgres?.stop();
      directory = await startDirectory({
        databaseUrl: (await postgres?.database('registry')) ?? null,
        publicPages: true,
        publicUrl: 'https://directory.example.org',
        queues: [],
      });
      for (let number = 0; number < SERVERS; number += 1)
        await directory.list(idOf(number), `http://127.0.0.1:9/${number}`, {
          protocol: 'mcp',
          version: `1.${number}.0`,
          description: `Number ${number} of the servers. ${'It does a lot. '.repeat(20)}`,
        });
      await directory.list('rest', 'http://127.0.0.1:9/rest');
      await directory.add(listingOf('held', 'http://127.0.0.1:9/held', { protocol: 'mcp' }));
    });
    afterAll(async () => {
      await directory?.stop();
      await stopPostgres();
    });

    const read = async (path: string): Promise<Page> => {
      const answer = await fetchWhole(`${directory.url}/v0.1/servers${path}`);
      expect(answer.status, path).toBe(200);
      return (await answer.json()) as Page;
    };

    it('lists the listed servers of the Model Context Protocol, and no others', async () => {
      const page = await read('?limit=100');
      expect(page.servers.map(({ server }) => server.name)).toEqual(
        Array.from({ length: SERVERS }, (_, number) => `org.example.directory/${idOf(number)}`),
      );
      for (const one of page.servers) expect(whyInvalid(one)).toBeNull();
      expect(page.servers[3].server).toMatchObject({
        version: '1.3.0',
        title: 'Server server-03',
        remotes: [{ type: 'streamable-http', url: 'http://127.0.0.1:9/3' }],
      });
      expect(page.servers[3]._meta[OWN]).toEqual({
        verdict: 'unchecked',
        remote: null,
        coverage: null,
        status: 'unknown',
        uptime: 100,
        responseTime: 1,
        figures: 'claimed',
        decision: 'list',
        report: 'https://directory.example.org/servers/server-03',
      });
    });

    it('gives each server once, page by page', async () => {
      const names: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await read(`?limit=7&cursor=${cursor}`);
        expect(page.metadata.count).toBe(page.servers.length);
        names.push(...page.servers.map(({ server }) => server.name));
        if (page.metadata.nextCursor === undefined) break;
        cursor = page.metadata.nextCursor;
      }
      expect(names).toHaveLength(SERVERS);
      expect(new Set(names).size).toBe(SERVERS);
    });

    it.each([
      ['VER-1', 10],
      ['example.directory', SERVERS],
      ['org.example.directory/server-2', 5],
      ['directory/server-2', 5],
      ['other/server-2', 0],
      ['%', 0],
    ])('finds names with the part "%s"', async (part, count) => {
      expect((await read(`?limit=100&search=${encodeURIComponent(part)}`)).servers).toHaveLength(count);
    });

    it('finds versions', async () => {
      expect((await read('?version=latest&limit=100')).servers).toHaveLength(SERVERS);
      expect((await read('?version=1.3.0')).servers).toHaveLength(1);
      const name = encodeURIComponent('org.example.directory/server-03');
      expect((await read(`/${name}/versions`)).servers).toHaveLength(1);
      for (const version of ['latest', '1.3.0']) {
        const answer = await fetchWhole(`${directory.url}/v0.1/servers/${name}/versions/${version}`);
        const one = await answer.json();
        expect(whyInvalid(one)).toBeNull();
        expect(one.server.version).toBe('1.3.0');
      }
      const missing = await fetchWhole(`${directory.url}/v0.1/servers/${name}/versions/9.9.9`);
      expect(missing.status).toBe(404);
      expect(await missing.json()).toMatchObject({
        status: 404,
        title: 'Server not found',
        error: expect.stringContaining('GET /v0.1/servers'),
      });
    });

    it('answers 304 until something changes', async () => {
      const url = `${directory.url}/v0.1/servers?limit=3`;
      const first = await fetchWhole(url);
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
      expect((await fetchWhole(url, { headers })).status).toBe(304);
      await directory.list('server-01', 'http://127.0.0.1:9/1', { protocol: 'mcp', version: '2.0.0' });
      const changed = await fetchWhole(url, { headers });
      expect(changed.status).toBe(200);
      expect(((await changed.json()) as Page).servers[1].server.version).toBe('2.0.0');
    });

    it('tells what was updated and removed since a time', async () => {
      await directory.list('leaving', 'http://127.0.0.1:9/leaving', { protocol: 'mcp' });
      const { servers } = await read('?limit=100&search=leaving');
      const since = encodeURIComponent(servers[0]._meta[OFFICIAL].updatedAt);
      await directory.add(listingOf('leaving', 'http://127.0.0.1:10/leaving', { protocol: 'mcp' }));
      expect((await read('?limit=100&search=leaving')).servers).toEqual([]);
      const updates = await read(`?updated_since=${since}`);
      expect(updates.servers.at(-1)).toMatchObject({
        server: { name: 'org.example.directory/leaving' },
        _meta: { [OFFICIAL]: { status: 'deleted' } },
      });
      for (const one of updates.servers) expect(whyInvalid(one)).toBeNull();
      // Never listed, so nobody needs to know of it.
      expect(JSON.stringify(updates)).not.toContain('held');
      await directory.list('leaving', 'http://127.0.0.1:10/leaving', { protocol: 'mcp' });
      expect((await read('?limit=100&search=leaving')).servers).toHaveLength(1);
      await removeEntries(directory.store.db, ['leaving']);
      expect((await read('?limit=100&search=leaving')).servers).toEqual([]);
    });

    it('tells of a server that the operator rejected only that it is gone, and why', async () => {
      await directory.list('harmful', 'http://127.0.0.1:9/harmful', {
        protocol: 'mcp',
        description: 'Visit http://127.0.0.1:9/trap',
      });
      const since = encodeURIComponent((await read('?search=harmful')).servers[0]._meta[OFFICIAL].updatedAt);
      await decideAsOperator(directory.store.db, 'harmful', {
        action: 'reject',
        operator: 'ada',
        reason: 'it steals keys',
        publicReason: 'It did harm.',
      });
      expect((await read('?search=harmful')).servers).toEqual([]);
      const name = encodeURIComponent('org.example.directory/harmful');
      const gone = await fetchWhole(`${directory.url}/v0.1/servers/${name}/versions/latest`);
      expect(gone.status).toBe(404);
      for (const path of [
        `?limit=100&updated_since=${since}`,
        '?search=harmful&include_deleted=true',
        `/${name}/versions?include_deleted=true`,
      ]) {
        const { servers } = await read(path);
        const [one] = servers.filter(({ server }) => server.name.endsWith('/harmful'));
        expect(whyInvalid(one), path).toBeNull();
        expect(one.server).toEqual({
          $schema: expect.any(String),
          name: 'org.example.directory/harmful',
          description: 'This server is no longer listed.',
          version: '0.0.0',
        });
        expect(one._meta[OFFICIAL].status).toBe('deleted');
        expect(one._meta[OWN]).toEqual({ statusMessage: 'It did harm.' });
      }
      for (const version of ['latest', '0.0.0']) {
        const one: unknown = await read(`/${name}/versions/${version}?include_deleted=true`);
        expect(Object.keys((one as { server: object }).server)).toEqual([
          '$schema',
          'name',
          'description',
          'version',
        ]);
      }
    });

    it('lets scripts of all sites read it', async () => {
      const url = `${directory.url}/v0.1/servers?limit=1`;
      for (const path of [url, `${directory.url}/v0.1/servers/none/versions/latest`])
        expect((await fetchWhole(path)).headers.get('access-control-allow-origin')).toBe('*');
      const preflight = await fetchWhole(url, { method: 'OPTIONS' });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
      expect((await fetchWhole(url, { method: 'POST' })).status).toBe(405);
    });

    it.each([
      ['limit=0', 'limit must be a whole number from 1 to 100'],
      ['limit=101', 'limit must be a whole number'],
      ['cursor=nonsense', 'cursor is not the nextCursor'],
      ['updated_since=yesterday', 'updated_since is not a time such as'],
      ['limit=1&limit=2', 'limit is given more than once'],
      ['search=%00', 'search contains the character U+0000'],
      ['include_deleted=perhaps', 'include_deleted must be true or false'],
    ])('refuses %s', async (query, problem) => {
      const answer = await fetchWhole(`${directory.url}/v0.1/servers?${query}`);
      expect(answer.status).toBe(400);
      const body = await answer.json();
      expect(body.detail).toContain(problem);
      expect(body.error).toBe(body.detail);
    });

    it('requires a key when the pages do', async () => {
      const closed = await directory.another({ publicPages: false, queues: [] });
      expect((await fetchWhole(`${closed.url}/v0.1/servers`)).status).toBe(401);
      expect((await closed.ask('/v0.1/servers')).status).toBe(200);
      await closed.stop();
    });
  });

function idOf(number: number): string {
  return `server-${String(number).padStart(2, '0')}`;
}
