import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { bridgeTo } from './bridges.ts';

const ID = '174322306148984899';

/** Of a server that answers with the id of the call, digit by digit; a function of the line and the id. */
const ANSWER = `(line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return null;
  const tools = [{ name: 'get', inputSchema: { type: 'object' } }];
  const first = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
  const called = { content: [], structuredContent: { sent: line, id: '#' + (/"order":(\\d+)/.exec(line) ?? [])[1] } };
  const result = { initialize: first, 'tools/list': { tools }, 'tools/call': called }[method] ?? {};
  return JSON.stringify({ jsonrpc: '2.0', id, result }).replace(/"#(\\d+)"/, '$1');
}`;

async function answerOf(target: readonly [string, ...string[]]): Promise<string> {
  const { url } = await bridgeTo(target);
  const answer = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"function":"get","parameters":{"order":${ID},"rate":0.1000000000000000055}}`,
  });
  return answer.text();
}

test('a bridge passes the digits of numbers on in both directions', async () => {
  const server = `const { createInterface } = require('node:readline');
    const answer = ${ANSWER};
    createInterface({ input: process.stdin }).on('line', (line) => {
      const text = answer(line);
      if (text !== null) process.stdout.write(text + '\\n');
    });`;
  const answer = await answerOf([process.execPath, '--eval', server]);
  expect(answer).toContain(`\\"order\\":${ID},\\"rate\\":0.1000000000000000055`);
  expect(answer).toContain(`"id":${ID}`);
});

test('a bridge passes the digits of numbers on to a server over HTTP', async () => {
  // biome-ignore lint/security/noGlobalEval: the same server as a process and over HTTP
  const answer = eval(ANSWER) as (line: string) => string | null;
  const server = http.createServer((request, response) => {
    void text(request).then((body) => {
      const answered = request.method === 'POST' ? answer(body) : null;
      if (answered !== null) response.writeHead(200, { 'content-type': 'application/json' }).end(answered);
      else response.writeHead(request.method === 'POST' ? 202 : 405).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  expect(await answerOf([`http://127.0.0.1:${port}/mcp`])).toContain(
    `\\"order\\":${ID},\\"rate\\":0.1000000000000000055`,
  );
});
