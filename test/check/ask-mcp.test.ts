import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { askMcp } from '../../src/check/learn/ask-mcp.ts';
import { startHttpSubject } from '../mcp/http-subject.ts';

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

async function server(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const listening = createServer(async (request, response) => {
    const body = await text(request);
    const method: unknown = body.startsWith('{') ? JSON.parse(body).method : undefined;
    requests.push(`${request.method}${method === undefined ? '' : ` ${String(method)}`}`);
    answer(request, body, response);
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  closers.push(() => listening.close());
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`, requests };
}

const json = (response: ServerResponse, code: number, value: unknown, headers = {}): void =>
  void response
    .writeHead(code, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(value));

describe('whether an address speaks the Model Context Protocol', () => {
  it('is seen from errors of JSON-RPC', async () => {
    const { url, requests } = await server((_, _body, response) =>
      json(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no session' } }),
    );
    expect(await askMcp(url, {})).toMatchObject({ speaksMcp: true });
    expect(requests).toEqual(['POST server/discover', 'POST initialize']);
  });

  it('is asked with initialize where the first message is not understood, and the session is ended', async () => {
    const { url, requests } = await server((request, body, response) => {
      if (request.method === 'DELETE') response.writeHead(200).end();
      else if (body.includes('initialize'))
        json(response, 200, { jsonrpc: '2.0', id: 1, result: {} }, { 'mcp-session-id': 'one' });
      else response.writeHead(400).end('bad request');
    });
    expect(await askMcp(url, {})).toMatchObject({ speaksMcp: true });
    expect(requests).toEqual(['POST server/discover', 'POST initialize', 'DELETE']);
  });

  it('follows the address to where it moved', async () => {
    const { url, requests } = await server((request, _, response) => {
      if (request.url === '/mcp') response.writeHead(307, { location: '/mcp/' }).end();
      else json(response, 200, { jsonrpc: '2.0', id: 1, result: {} });
    });
    expect(await askMcp(url, {})).toMatchObject({ speaksMcp: true });
    expect(requests).toHaveLength(4);
  });

  it('is seen from a challenge, and from a stream of events of the older transport', async () => {
    const gated = await server((_, _body, response) =>
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://x/y"' }).end(),
    );
    expect(await askMcp(gated.url, {})).toMatchObject({ speaksMcp: true });
    const older = await startHttpSubject({ older: true });
    closers.push(older.close);
    expect(await askMcp(older.url, {})).toMatchObject({ speaksMcp: true });
  });

  it('is not seen from an echo, from other JSON, or from no answer', async () => {
    const echo = await server((_, body, response) => json(response, 200, JSON.parse(body || 'null')));
    expect(await askMcp(echo.url, {})).toMatchObject({ speaksMcp: false });
    const other = await server((_, _body, response) => json(response, 200, { status: 'ok' }));
    expect(await askMcp(other.url, {})).toMatchObject({
      speaksMcp: false,
      turnedAway: false,
      said: expect.arrayContaining(['POST server/discover: status 200, application/json']),
    });
    const silent = await server((_, _body, response) => response.destroy());
    const { speaksMcp, said } = await askMcp(silent.url, {});
    expect(speaksMcp).toBe(false);
    expect(said).toEqual([expect.stringContaining('no answer'), expect.stringContaining('no answer')]);
  });

  it('sends the user’s headers', async () => {
    const { url } = await server(({ headers }, _, response) =>
      headers.authorization === 'Bearer a-long-secret'
        ? json(response, 200, { jsonrpc: '2.0', id: 1, result: {} })
        : response.writeHead(401).end(),
    );
    expect(await askMcp(url, { bearerToken: 'a-long-secret' })).toMatchObject({ speaksMcp: true });
    expect(await askMcp(url, {})).toMatchObject({ speaksMcp: false, turnedAway: true });
  });
});
