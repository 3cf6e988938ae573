import type { Readable } from 'node:stream';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { createReference } from './contract.ts';
import {
  answerFrameworkError,
  type EndpointAnswer,
  type EndpointRequest,
  type TraceFields,
  type WireForm,
} from './endpoints.ts';

export type ListenOptions = {
  readonly host?: string;
  /** 0 lets the system choose a free one. */
  readonly port?: number;
  /** A path prefix for all endpoints, such as /mcp. */
  readonly basePath?: string;
};

export type ReferenceServerOptions = ListenOptions & { readonly form: WireForm };

export type RunningServer = {
  /** The server's address, without a slash at its end: append /health, /capabilities or /execute. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** With all headers, by their names in lower case; the values of a header that is given twice are joined. */
export type HttpRequest = EndpointRequest & {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

/** A body that is not complete yet is a stream. */
export type HttpAnswer = Omit<EndpointAnswer, 'body'> & { readonly body: string | Readable };

const maxBodyBytes = 4 * 1024 * 1024;
const requestTimeoutMs = 30_000;

/** Rejects when the address is taken or cannot be bound. */
export const startReferenceServer = ({ form, ...listen }: ReferenceServerOptions): Promise<RunningServer> =>
  serve(createReference({ form }).answer, listen);

/** Serves endpoints over HTTP with Fastify. Rejects when the address is taken or cannot be bound. */
export const serve = async (
  answer: (request: HttpRequest) => Promise<HttpAnswer>,
  { host = '127.0.0.1', port = 0, basePath = '' }: ListenOptions,
  answerError = answerFrameworkError,
): Promise<RunningServer> => {
  const base = basePath
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => `/${segment}`)
    .join('');

  const app = fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    // Idle keep-alive connections would delay close() until the clients close them.
    forceCloseConnections: true,
    frameworkErrors: (error, _request, reply) => send(reply, answerError(error)),
  });

  // Pass the raw bytes on, because the contract itself judges the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => body,
  );

  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.split('?', 1);
    const answered = await answer({
      method: request.method,
      path: path.startsWith(`${base}/`) ? path.slice(base.length) : '',
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
      ),
      contentType: request.headers['content-type'],
      origin: request.headers.origin,
      trace: traceIn(request.headers),
      body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
      signal: abortedWhenAbandoned(reply),
    });
    return send(reply, answered);
  };
  app.all('*', handle);
  app.setNotFoundHandler(handle);
  app.setErrorHandler((error, _request, reply) => send(reply, answerError(error)));

  await app.listen({ host, port });
  const [address] = app.addresses();
  const boundPort = typeof address === 'object' ? address.port : port;
  const urlHost = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${urlHost}:${boundPort}${base}`, close: () => app.close() };
};

const send = (reply: FastifyReply, { status, headers, body }: HttpAnswer) =>
  reply.code(status).headers(headers).send(body);

const traceIn = ({ traceparent, tracestate }: FastifyRequest['headers']): TraceFields | undefined => {
  if (typeof traceparent !== 'string') return undefined;
  return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
};

/** Fastify's own signal is aborted as soon as the body was read. */
const abortedWhenAbandoned = ({ raw }: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
};
