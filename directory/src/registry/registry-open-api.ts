import { harnessVersion } from 'probity/service';
import { DIRECTORY_KEY, OFFICIAL_KEY, SERVER_SCHEMA } from './server-answer.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const share = { type: ['number', 'null'], minimum: 0, maximum: 100 } as const;

const known = {
  type: 'object',
  description: 'What this directory knows; the members that it does not know are missing or null.',
  properties: {
    verdict: {
      enum: ['pass', 'fail', 'incomplete', 'undecided', 'unchecked'],
      description: 'Of the last test of this version; unchecked: there was none.',
    },
    reason: { ...text, description: 'Why it is undecided.' },
    remote: { type: ['string', 'null'], description: 'The tested address.' },
    coverage: { ...share, description: 'The percentage of its functions that gave a result.' },
    status: { ...text, description: 'The state, such as up or gated.' },
    uptime: share,
    responseTime: { type: ['number', 'null'], minimum: 0, description: 'In milliseconds.' },
    figures: { enum: ['claimed', 'observed'] },
    decision: { enum: ['list', 'hold', 'reject'] },
    checkedAt: { type: ['string', 'null'], format: 'date-time' },
    summary: { type: 'object', description: 'Of the check of a package.' },
    report: { ...text, format: 'uri', description: 'The page about it.' },
    statusMessage: { ...text, description: 'Why it is deprecated or deleted.' },
  },
} as const;

const schemas = {
  Server: {
    type: 'object',
    required: ['server', '_meta'],
    properties: {
      server: {
        type: 'object',
        required: ['name', 'description', 'version'],
        description: `A server.json of the schema ${SERVER_SCHEMA}.`,
        properties: { $schema: text, name: text, description: text, version: text },
      },
      _meta: {
        type: 'object',
        required: [OFFICIAL_KEY, DIRECTORY_KEY],
        properties: {
          [OFFICIAL_KEY]: {
            type: 'object',
            required: ['status', 'publishedAt', 'updatedAt', 'isLatest'],
            properties: {
              status: { enum: ['active', 'deprecated', 'deleted'] },
              publishedAt: time,
              updatedAt: time,
              isLatest: flag,
            },
          },
          [DIRECTORY_KEY]: known,
        },
      },
    },
  },
  Servers: {
    type: 'object',
    required: ['servers', 'metadata'],
    properties: {
      servers: { type: 'array', items: { $ref: '#/components/schemas/Server' } },
      metadata: {
        type: 'object',
        required: ['count'],
        properties: {
          count: { type: 'integer', minimum: 0, description: 'Of the servers of this answer.' },
          nextCursor: { ...text, description: 'Where the next page begins; missing: there is none.' },
        },
      },
    },
  },
  Problem: {
    type: 'object',
    required: ['title', 'status', 'detail', 'code', 'error'],
    properties: { title: text, status: { type: 'integer' }, detail: text, code: text, error: text },
  },
} as const;

const inPath = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: text,
});
const inQuery = (name: string, schema: object, description: string) => ({
  name,
  in: 'query',
  description,
  schema,
});

const SERVER_NAME = inPath('serverName', 'The name, such as org.example/weather, encoded for a path.');
const VERSION = inPath('version', 'An exact version, or latest.');
const DELETED = inQuery('include_deleted', flag, 'Whether deleted versions are wanted.');

function operation(
  operationId: string,
  summary: string,
  parameters: readonly object[],
  answer: keyof typeof schemas,
) {
  const problem = (description: string) => ({
    description,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  });
  return {
    get: {
      operationId,
      summary,
      parameters,
      responses: {
        200: {
          description: 'Found.',
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${answer}` } } },
        },
        304: { description: 'Unchanged since the ETag of If-None-Match.' },
        400: problem('A parameter is invalid.'),
        401: problem('The pages of this directory are not public: a key of the scope read is required.'),
        404: problem('No such server.'),
        429: problem('Too many requests; Retry-After says when to retry.'),
        503: problem('Not ready; Retry-After says when to retry.'),
      },
    },
  };
}

/** The OpenAPI document of the registry API, version 0.1. Pure. */
export function registryDocument(address: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Registry of MCP servers',
      description:
        'The registry API, version 0.1, of this directory. Clients of the registry of the Model Context Protocol can use it.',
      version: harnessVersion(),
    },
    servers: [{ url: `${address}/v0.1` }],
    paths: {
      '/servers': operation(
        'listServers',
        'List versions of servers, page by page.',
        [
          inQuery('cursor', text, 'The nextCursor of an answer to the same request.'),
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 30 }, 'Servers of a page.'),
          inQuery('search', { ...text, maxLength: 255 }, 'Part of a name.'),
          inQuery('updated_since', time, 'Only what was updated since then, deleted versions too.'),
          inQuery('version', { ...text, maxLength: 255 }, 'An exact version, or latest.'),
          DELETED,
        ],
        'Servers',
      ),
      '/servers/{serverName}/versions': operation(
        'listVersions',
        'List the versions of a server.',
        [SERVER_NAME, DELETED],
        'Servers',
      ),
      '/servers/{serverName}/versions/{version}': operation(
        'getVersion',
        'Read a version of a server.',
        [SERVER_NAME, VERSION, DELETED],
        'Server',
      ),
    },
    components: { schemas, securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    // With public pages, no key is required.
    security: [{}, { apiKey: [] }],
  };
}
