import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly required: boolean };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

let directory: DirectoryUnderTest;
let description: OpenApi;

beforeAll(async () => {
  directory = await startDirectory();
  description = (await (await directory.ask('/v1/openapi.json')).json()) as OpenApi;
});
afterAll(() => directory?.stop());

describe('the OpenAPI document of the registry API', () => {
  it('is valid, needs no key, and describes the operations that are served', async () => {
    const answer = await fetch(`${directory.url}/v0.1/openapi.json`);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const registry = (await answer.json()) as OpenApi & { readonly servers: [{ readonly url: string }] };
    expect(await new Validator().validate({ ...registry })).toMatchObject({ valid: true });
    const [{ url }] = registry.servers;
    expect(url).toBe(`${directory.url}/v0.1`);
    await directory.list('weather', 'http://127.0.0.1:9/mcp', { protocol: 'mcp', version: '1.0.0' });
    const [{ server }] = await serversOf(`${url}/servers`);
    expect(Object.keys(registry.paths)).toHaveLength(3);
    for (const [route, { get }] of Object.entries(registry.paths)) {
      const path = route
        .replace('{serverName}', encodeURIComponent(server.name))
        .replace('{version}', 'latest');
      const given = (get?.parameters ?? []).flatMap(({ name, in: where }) => (where === 'query' ? name : []));
      expect((await directory.ask(`/v0.1${path}`)).status, path).toBe(200);
      // A parameter that is not known is ignored, so a wrong value must be refused, except of free texts.
      for (const name of given.filter((one) => one !== 'search' && one !== 'version'))
        expect((await directory.ask(`/v0.1${path}?${name}=%00`)).status, name).toBe(400);
    }
  });

  async function serversOf(address: string): Promise<[{ readonly server: { readonly name: string } }]> {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${directory.key}` } });
    return ((await answer.json()) as { servers: [{ server: { name: string } }] }).servers;
  }
});

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const checked = await new Validator().validate({ ...description });
    expect(checked).toMatchObject({ valid: true });
    expect(description.openapi).toBe('3.1.0');
  });

  it('describes exactly the listed operations', () => {
    const operations = Object.entries(description.paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    expect(operations.sort()).toEqual([
      'GET /changes',
      'GET /dump',
      'GET /log',
      'GET /servers/search',
      'GET /servers/{serverId}',
      'GET /servers/{serverId}/contract',
      'GET /servers/{serverId}/decisions',
      'POST /servers/{serverId}/decisions',
      'POST /servers/{serverId}/execute',
      'POST /servers/{serverId}/test',
    ]);
  });

  it('requires the body of a call, but not of a test', () => {
    const bodies = ['execute', 'test'].map(
      (operation) => description.paths[`/servers/{serverId}/${operation}`]?.post?.requestBody?.required,
    );
    expect(bodies).toEqual([true, false]);
  });

  it('describes the answers and problems of each operation', () => {
    for (const methods of Object.values(description.paths))
      for (const { operationId, summary, responses } of Object.values(methods)) {
        expect(operationId).toBeTypeOf('string');
        expect(summary).toBeTypeOf('string');
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '429', '500']));
      }
  });

  it('names the parameters of a search', () => {
    const names = description.paths['/servers/search']?.get?.parameters?.map(({ name }) => name);
    expect(names).toEqual([
      'q',
      'category',
      'tags',
      'transport',
      'protocol',
      'status',
      'verdict',
      'minUptime',
      'maxResponseTime',
      'audited',
      'openSource',
      'updatedSince',
      'sort',
      'facets',
      'limit',
      'offset',
    ]);
  });
});
