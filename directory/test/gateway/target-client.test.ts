import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { startReferenceServer } from 'probity';
import { afterEach, describe, expect, it } from 'vitest';
import { acceptedEndpoints, trustedPem } from '../../../test/probe/tls-endpoints.ts';
import { Bridges } from '../../src/targets/bridges.ts';
import {
  createTargetPool,
  readCapabilities,
  readHealth,
  type TargetSettings,
  type Targets,
  validCapabilities,
} from '../../src/targets/target-client.ts';
import { stateOf } from '../../src/targets/target-state.ts';
import { answer, startTarget } from '../target.ts';

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
});

const SETTINGS: TargetSettings = { publicOnly: false, ca: null, environment: {}, callTimeoutMs: 2000 };

function targetsWith(settings: Partial<TargetSettings> = {}): Targets {
  const whole = { ...SETTINGS, ...settings };
  const pool = createTargetPool(whole);
  const bridges = new Bridges(whole);
  toClose.push(pool.close, () => bridges.close());
  return { settings: whole, pool, bridges, ending: new AbortController().signal };
}

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
  it('returns the exchange, in which a record of capabilities is found', async () => {
    const server = await startReferenceServer({ form: 'A', basePath: '/mcp' });
    toClose.push(server.close);
    const health = await readHealth(entryAt(`${server.url}/`), targetsWith());
    expect(stateOf(health)).toBe(true);
    expect(health.request.url).toBe(`${server.url}/health`);
    expect(health.request.headers).toContainEqual([
      'user-agent',
      expect.stringMatching(/^probity\/\S+ \(directory\)$/),
    ]);
    const capabilities = await readCapabilities(entryAt(server.url), targetsWith());
    expect(validCapabilities(capabilities)?.functions).toBeInstanceOf(Array);
  });
  it.each([
    ['a list', '[]'],
    ['not JSON', 'ok'],
    ['not UTF-8', '\ud800'],
  ])('has no record when the answer is %s', async (_name, body) => {
    const answers = (_read: unknown, response: ServerResponse) => answer(response, 200, body);
    const target = await startTarget({ capabilities: answers, execute: answers });
    toClose.push(target.close);
    const exchange = await readCapabilities(entryAt(target.url), targetsWith());
    expect([exchange.kind, validCapabilities(exchange)]).toEqual(['answered', null]);
  });
  it('reuses the connection of an earlier read, for any path', async () => {
    const target = await startTarget({ execute: (_call, response) => answer(response, 200, {}) });
    toClose.push(target.close);
    const targets = targetsWith();
    const reads = [readHealth, readCapabilities, readHealth, readCapabilities, readHealth];
    const reused: boolean[] = [];
    for (const read of reads) {
      const exchange = await read(entryAt(target.url), targets);
      if (exchange.kind === 'answered') reused.push(exchange.connection.reused);
    }
    expect(reused).toHaveLength(reads.length);
    // undici may open a second connection for requests that follow immediately.
    expect(reused.filter((one) => !one).length).toBeLessThanOrEqual(2);
  });
  it('returns an exchange even when nothing may be sent', async () => {
    for (const endpoint of ['http://127.0.0.1:1', 'no address']) {
      const read = await readHealth(entryAt(endpoint), targetsWith({ publicOnly: true }));
      expect(read).toMatchObject({ kind: 'unanswered', timing: { connectMs: null } });
    }
    const keyed = entryAt('http://127.0.0.1:1');
    const read = await readHealth(
      { ...keyed, listing: { ...keyed.listing, bearerEnv: 'PROBITY_TARGET_IT' } },
      targetsWith({ environment: { PROBITY_TARGET_IT: 'two\r\nlines' } }),
    );
    expect(read).toMatchObject({ reason: { code: 'not-sent' } });
    expect(JSON.stringify(read)).not.toContain('lines');
  });
  it('trusts only the given authorities', async () => {
    const [sound] = acceptedEndpoints;
    const server = sound?.serverFor((_request, response) =>
      answer(response, 200, { status: 'ok' }),
    ) as Server;
    toClose.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const entry = entryAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const trusted = await readHealth(entry, targetsWith({ ca: trustedPem }));
    expect(stateOf(trusted)).toBe(true);
    const untrusted = await readHealth(entry, targetsWith());
    expect(untrusted).toMatchObject({ reason: { code: 'certificate-untrusted' } });
  });
});
