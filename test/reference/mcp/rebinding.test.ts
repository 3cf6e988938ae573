import { expect, it } from 'vitest';
import { mayBeRebound } from '../../../src/reference/mcp/rebinding.ts';

const ELSEWHERE = ['example.com', 'localhost.example.com', '127.0.0.1.example.com:80', '', 'a b', undefined];
const HERE = ['localhost', 'LOCALHOST:80', '127.0.0.1:1', '[::1]:3000', '127.1.2.3'];

it.each(ELSEWHERE)('the host %j is not that of a server on a loopback address', (host) => {
  for (const server of ['127.0.0.1', '127.0.0.9', 'localhost', '[::1]'])
    expect(mayBeRebound(server, { host })).toBe(true);
  expect(mayBeRebound('0.0.0.0', { host })).toBe(false);
});

it.each(HERE)('the host %j leads to this machine', (host) => {
  expect(mayBeRebound('127.0.0.1', { host })).toBe(false);
  expect(mayBeRebound('localhost', { host, origin: `http://${host}` })).toBe(false);
});

it.each(['https://example.com', 'null', '', 'http://127.0.0.1.example.com'])(
  'the origin "%s" is another site, wherever the server listens',
  (origin) => {
    for (const server of ['127.0.0.1', '0.0.0.0', 'mcp.example.org'])
      expect(mayBeRebound(server, { host: 'localhost', origin })).toBe(true);
  },
);

it('the host where the server listens is known', () => {
  expect(mayBeRebound('mcp.example.org', { host: 'other', origin: 'https://mcp.example.org:8' })).toBe(false);
});
