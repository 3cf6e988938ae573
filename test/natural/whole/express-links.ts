import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import type { NaturalRecord, OnCall, RunningServer } from '../natural-server.ts';

type Parameters = Record<string, unknown>;
type Handler = (parameters: Parameters) => object;

class HttpError extends Error {
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
  status: number;
  code: string;
}

const slugSchema = {
  type: 'string',
  pattern: '^[a-z0-9-]{3,30}$',
  description: 'Last part of the short link.',
};

const descriptors = [
  {
    name: 'shorten',
    description: 'Makes a short link for a URL. Returns the same one for the same URL.',
    parameters: {
      type: 'object',
      properties: { url: { type: 'string', format: 'uri', description: 'The long URL, http or https.' } },
      required: ['url'],
    },
    returns: {
      type: 'object',
      properties: { short: { type: 'string' }, slug: { type: 'string' } },
      required: ['short', 'slug'],
    },
    examples: [{ parameters: { url: 'https://expressjs.com/en/5x/api.html' } }],
  },
  {
    name: 'expand',
    description: 'The long URL behind a short link.',
    parameters: { type: 'object', properties: { slug: slugSchema }, required: ['slug'] },
    returns: { type: 'object', properties: { url: { type: 'string' }, clicks: { type: 'integer' } } },
  },
  {
    name: 'stats',
    description: 'Number of links and of clicks.',
    parameters: { type: 'object', properties: {}, required: [] },
    returns: { type: 'object', properties: { links: { type: 'integer' }, clicks: { type: 'integer' } } },
  },
];

function createApp(onCall: OnCall) {
  const links = new Map<string, { url: string; clicks: number }>();
  const slugs = new Map<string, string>();

  const stringOf = (parameters: Parameters, name: string): string => {
    const value = parameters[name];
    if (value === undefined) throw new HttpError(400, 'MISSING_PARAMETER', `${name} is required`);
    if (typeof value !== 'string') throw new HttpError(400, 'INVALID_PARAMETER', `${name} must be a string`);
    return value;
  };

  const handlers = new Map<string, Handler>([
    [
      'shorten',
      (parameters) => {
        const url = stringOf(parameters, 'url');
        if (!URL.canParse(url)) throw new HttpError(400, 'INVALID_PARAMETER', 'url is not a URL');
        const slug = slugs.get(url) ?? `lnk-${(slugs.size + 1).toString(36)}`;
        slugs.set(url, slug);
        links.set(slug, links.get(slug) ?? { url, clicks: 0 });
        return { short: `https://sho.example/${slug}`, slug };
      },
    ],
    [
      'expand',
      (parameters) => {
        const link = links.get(stringOf(parameters, 'slug'));
        if (!link) throw new HttpError(404, 'LINK_NOT_FOUND', 'There is no such link');
        link.clicks += 1;
        return { ...link };
      },
    ],
    [
      'stats',
      () => ({ links: links.size, clicks: [...links.values()].reduce((sum, { clicks }) => sum + clicks, 0) }),
    ],
  ]);

  const app = express();
  app.disable('x-powered-by');
  app.use(express.json({ limit: '512kb' }));

  app
    .route('/health')
    .get((_req, res) => {
      res.json({
        status: 'healthy',
        uptime: process.uptime(),
        timestamp: new Date().toISOString(),
        version: '3.1.4',
        mcpVersion: '1.0',
      });
    })
    .all(
      (_req, res) =>
        void res
          .status(405)
          .set('Allow', 'GET, HEAD')
          .json({ error: { code: 'METHOD_NOT_ALLOWED', message: 'Use GET' } }),
    );

  app.get('/capabilities', (_req, res) => {
    res.json({
      mcpVersion: '1.0',
      server: { name: 'sho', version: '3.1.4', description: 'Short links.' },
      functions: descriptors,
    });
  });

  app
    .route('/execute')
    .post((req: Request, res: Response) => {
      const started = Date.now();
      const body: unknown = req.body;
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new HttpError(400, 'INVALID_REQUEST', 'The body must be a JSON object');
      const { function: name, parameters = {}, requestId } = body as Parameters;
      res.locals.requestId = requestId;
      if (typeof name !== 'string') throw new HttpError(400, 'INVALID_REQUEST', 'function must be a string');
      const handler = handlers.get(name);
      if (!handler) throw new HttpError(400, 'FUNCTION_NOT_FOUND', 'There is no function of this name');
      onCall(name);
      if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
        throw new HttpError(400, 'INVALID_REQUEST', 'parameters must be an object');
      const result = handler(parameters as Parameters);
      res.json({ requestId, result, executionTime: Date.now() - started });
    })
    .all(
      (_req, res) =>
        void res
          .status(405)
          .set('Allow', 'POST')
          .json({ error: { code: 'METHOD_NOT_ALLOWED', message: 'Use POST' } }),
    );

  app.use(
    (_req, res) => void res.status(404).json({ error: { code: 'NOT_FOUND', message: 'No such path' } }),
  );

  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    const { requestId } = res.locals;
    if (error instanceof HttpError)
      return void res
        .status(error.status)
        .json({ error: { code: error.code, message: error.message }, requestId });
    // Errors of express.json() have a status.
    if (typeof error.status === 'number' && error.status < 500)
      return void res
        .status(error.status)
        .json({ error: { code: 'INVALID_REQUEST', message: error.type ?? 'invalid' }, requestId });
    res.status(500).json({ error: { code: 'EXECUTION_ERROR', message: 'Something went wrong' }, requestId });
  };
  app.use(onError);
  return app;
}

async function start(onCall: OnCall): Promise<RunningServer> {
  const server = createApp(onCall).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export const expressLinks: NaturalRecord = {
  name: 'express-links',
  forms: ['B'],
  functions: ['shorten', 'expand', 'stats'],
  withoutExample: ['expand', 'stats'],
  changes: ['shorten'],
  undecided: { A: [], B: [] },
  once: [],
  start: (_form, onCall) => start(onCall),
};
