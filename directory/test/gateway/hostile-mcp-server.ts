import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Question {
  readonly method: string;
  readonly id?: number;
}
export type Answering = (question: Question, response: http.ServerResponse) => void;

const INITIALISED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'hostile', version: '0' },
};

/** A server that is initialised properly, and answers everything else as the test says. Returns its endpoint. */
export async function startHostile(
  answering: Answering,
  { initialises = true, host = '127.0.0.1' }: { readonly initialises?: boolean; readonly host?: string } = {},
): Promise<string> {
  const server = http.createServer((request, response) => {
    if (request.method !== 'POST') {
      answering({ method: request.method ?? '' }, response);
      return;
    }
    void text(request).then((body) => {
      const question = questionIn(body);
      if (question === null) response.writeHead(400).end();
      else if (question.id === undefined) response.writeHead(202).end();
      else if (question.method === 'initialize' && initialises)
        answerWith(response, question, INITIALISED, { 'mcp-session-id': 'one' });
      else answering(question, response);
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://${host}:${(server.address() as AddressInfo).port}/mcp`;
}

/** A check also sends what is no JSON. */
function questionIn(body: string): Question | null {
  try {
    const question: unknown = JSON.parse(body);
    return typeof question === 'object' ? (question as Question | null) : null;
  } catch {
    return null;
  }
}

export function answerWith(
  response: http.ServerResponse,
  { id }: Question,
  result: unknown,
  headers = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
