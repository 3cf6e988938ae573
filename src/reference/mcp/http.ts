import { randomUUID } from 'node:crypto';
import { answerFrameworkError, type EndpointAnswer, mediaTypeOf } from '../endpoints.ts';
import { type HttpRequest, type ListenOptions, type RunningServer, serve } from '../server.ts';
import { Conversation } from './conversation.ts';
import {
  type Answer,
  type Batch,
  errorAnswer,
  type Message,
  ProtocolError,
  readMessage,
} from './messages.ts';
import { notOpened, sessionRevisions } from './session.ts';
import { answerStateless, isStateless, statelessRevision } from './stateless.ts';

const endpointPath = '/mcp';
/** Clients often leave without a word, so the session that was not used for the longest time ends. */
const maxSessions = 100;

/** Serves MCP as Streamable HTTP. Rejects when the address is taken or cannot be bound. */
export const startMcpReferenceServer = async ({
  host = '127.0.0.1',
  port = 0,
}: Pick<ListenOptions, 'host' | 'port'>): Promise<RunningServer> => {
  const endpoint = new McpEndpoint(host);
  const server = await serve(
    (request) => endpoint.answer(request),
    { host, port },
    (error) => refusal(answerFrameworkError(error).status, 'The request is malformed or too large.'),
  );
  return { ...server, url: server.url + endpointPath };
};

/** Streamable HTTP without a web framework. Every request is answered with JSON, and no stream is offered. */
class McpEndpoint {
  readonly #host: string;
  /** By session id; the one that was used last comes last. */
  readonly #conversations = new Map<string, Conversation>();

  constructor(host: string) {
    this.#host = host;
  }

  async answer(request: HttpRequest): Promise<EndpointAnswer> {
    if (!this.#isAllowed(request.headers.origin))
      return refusal(403, 'Pages of other sites may not use this server.');
    if (request.path !== endpointPath) return refusal(404, `The MCP endpoint is ${endpointPath}.`);
    switch (request.method) {
      case 'POST':
        return this.#post(request);
      case 'DELETE':
        return this.#end(request);
      default:
        return refusal(405, 'The MCP endpoint answers POST and DELETE only.', { allow: 'POST, DELETE' });
    }
  }

  /** Only browsers send an origin. A page of another site could reach a local server through DNS rebinding. */
  #isAllowed(origin: string | undefined): boolean {
    if (origin === undefined) return true;
    const hosts = ['localhost', '127.0.0.1', '[::1]', this.#host];
    return URL.canParse(origin) && hosts.includes(new URL(origin).hostname);
  }

  async #post(request: HttpRequest): Promise<EndpointAnswer> {
    const { headers, body } = request;
    if (mediaTypeOf(headers['content-type']) !== 'application/json')
      return refusal(415, 'The body must be application/json.');
    if (!acceptsJson(headers.accept)) return refusal(406, 'The answer is application/json; accept it.');
    const message = readMessage(body);
    if (message.kind === 'invalid') return sent(message.answer);
    const isOfRequest = message.kind === 'request' && isStateless(message);
    return isOfRequest || !mayHaveSession(request)
      ? this.#postStateless(message, request)
      : this.#postInSession(message, request);
  }

  async #postStateless(message: Message | Batch, { headers, signal }: HttpRequest): Promise<EndpointAnswer> {
    switch (message.kind) {
      case 'request':
        // The client cancels a request when it closes the connection.
        return sent(await answerStateless(message, signal, headers));
      case 'notification':
      case 'cancellation':
        if (headers['mcp-protocol-version'] === statelessRevision) return accepted;
        return refusal(400, 'This protocol version is not supported.');
      default:
        return refusal(400, 'The body must be one request or notification.');
    }
  }

  async #postInSession(message: Message | Batch, { headers }: HttpRequest): Promise<EndpointAnswer> {
    const sessionId = headers['mcp-session-id'];
    if (sessionId === undefined) return this.#postWithoutSession(message);
    const conversation = this.#find(sessionId);
    return conversation === undefined
      ? refusalOf(message, 404, new ProtocolError('invalidRequest', 'The session is unknown, or has ended.'))
      : answerOf(message, await conversation.answer(message));
  }

  async #postWithoutSession(message: Message | Batch): Promise<EndpointAnswer> {
    if (message.kind !== 'request' || message.method !== 'initialize')
      return refusalOf(message, 400, notOpened());
    const conversation = new Conversation();
    const answer = answerOf(message, await conversation.answer(message));
    if (!conversation.isOpen) return answer;
    return { ...answer, headers: { ...answer.headers, 'mcp-session-id': this.#add(conversation) } };
  }

  #end(request: HttpRequest): EndpointAnswer {
    const sessionId = request.headers['mcp-session-id'];
    if (request.headers['mcp-protocol-version'] === statelessRevision)
      return refusal(405, 'This protocol version has no sessions to end.', { allow: 'POST' });
    if (sessionId === undefined || !mayHaveSession(request))
      return refusal(400, 'This names no session to end.');
    return this.#conversations.delete(String(sessionId))
      ? { status: 204, headers: {}, body: '' }
      : refusal(404, 'The session is unknown, or has ended.');
  }

  #add(conversation: Conversation): string {
    const id = randomUUID();
    this.#conversations.set(id, conversation);
    const [oldest] = this.#conversations.keys();
    if (oldest !== undefined && this.#conversations.size > maxSessions) this.#conversations.delete(oldest);
    return id;
  }

  #find(sessionId: HttpRequest['headers'][string]): Conversation | undefined {
    const id = String(sessionId);
    const conversation = this.#conversations.get(id);
    if (conversation === undefined) return undefined;
    this.#conversations.delete(id);
    this.#conversations.set(id, conversation);
    return conversation;
  }
}

/** Whether a request may belong to a session, by its version of the protocol; the oldest ones have no header for it. */
const mayHaveSession = ({ headers: { 'mcp-protocol-version': version } }: HttpRequest): boolean =>
  version === undefined || sessionRevisions.includes(String(version));

const acceptsJson = (accept = '*/*'): boolean =>
  accept
    .split(',')
    .some((range) => ['application/json', 'application/*', '*/*'].includes(mediaTypeOf(range) ?? ''));

const accepted: EndpointAnswer = { status: 202, headers: {}, body: '' };

/** The only answer to a request that contains no response: an event stream without events. */
const cancelled: EndpointAnswer = { status: 200, headers: { 'content-type': 'text/event-stream' }, body: '' };

const answerOf = (message: Message | Batch, answer: Answer | undefined): EndpointAnswer => {
  if (answer !== undefined) return sent(answer);
  const messages = message.kind === 'batch' ? message.messages : [message];
  return messages.some(({ kind }) => kind === 'request') ? cancelled : accepted;
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
