import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { besideConversations } from '../../src/check/beside-conversations.ts';
import { plainRead } from '../../src/check/request-headers.ts';
import type { Probe } from '../../src/model/probe.ts';
import { systemClock } from '../../src/probe/system-clock.ts';

const NO_MESSAGES: Probe = {
  send: () => Promise.reject(new Error('no message is sent')),
  close: () => undefined,
};

async function startServer(): Promise<string> {
  const server = http.createServer((_, response) => void response.end('{}'));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['https://mcp.example.com/mcp', false, 'unanswered'],
  ['http://10.0.0.7:3000/mcp', false, 'unanswered'],
  ['http://127.0.0.1:1/mcp', false, 'answered'],
  ['http://127.0.0.1:1/mcp', true, 'unanswered'],
] as const)(
  'a server at %s, public addresses only: %s, leads to this machine: %s',
  async (target, publicOnly, kind) => {
    const address = await startServer();
    const { signal } = new AbortController();
    const probe = besideConversations(NO_MESSAGES, target, {
      clock: systemClock,
      signal,
      headers: [],
      secrets: [],
      publicOnly,
      ca: null,
    });
    const exchange = await probe.send(plainRead(`${address}/metadata`, 'metadata#0', 2000));
    expect(exchange.kind).toBe(kind);
    if (exchange.kind === 'unanswered') expect(exchange.reason.code).toBe('address-refused');
    await probe.close();
  },
);
