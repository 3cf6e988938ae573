import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { startReferenceServer } from 'probity';
import { afterEach, describe, expect, it } from 'vitest';
import { soundEndpoints, trustedPem } from '../../test/probe/tls-endpoints.ts';
import { readCapabilities, readHealth, type TargetSettings } from '../src/probing/target-client.ts';
import { answer, startTarget } from './target.ts';

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});

const SETTINGS: TargetSettings = { publicOnly: false, ca: null, environment: {}, callTimeoutMs: 2000 };

function entryAt(endpoint: string) {
  const listing = {
    id: 'it',
    name: 'it',
    description: '',
    category: '',
    tags: [],
    transport: [],
    audited: false,
    openSource: false,
    endpoint,
  };
  return { id: 'it', endpoint, listing };
}

describe('a read of a target', () => {
  it('gives the exchange and the record', async () => {
    const server = await startReferenceServer({ form: 'A', basePath: '/mcp' });
    toClose.push(server.close);
    const health = await readHealth(entryAt(`${server.url}/`), SETTINGS);
    expect(health).toMatchObject({ exchange: { kind: 'answered' }, record: { status: 'ok' } });
    expect(health.exchange.request.url).toBe(`${server.url}/health`);
    expect(health.exchange.request.headers).toContainEqual([
      'user-agent',
      expect.stringMatching(/^probity\/\S+ \(directory\)$/),
    ]);
    const capabilities = await readCapabilities(entryAt(server.url), SETTINGS);
    expect(capabilities.record?.functions).toBeInstanceOf(Array);
  });
  it.each([
    ['a list', '[]'],
    ['no JSON', 'ok'],
    ['bytes that are no text', '\ud800'],
  ])('has no record where the answer is %s', async (_name, body) => {
    const target = await startTarget({ execute: (_call, response) => answer(response, 200, body) });
    toClose.push(target.close);
    const { exchange, record } = await readHealth(entryAt(target.url), SETTINGS);
    expect([exchange.kind, record]).toEqual(['answered', null]);
  });
  it('is an exchange also where nothing may be sent', async () => {
    for (const endpoint of ['http://127.0.0.1:1', 'no address']) {
      const read = await readHealth(entryAt(endpoint), { ...SETTINGS, publicOnly: true });
      expect(read).toMatchObject({
        exchange: { kind: 'unanswered', timing: { connectMs: null } },
        record: null,
      });
    }
    const keyed = entryAt('http://127.0.0.1:1');
    const read = await readHealth(
      { ...keyed, listing: { ...keyed.listing, bearerEnv: 'PROBITY_TARGET_IT' } },
      { ...SETTINGS, environment: { PROBITY_TARGET_IT: 'two\r\nlines' } },
    );
    expect(read.exchange).toMatchObject({ reason: { code: 'not-sent' } });
    expect(JSON.stringify(read)).not.toContain('lines');
  });
  it('trusts the authorities that it is told to trust, and no others', async () => {
    const [sound] = soundEndpoints;
    const server = sound?.serverFor((_request, response) =>
      answer(response, 200, { status: 'ok' }),
    ) as Server;
    toClose.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const entry = entryAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const trusted = await readHealth(entry, { ...SETTINGS, ca: trustedPem });
    expect(trusted.record).toEqual({ status: 'ok' });
    const untrusted = await readHealth(entry, SETTINGS);
    expect(untrusted.exchange).toMatchObject({ reason: { code: 'certificate-untrusted' } });
  });
});
