import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeCapabilities } from '../../src/entries/capabilities.ts';
import { type DirectoryUnderTest, startDirectory } from '../directory-under-test.ts';
import { answer, FORM_A, startTarget, type Target } from '../target.ts';

let gateway: DirectoryUnderTest;
let target: Target;
let onIpv6: { readonly connections: () => number; readonly close: () => void };
beforeAll(async () => {
  gateway = await startDirectory({ publicOnly: true, callTimeoutMs: 2000 });
  target = await startTarget({ execute: (_call, response) => answer(response, 200, { output: {} }) });
  onIpv6 = await listenOnIpv6(target.port);
});
afterAll(async () => {
  onIpv6?.close();
  await target?.close();
  await gateway?.stop();
});

function listenOnIpv6(port: number): Promise<typeof onIpv6> {
  let connections = 0;
  const server = createServer().on('connection', () => {
    connections += 1;
  });
  return new Promise((resolve) => {
    const listener = { connections: () => connections, close: () => void server.close() };
    server.once('error', () => resolve(listener));
    server.listen({ port, host: '::1', ipv6Only: true }, () => resolve(listener));
  });
}

describe('with public addresses only, the gateway', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'probity.test',
    'intranet',
    '169.254.169.254',
    '10.0.0.1',
  ])('does not connect to %s', async (host) => {
    const endpoint = `http://${host}:${target.port}`;
    await gateway.list('private', endpoint);
    const unread = await gateway.execute('private', { function: 'f' });
    expect([unread.status, unread.body.code, unread.body.called]).toEqual([502, 'target-refused', false]);
    expect(unread.body.detail).toMatch(/not public.*public addresses only/);
    await storeCapabilities(gateway.store.db, { id: 'private', endpoint }, FORM_A, new Date());
    const called = await gateway.execute('private', { function: 'f' });
    expect([called.status, called.body.code, called.body.called]).toEqual([502, 'target-refused', false]);
    expect(called.body.detail).toMatch(/Nothing was sent/);
    expect([target.connections(), onIpv6.connections()]).toEqual([0, 0]);
  });

  it.each(['http://user:password@127.0.0.1', 'ftp://example.org', 'no address', 'http://example.org/?q=1'])(
    'sends nothing to %s',
    async (endpoint) => {
      await gateway.list('odd', endpoint);
      const given = await gateway.execute('odd', { function: 'f' });
      expect([given.status, given.body.code]).toEqual([502, 'target-refused']);
      expect(given.text).not.toContain('password@');
    },
  );

  it('does not connect to a port of another protocol', async () => {
    await gateway.list('odd', 'http://example.org:6379');
    const given = await gateway.execute('odd', { function: 'f' });
    expect([given.status, given.body.code]).toEqual([502, 'target-refused']);
  });
});
