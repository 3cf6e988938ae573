import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import {
  answerFrameworkError,
  createReference,
  type ReferenceAnswer,
  type ReferenceForm,
} from './contract.ts';

export type ReferenceServerOptions = {
  readonly form: ReferenceForm;
  readonly host?: string;
  /** 0 lets the system choose a free one. */
  readonly port?: number;
  /** A path prefix for all endpoints, such as /mcp. */
  readonly basePath?: string;
};

export type RunningServer = {
  /** The server's address, without a slash at its end: append /health, /capabilities or /execute. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

const maxBodyBytes = 4 * 1024 * 1024;
const requestTimeoutMs = 30_000;

/** Serves the contract over HTTP with Fastify. Rejects when the address is taken or cannot be bound. */
export const startReferenceServer = async ({
  form,
  host = '127.0.0.1',
  port = 0,
  basePath = '',
}: ReferenceServerOptions): Promise<RunningServer> => {
  const reference = createReference({ form });
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
    frameworkErrors: (error, _request, reply) => send(reply, answerFrameworkError(error)),
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
    const answer = await reference.answer({
      method: request.method,
      path: path.startsWith(`${base}/`) ? path.slice(base.length) : '',
      contentType: request.headers['content-type'],
      body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
    });
    return send(reply, answer);
  };
  app.all('*', handle);
  app.setNotFoundHandler(handle);
  app.setErrorHandler((error, _request, reply) => send(reply, answerFrameworkError(error)));

  await app.listen({ host, port });
  const [address] = app.addresses();
  const boundPort = typeof address === 'object' ? address.port : port;
  const urlHost = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${urlHost}:${boundPort}${base}`, close: () => app.close() };
};

const send = (reply: FastifyReply, { status, headers, body }: ReferenceAnswer) =>
  reply.code(status).headers(headers).send(body);
