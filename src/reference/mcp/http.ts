import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { answerFrameworkError, type EndpointAnswer, mediaTypeOf } from '../endpoints.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type ListenOptions,
  type RunningServer,
  serve,
} from '../server.ts';
import { answerOrStream, EventStream } from './event-stream.ts';
import { HttpSession, HttpSessions } from './http-sessions.ts';
import { referenceCatalog } from './offers/reference-catalog.ts';
import type { Outlet } from './protocol/caller.ts';
import type { Catalog } from './protocol/catalog.ts';
import {
  type Answer,
  type Batch,
  errorAnswer,
  type Message,
  ProtocolError,
  readMessage,
} from './protocol/messages.ts';
import { mayBeRebound } from './rebinding.ts';
import { notOpened, sessionRevisions } from './session.ts';
import { answerStateless, isStateless, statelessRevision } from './stateless.ts';

const endpointPath = '/mcp';

export type McpServerOptions = Pick<ListenOptions, 'host' | 'port'> & { readonly catalog?: Catalog };

/** Serves MCP as Streamable HTTP. Rejects when the address is taken or cannot be bound. */
export const startMcpReferenceServer = async ({
  host = '127.0.0.1',
  port = 0,
  catalog = referenceCatalog,
}: McpServerOptions): Promise<RunningServer> => {
  const endpoint = new McpEndpoint(catalog, host.includes(':') ? `[${host}]` : host);
  const server = await serve(
    (request) => endpoint.answer(request),
    { host, port },
    (error) => refusal(answerFrameworkError(error).status, 'The request is malformed or too large.'),
  );
  const close = async (): Promise<void> => {
    endpoint.close();
    // What ends the streams is sent before the connections close.
    await setImmediate();
    await server.close();
  };
  return { url: server.url + endpointPath, close };
};

/** Streamable HTTP without a web framework. */
class McpEndpoint {
  readonly #catalog: Catalog;
  readonly #host: string;
  readonly #sessions = new HttpSessions();
  readonly #closing = new AbortController();

  constructor(catalog: Catalog, host: string) {
    this.#catalog = catalog;
    this.#host = host;
  }

  close(): void {
    this.#closing.abort();
    this.#sessions.close();
  }

  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { headers, method, path } = request;
    if (mayBeRebound(this.#host, headers))
      return refusal(403, 'Pages of other sites may not use this server.');
    if (path !== endpointPath) return refusal(404, `The MCP endpoint is ${endpointPath}.`);
    if (method === 'POST') return this.#post(request);
    if (method !== 'GET' && method !== 'DELETE')
      return refusal(405, 'The MCP endpoint answers POST, GET and DELETE only.', {
        allow: 'POST, GET, DELETE',
      });
    if (headers['mcp-protocol-version'] === statelessRevision)
      return refusal(405, 'This protocol version has neither sessions nor a stream for GET.', {
        allow: 'POST',
      });
    return method === 'GET' ? this.#listen(request) : this.#end(request);
  }

  async #post(request: HttpRequest): Promise<HttpAnswer> {
    const { headers, body } = request;
    if (mediaTypeOf(headers['content-type']) !== 'application/json')
      return refusal(415, 'The body must be application/json.');
    if (!accepts(headers, 'application/json'))
      return refusal(406, 'The answer is application/json; accept it.');
    const message = readMessage(body);
    if (message.kind === 'invalid') return sent(message.answer);
    const isOfRequest = message.kind === 'request' && isStateless(message);
    return isOfRequest || !mayHaveSession(request)
      ? this.#postStateless(message, request)
      : this.#postInSession(message, request);
  }

