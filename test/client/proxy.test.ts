import { afterEach, describe, expect, it, vi } from 'vitest';
import { startHttpProxy } from '../http-proxy.ts';
import { clientOf, json, page, startFake } from './fake-directory.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0)) await close();
});

describe('a client of a directory', () => {
  it('goes through the proxy that the environment names', async () => {
    const proxy = await startHttpProxy((_, response) => json(response, page(['a'])));
    closers.push(proxy.close);
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('no_proxy', '');
    const client = clientOf({ baseUrl: 'http://directory.example/v1' }, { allowInsecure: true });
    expect((await client.search()).servers).toHaveLength(1);
    expect(proxy.asked).toEqual(['GET http://directory.example/v1/servers/search']);
  });
  it('connects to a directory of this machine directly', async () => {
    const proxy = await startHttpProxy((_, response) => response.end());
    const directory = await startFake((_, response) => json(response, page(['a', 'b'])));
    closers.push(proxy.close, directory.close);
    vi.stubEnv('http_proxy', proxy.url);
    expect((await clientOf(directory).search()).servers).toHaveLength(2);
    expect(proxy.asked).toEqual([]);
  });
  it('reports an invalid address of a proxy without repeating it', async () => {
    vi.stubEnv('HTTPS_PROXY', 'user:secret');
    const failure = await clientOf({ baseUrl: 'https://directory.example/v1' }).search().catch(String);
    expect(failure).toMatch(/HTTPS_PROXY is not the address of a proxy: use http:\/\/host:port/);
    expect(failure).not.toContain('secret');
  });
});
