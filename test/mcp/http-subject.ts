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
  readonly change?: Change;
  /** Changes the status and the headers of an answer. */
  readonly reply?: (head: HttpHead, request: Message) => HttpHead;
  /** Answers a request in place of the server, unless it returns null; it may change the headers of the request. */
  readonly intercept?: (request: http.IncomingMessage) => HttpAnswer | null;
  /** Offers one stream in each session that belongs to no request, and asks the client there. */
  readonly standing?: boolean;
  /** Keeps streams of events open. */
  readonly neverCloses?: boolean;
  /** Of the first session, the second one, and so on. */
  readonly sessionId?: (count: number) => string;
  /** Ends all sessions before it answers the request with this number. */
  readonly expiresBefore?: number;
  /**
   * Closes the stream of an answer after an event with an id, or cuts its connection, and gives the answer to a client
   * that connects again with this id.
   */
  readonly polling?: 'closed' | 'cut' | undefined;
  /** Has no sessions, and accepts DELETE all the same. */
  readonly sessionless?: boolean;
  /** Begins a stream for calls of this tool, and sends no message in it. */
  readonly holding?: string;
  /** Fails once after a body that is not JSON. */
  readonly fragile?: boolean;
  /** The status with which a body that is not JSON is answered. */
  readonly unreadable?: number;
  /** The codes of the errors about what is no JSON, and about what is no request. */
  readonly codes?: readonly [parse: number, invalid: number];
  /** Answers lists of messages. */
  readonly batches?: boolean;
  /** Gives events ids that begin anew in each stream. */
  readonly numbered?: boolean;
  /** The status with which notifications are answered. */
  readonly notified?: number;
  /** The body of that answer. */
  readonly notifiedText?: string;
}

/**
 * Changes an answer before it is sent, or promises to: a list is several messages, a text or bytes are sent as they are.
 */
export type Change = (message: Message, request: Message) => unknown;

export interface HttpHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpAnswer extends Partial<HttpHead> {
  readonly status: number;
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

export function messageIn(body: string): Message | null {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return null;
  }
}

export function bytesOf(sent: unknown): string | Uint8Array {
  return typeof sent === 'string' || sent instanceof Uint8Array ? sent : JSON.stringify(sent);
}

const isOwn = (origin: string): boolean => new URL(origin).hostname === '127.0.0.1';

const isRequest = ({ jsonrpc, method }: Message): boolean => jsonrpc === '2.0' && typeof method !== 'number';

