import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { NaturalRecord, OnCall, RunningServer } from '../natural-server.ts';

const startedAt = Date.now();

const functions = [
  { name: 'sign', description: 'Signs the guest book.', inputs: ['name', 'message'], outputs: ['visitors'] },
  { name: 'read', description: 'Reads the latest pages.', inputs: ['count'], outputs: ['pages'] },
  {
    name: 'findSignature',
    description: 'Finds what somebody wrote.',
    inputs: ['name'],
    outputs: ['message', 'found'],
  },
];

function json(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

function error(response: ServerResponse, status: number, code: string, message: string): void {
  json(response, status, { error: { code, message } });
}

async function start(_form: unknown, onCall: OnCall): Promise<RunningServer> {
  const pages: { name: string; message: string }[] = [];

  async function execute(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: unknown;
    try {
      body = JSON.parse(await text(request));
    } catch {
      return error(response, 400, 'INVALID_JSON', 'Please send JSON.');
    }
    const call = Object(body) as { function?: unknown; input?: unknown };
    if (typeof call.function !== 'string') return error(response, 400, 'INVALID_CALL', 'Which function?');
    const input = call.input ?? {};
    const known = functions.some(({ name }) => name === call.function);
    if (known) onCall(call.function);
    if (known && (typeof input !== 'object' || Array.isArray(input)))
      return error(response, 400, 'INVALID_CALL', 'input must be an object.');
    const { name, message, count = 5 } = input as Record<string, unknown>;
    switch (call.function) {
      case 'sign':
        if (typeof name !== 'string' || typeof message !== 'string')
          return error(response, 400, 'INVALID_INPUT', 'name and message must be texts.');
        return json(response, 200, { output: { visitors: pages.push({ name, message }) } });
      case 'read':
        if (typeof count !== 'number' || count < 0)
          return error(response, 400, 'INVALID_INPUT', 'count must be a number.');
        return json(response, 200, { output: { pages: pages.slice(-Math.min(count, 20)) } });
      case 'findSignature': {
        const page = pages.findLast((one) => one.name === name);
        return json(response, 200, { output: { message: page?.message ?? null, found: page !== undefined } });
      }
      default:
        return error(response, 400, 'FUNCTION_NOT_FOUND', 'The guest book cannot do that.');
    }
  }

  const server = createServer((request, response) => {
    const { method, url } = request;
    if (url === '/execute' && method === 'POST') {
      execute(request, response).catch(() => error(response, 500, 'EXECUTION_ERROR', 'The ink ran out.'));
    } else if (url === '/health' && method === 'GET') {
      json(response, 200, {
        status: 'ok',
        uptime: Math.floor((Date.now() - startedAt) / 1000),
        timestamp: new Date().toISOString(),
      });
    } else if (url === '/capabilities' && method === 'GET') {
      json(response, 200, { functions });
    } else {
      error(response, 404, 'NOT_FOUND', 'This page is blank.');
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const bareGuestbook: NaturalRecord = {
  name: 'bare-guestbook',
  forms: ['A'],
  functions: functions.map(({ name }) => name),
  withoutExample: functions.map(({ name }) => name),
  changes: ['sign'],
  undecided: { A: [], B: [] },
  once: [],
  start,
};