  async #postStateless(message: Message | Batch, { headers, signal }: HttpRequest): Promise<HttpAnswer> {
    if (message.kind === 'notification' || message.kind === 'cancellation')
      return headers['mcp-protocol-version'] === statelessRevision
        ? accepted
        : refusal(400, 'This protocol version is not supported.');
    if (message.kind !== 'request') return refusal(400, 'The body must be one request or notification.');
    if (message.method === 'subscriptions/listen' && !accepts(headers, 'text/event-stream'))
      return refusal(406, 'The answer is text/event-stream; accept it.');
    // The client cancels a request when it closes the connection.
    const options = { headers, signal, closing: this.#closing.signal };
    const answer = await answerOrStream(
      () => new EventStream(),
      (outlet) =>
        answerStateless(this.#catalog, message, { ...options, outlet: usableOutlet(outlet, headers) }),
    );
    return answerOf(message, answer);
  }

  async #postInSession(message: Message | Batch, { headers }: HttpRequest): Promise<HttpAnswer> {
    const id = headers['mcp-session-id'];
    if (id === undefined) return this.#postWithoutSession(message);
    const session = this.#sessions.find(id);
    if (session === undefined)
      return refusalOf(message, 404, new ProtocolError('invalidRequest', unknownSession));
    const answer = await answerOrStream(session.openStream, (outlet) =>
      session.conversation.answer(message, usableOutlet(outlet, headers)),
    );
    return answerOf(message, answer);
  }

  async #postWithoutSession(message: Message | Batch): Promise<HttpAnswer> {
    if (message.kind !== 'request' || message.method !== 'initialize')
      return refusalOf(message, 400, notOpened());
    const session = new HttpSession(this.#catalog);
    const answer = answerOf(message, await session.conversation.answer(message, noOutlet));
    if (session.conversation.revision === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, 'mcp-session-id': this.#sessions.add(session) } };
  }

  /** Opens the stream for messages that belong to no request, or resumes any stream. */
  #listen(request: HttpRequest): HttpAnswer {
    const { headers } = request;
    if (!accepts(headers, 'text/event-stream'))
      return refusal(406, 'The answer is text/event-stream; accept it.');
    const id = headers['mcp-session-id'];
    if (id === undefined || !mayHaveSession(request)) return refusal(400, 'This names no session.');
    const session = this.#sessions.find(id);
    if (session === undefined) return refusal(404, unknownSession);
    const lastEventId = headers['last-event-id'];
    const body = lastEventId === undefined ? session.listen() : session.resume(lastEventId);
    return body === undefined ? refusal(400, 'The last event is unknown.') : streamed(body);
  }

  #end(request: HttpRequest): HttpAnswer {
    const id = request.headers['mcp-session-id'];
    if (id === undefined || !mayHaveSession(request)) return refusal(400, 'This names no session to end.');
    return this.#sessions.end(id) ? { status: 204, headers: {}, body: '' } : refusal(404, unknownSession);
  }
}

const unknownSession = 'The session is unknown, or has ended.';

/** Whether a request may belong to a session, by its version of the protocol; the oldest ones have no header for it. */
const mayHaveSession = ({ headers: { 'mcp-protocol-version': version } }: HttpRequest): boolean =>
  version === undefined || sessionRevisions.includes(version);

const accepts = ({ accept = '*/*' }: HttpRequest['headers'], type: string): boolean => {
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  return accept.split(',').some((range) => ranges.includes(mediaTypeOf(range) ?? ''));
};

const noOutlet: Outlet = { isOpen: false, send: () => undefined, disconnect: () => undefined };

/** A client that accepts no stream gets the answer alone. */
const usableOutlet = (outlet: Outlet, headers: HttpRequest['headers']): Outlet =>
  accepts(headers, 'text/event-stream') ? outlet : noOutlet;

const accepted: EndpointAnswer = { status: 202, headers: {}, body: '' };

/** `x-accel-buffering` makes proxies pass on each event at once. */
const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
const streamed = (body: Readable | string): HttpAnswer => ({ status: 200, headers: streamHeaders, body });

const answerOf = (message: Message | Batch, answer: Answer | Readable | undefined): HttpAnswer => {
  if (answer instanceof Readable) return streamed(answer);
  if (answer !== undefined) return sent(answer);
  const messages = message.kind === 'batch' ? message.messages : [message];
  // The only answer to a cancelled request that contains no response is an event stream without events.
  return messages.some(({ kind }) => kind === 'request') ? streamed('') : accepted;
};

const sent = ({ status, text }: Answer): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: text,
});

/** A request is answered with an error that has its id; for all others, the status says enough. */
const refusalOf = (message: Message | Batch, status: number, error: ProtocolError): EndpointAnswer =>
  message.kind === 'request' ? sent(errorAnswer(message.id, error, status)) : refusal(status, error.message);

const refusal = (status: number, text: string, headers: EndpointAnswer['headers'] = {}): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${text}\n`,
});