/** The server over streamable HTTP, or over its older transport. */
export async function startHttpSubject({
  answers = 'json',
  older = false,
  failing,
  gated,
  port = 0,
  change = (message) => message,
  reply = (head) => head,
  intercept = () => null,
  neverCloses = false,
  sessionId = () => randomUUID(),
  expiresBefore,
  sessionless = false,
  standing = false,
  holding,
  fragile = false,
  polling,
  unreadable = 400,
  codes: [parseCode, invalidCode] = [-32700, -32600],
  batches,
  numbered = false,
  notified = 202,
  notifiedText = '',
  ...options
}: HttpSubjectOptions = {}): Promise<HttpSubject> {
  const sessions = new Map<string, ReturnType<typeof createSubject>>();
  const received: http.IncomingHttpHeaders[] = [];
  const streams = new Map<string, http.ServerResponse>();
  let opened = 0;
  let ended = 0;
  let calls = 0;
  let isBroken = false;
  let stream: http.ServerResponse | null = null;
  const event = (message: unknown): Buffer =>
    Buffer.concat([
      Buffer.from('event: message\ndata: '),
      Buffer.from(bytesOf(message)),
      Buffer.from('\n\n'),
    ]);
  const send = (response: http.ServerResponse, sent: unknown, head: HttpHead, request: Message): void => {
    const isJson = answers === 'json' && !Array.isArray(sent);
    const type = isJson ? 'application/json' : 'text/event-stream';
    const { status, headers } = reply(
      {
        ...head,
        headers: { 'content-type': type, ...(isJson ? {} : { 'x-accel-buffering': 'no' }), ...head.headers },
      },
      request,
    );
    response.writeHead(status, headers);
    if (holding !== undefined && (request.params as { name?: unknown } | undefined)?.name === holding) {
      response.flushHeaders();
      return;
    }
    if (isJson) return void response.end(bytesOf(sent));
    for (const [index, one] of [sent].flat().entries())
      response.write(numbered ? Buffer.concat([Buffer.from(`id: ${index}\n`), event(one)]) : event(one));
    if (!neverCloses) response.end();
  };
  const held: Buffer[] = [];
  const poll = (response: http.ServerResponse, answer: unknown): void => {
    const id = held.push(event(answer)) - 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const first = polling === 'cut' ? 'retry: 10\n\n' : 'retry: 10\ndata: \n\n';
    if (polling === 'closed') return void response.end(`id: ${id}\n${first}`);
    response.write(`id: ${id}\n${first}`, () => setImmediate(() => response.socket?.destroy()));
  };
  const stateless = createSubject(options, () => undefined);

  const newer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    if (received.length === expiresBefore) sessions.clear();
    const instead = intercept(request);
    if (instead !== null)
      return void response.writeHead(instead.status, instead.headers).end(instead.body ?? '');
    const { host, origin, 'mcp-protocol-version': version, 'mcp-session-id': used } = request.headers;
    if (!isOwn(`http://${host}`) || (origin !== undefined && !isOwn(origin)))
      return void response.writeHead(403).end();
    if (sessionless && request.method === 'DELETE') return void response.writeHead(200).end();
    const isSession = options.era !== 'stateless' && !sessionless;
    if (options.era !== 'stateless' && version !== undefined && !/^202[45]-/.test(String(version)))
      return void response.writeHead(400).end();
    if (isSession && request.method === 'DELETE') {
      ended += 1;
      return void response.writeHead(sessions.delete(String(used)) ? 204 : 404).end();
    }
    const next = held[Number(request.headers['last-event-id'])];
    if (request.method === 'GET' && next !== undefined)
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(next);
    if (standing && request.method === 'GET') {
      if (streams.has(String(used))) return void response.writeHead(409).end();
      streams.set(String(used), response);
      response.on('close', () => streams.delete(String(used)));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.flushHeaders();
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415).end();
    const message = messageIn(await text(request));
    if (isBroken) {
      isBroken = false;
      return void response.writeHead(500).end();
    }
    isBroken = fragile && message === null;
    const refuse = (status: number, code: number, words: string): void => {
      const error = { jsonrpc: '2.0', id: null, error: { code, message: words } };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
    };
    if (typeof message !== 'object' || message === null)
      return refuse(unreadable, parseCode, 'this is no JSON');
    const takesLists = batches ?? options.version === '2025-03-26';
    if (Array.isArray(message) ? !takesLists : !isRequest(message))
      return refuse(400, invalidCode, 'this is no request');
    if (Array.isArray(message)) {
      const subject = sessions.get(String(used)) ?? stateless;
      const answers = await Promise.all(
        (message as unknown as readonly Message[]).map((one) => subject(one, request.headers)),
      );
      const body = JSON.stringify(answers.flatMap((one) => one?.answer ?? []));
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    }
    const isFirst = isSession && message.method === 'initialize';
    if (isFirst) opened += 1;
    const id = isFirst ? sessionId(opened) : String(used);
    if (isFirst)
      sessions.set(
        id,
        createSubject(options, () => undefined),
      );
    if (isSession && !isFirst && used === undefined) return void response.writeHead(400).end();
    const subject = isSession ? sessions.get(id) : stateless;
    if (subject === undefined) return void response.writeHead(404).end('no such session');
    if (gated !== undefined && message.method === gated)
      return void response
        .writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="all"' })
        .end();
    if (message.method === 'tools/call') {
      calls += 1;
      if (failing !== undefined) return void response.writeHead(500).end(failing);
    }
    const session: HttpHead['headers'] = isSession ? { 'mcp-session-id': id } : {};
    const sendNow = (asked: Message): void => {
      if (standing) return void streams.get(id)?.write(event(asked));
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', ...session });
      response.write(event(asked));
    };
    const answered = await subject(message, request.headers, sendNow);
    if (answered === null) return void response.writeHead(notified).end(notifiedText);
    const { answer, status, staysOpen = false } = answered;
    if (staysOpen) {
      response.writeHead(status, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      const sent = [await change(answer, message)].flat();
      for (const one of sent) response.write(event(one));
      if (sent.some((one) => (one as Message).id !== undefined)) response.end();
      return;
    }
    if (polling !== undefined && !isFirst) return poll(response, answer);
    const changed = await change(answer, message);
    if (response.headersSent) return void response.end(event(changed));
    send(response, changed, { status, headers: session }, message);
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
    const answered = await oldSubject(message);
    if (answered !== null) stream?.write(event(await change(answered.answer, message)));
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
