import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { repeatCommand } from '../../src/judge/repeat-command.ts';
import type { Exchange } from '../../src/model/exchange.ts';

const event = (data: string) => `id: 7\ndata: ${data}\n\n`;

test('the command for a stream that was resumed shows both parts, and ends although the server keeps the last one open', async () => {
  const server = http.createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (request.method === 'POST') return void response.end(event('"a message before"'));
    response.write(event(`"the answer after ${request.headers['last-event-id']}"`));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const exchange: Exchange = {
    kind: 'answered',
    request: { key: 'a#0', method: 'POST', url, headers: [], body: { text: '{}' } },
    response: { status: 200, headers: [], body: { text: '' }, repeatedSecrets: [], oddities: [] },
    connection: { reused: false, tls: null },
    stream: { answeredAtMs: 1, closedBy: 'probe', resumed: 1 },
    timing: { startedAtMs: 0, connectMs: 1, firstByteMs: 1, durationMs: 1 },
  };
  const command = repeatCommand(exchange, [], { command: null, env: [] });
  const printed = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', `{ ${command}; } 2>&1`], (_error, stdout) => resolve(stdout));
  });
  server.closeAllConnections();
  server.close();
  expect(printed).toMatch(/"a message before".*"the answer after 7"/s);
});
