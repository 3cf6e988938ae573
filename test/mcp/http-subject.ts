import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Message, SubjectOptions } from './subject-options.ts';
// biome-ignore lint/correctness/useImportExtensions: stdio-subject.mjs runs it without a build
import { createSubject } from './subject-tools.mjs';

export interface HttpSubjectOptions extends SubjectOptions {
  /** How answers are sent; default: as JSON. */
  readonly answers?: 'json' | 'events';
  /** Only the older transport, with one stream for all answers. */
  readonly older?: boolean;
  /** Answers calls of tools with the status 500 and this text. */
  readonly failing?: string;
  /** Answers this method with the status 403, as if the token lacked a scope. */
  readonly gated?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Changes an answer before it is sent; a list is sent as several events. */
  readonly change?: (message: Message, request: Message) => unknown;
  /** Answers a request in place of the server, unless it returns null. */
  readonly intercept?: (request: http.IncomingMessage) => HttpAnswer | null;
  /** Keeps streams of events open. */
  readonly neverCloses?: boolean;
  readonly sessionId?: string;
  /** The status with which notifications are answered. */
  readonly notified?: number;
  /** The body of that answer. */
  readonly notifiedText?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpSubject {
  readonly url: string;
  /** The header lines of every request. */
  readonly received: readonly http.IncomingHttpHeaders[];
  /** Sessions that were opened. */
  readonly opened: () => number;
  /** Sessions that the client ended. */
  readonly ended: () => number;
  /** Calls of tools that arrived. */
  readonly calls: () => number;
  /** Forgets all sessions. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

function messageIn(body: string): Message | null {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return null;
  }
}

const isOwn = (origin: string): boolean => new URL(origin).hostname === '127.0.0.1';

/** The server over streamable HTTP, or over its older transport. */
export async function startHttpSubject({
  answers = 'json',
  older = false,
  failing,
  gated,
  port = 0,
  change = (message) => message,
  intercept = () => null,
  neverCloses = false,
  sessionId,
  notified = 202,
  notifiedText = '',
  ...options
}: HttpSubjectOptions = {}): Promise<HttpSubject> {
  const sessions = new Map<string, ReturnType<typeof createSubject>>();
  const received: http.IncomingHttpHeaders[] = [];
  let opened = 0;
  let ended = 0;
  let calls = 0;
  let stream: http.ServerResponse | null = null;
  const event = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

  const newer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const instead = intercept(request);
    if (instead !== null)
      return void response.writeHead(instead.status, instead.headers).end(instead.body ?? '');
    const { origin, 'mcp-protocol-version': version } = request.headers;
    if (origin !== undefined && !isOwn(origin)) return void response.writeHead(403).end();
    if (version !== undefined && !/^2025-/.test(String(version))) return void response.writeHead(400).end();
    const used = request.headers['mcp-session-id'];
    if (request.method === 'DELETE') {
      ended += 1;
      return void response.writeHead(sessions.delete(String(used)) ? 204 : 404).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = messageIn(await text(request));
    if (message === null)
      return void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this is no JSON"}}');
    const isFirst = message.method === 'initialize';
    const id = isFirst ? (sessionId ?? randomUUID()) : String(used);
    if (isFirst) {
      opened += 1;
      sessions.set(
        id,
        createSubject(options, () => undefined),
      );
    }
    if (!isFirst && used === undefined) return void response.writeHead(400).end();
    const subject = sessions.get(id);
    if (subject === undefined) return void response.writeHead(404).end('no such session');
    if (gated !== undefined && message.method === gated)
      return void response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }).end();
    if (message.method === 'tools/call') {
      calls += 1;
      if (failing !== undefined) return void response.writeHead(500).end(failing);
    }
    const answer = await subject(message);
    if (answer === null) return void response.writeHead(notified).end(notifiedText);
    const headers = { 'mcp-session-id': id };
    if (answers === 'json')
      return void response
        .writeHead(200, { ...headers, 'content-type': 'application/json' })
        .end(JSON.stringify(change(answer, message)));
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    const sent = change(answer, message);
    response.write((Array.isArray(sent) ? sent : [sent]).map(event).join(''));
    if (!neverCloses) response.end();
  };

  const oldSubject = createSubject(options, (message) => void stream?.write(event(message)));
  const olderOnly = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      opened += 1;
      return void response.write('event: endpoint\ndata: /messages\n\n');
    }
    if (request.url !== '/messages') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as Message;
    response.writeHead(202).end();
    const answer = await oldSubject(message);
    if (answer !== null) stream?.write(event(change(answer, message)));
  };

  const server = http.createServer((request, response) => {
    received.push(request.headers);
    void (older ? olderOnly : newer)(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received,
    opened: () => opened,
    ended: () => ended,
    calls: () => calls,
    forget: () => sessions.clear(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
