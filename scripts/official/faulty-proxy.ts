import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { bytesOf, type HttpAnswer, type HttpSubjectOptions, messageIn } from '../../test/mcp/http-subject.ts';
import type { Message } from '../../test/mcp/subject-options.ts';

/** The parts of a mutant that can be put between a client and any server. */
export type Fault = Pick<
  HttpSubjectOptions,
  'change' | 'reply' | 'intercept' | 'notified' | 'notifiedText' | 'unreadable' | 'sessionId' | 'neverCloses'
>;

/** Passes all requests to a server over HTTP, and changes them and their answers as a mutant does. */
export async function startFaultyProxy(
  target: string,
  { intercept = () => null, ...fault }: Fault,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  /** The session ids of the server, by those that the clients see. */
  const sessions = new Map<string, string>();
  const server = http.createServer((request, response) => {
    const instead = intercept(request);
    if (instead !== null) return void answerInstead(response, instead);
    void pass(request, response).catch(() => response.destroy());
  });

  const pass = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const { 'mcp-session-id': id, ...headers } = request.headers;
    const own = sessions.get(String(id)) ?? id;
    const sent = http.request(target, {
      method: request.method,
      agent: false,
      headers: { ...headers, ...(own !== undefined && { 'mcp-session-id': own }) },
    });
    response.once('close', () => sent.destroy());
    sent.once('error', () => response.destroy());
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [http.IncomingMessage];
    await passAnswer(answer, response, messageIn(body.toString()));
  };

  const passAnswer = async (
    answer: http.IncomingMessage,
    response: http.ServerResponse,
    request: Message | null,
  ): Promise<void> => {
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = answer.headers;
    const head = { status: answer.statusCode ?? 500, headers: headers as Readonly<Record<string, string>> };
    const id = head.headers['mcp-session-id'];
    if (id !== undefined && fault.sessionId !== undefined) {
      const shown = fault.sessionId(sessions.size + 1);
      sessions.set(shown, id);
      head.headers = { ...head.headers, 'mcp-session-id': shown };
    }
    if (request === null && head.status === 400 && fault.unreadable !== undefined)
      head.status = fault.unreadable;
    if (head.status === 202) {
      response.writeHead(fault.notified ?? 202, head.headers);
      return void response.end(fault.notifiedText);
    }
    const type = String(answer.headers['content-type']);
    const asked = request ?? {};
    if (type.startsWith('text/event-stream')) return passEvents(answer, response, head, asked);
    const text = (await buffer(answer)).toString();
    const message = type.startsWith('application/json') ? messageIn(text) : null;
    const changed = message === null ? text : await changedBy(message, asked);
    // Several messages, and a stream that stays open, need a stream.
    if (message !== null && (Array.isArray(changed) || fault.neverCloses === true)) {
      begin(response, { ...head, headers: { ...head.headers, 'content-type': 'text/event-stream' } }, asked);
      for (const one of [changed].flat()) response.write(eventOf(one));
      if (fault.neverCloses !== true) response.end();
      return;
    }
    begin(response, head, asked);
    response.end(bytesOf(changed));
  };

  const begin = (response: http.ServerResponse, head: Head, request: Message): void => {
    const { status, headers } = fault.reply?.(head, request) ?? head;
    response.writeHead(status, headers);
  };

  const changedBy = async (message: Message, request: Message): Promise<unknown> =>
    fault.change === undefined ? message : fault.change(message, request);

  const passEvents = async (
    answer: http.IncomingMessage,
    response: http.ServerResponse,
    head: Head,
    request: Message,
  ): Promise<void> => {
    begin(response, head, request);
    let rest = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const message = messageIn(/^data: (.+)$/m.exec(event)?.[1] ?? '');
        const isAnswer = message !== null && ('result' in message || 'error' in message);
        const changed = isAnswer ? await changedBy(message, request) : null;
        if (!isAnswer) response.write(`${event}\n\n`);
        else for (const one of [changed].flat()) response.write(eventOf(one));
      }
    }
    if (fault.neverCloses !== true) response.end();
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Head {
  status: number;
  headers: Readonly<Record<string, string>>;
}

const eventOf = (message: unknown): Buffer =>
  Buffer.concat([Buffer.from('data: '), Buffer.from(bytesOf(message)), Buffer.from('\n\n')]);

const answerInstead = (response: http.ServerResponse, { status, headers, body = '' }: HttpAnswer): void =>
  void response.writeHead(status, headers).end(body);
