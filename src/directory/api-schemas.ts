import { DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, MAX_TAGS, MAX_TEXT_LENGTH } from './search-query.ts';

/** JSON Schemas of what the platform API takes and gives; the OpenAPI document is made from them. */

const timestamp = { type: 'string', format: 'date-time', description: 'ISO 8601, UTC.' } as const;
const text = { type: 'string' } as const;

const recordProperties = {
  id: { ...text, description: 'Names the server in paths.' },
  name: text,
  description: text,
  category: text,
  tags: { type: 'array', items: text },
  transport: { type: 'array', items: { type: 'string', enum: ['http', 'websocket'] } },
  uptime: {
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: 'Percentage of the observed time of 30 days.',
  },
  responseTime: {
    type: 'number',
    minimum: 0,
    description: 'Milliseconds: median of the successful calls of 7 days.',
  },
  lastUpdated: timestamp,
  audited: { type: 'boolean' },
  openSource: { type: 'boolean' },
  endpoint: { type: 'string', format: 'uri', description: 'Base address of the server.' },
} as const;

export const serverRecord = {
  $id: 'ServerRecord',
  type: 'object',
  required: Object.keys(recordProperties),
  properties: recordProperties,
} as const;

export const searchResult = {
  $id: 'SearchResult',
  type: 'object',
  required: ['servers', 'pagination'],
  properties: {
    servers: { type: 'array', items: { $ref: 'ServerRecord#' } },
    pagination: {
      type: 'object',
      required: ['total', 'limit', 'offset', 'hasNext'],
      properties: {
        total: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
        offset: { type: 'integer', minimum: 0 },
        hasNext: { type: 'boolean' },
      },
    },
  },
} as const;

export const problem = {
  $id: 'Problem',
  type: 'object',
  description: 'A problem as RFC 9457 writes it down.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  additionalProperties: true,
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: { ...text, description: 'What is wrong with this request, and the remedy.' },
    code: { ...text, description: 'Stable, for programs.' },
    requestId: { ...text, description: 'To be given when the operator is asked about it.' },
  },
} as const;

const textParameter = { type: 'string', maxLength: MAX_TEXT_LENGTH } as const;

export const searchParameters = {
  type: 'object',
  properties: {
    q: {
      ...textParameter,
      description:
        'Search text: each of its words must be the beginning of a word of the name, the description or a tag. Case and accents do not count.',
    },
    category: { ...textParameter, description: 'The category, whole; case does not count.' },
    tags: {
      type: 'array',
      maxItems: MAX_TAGS,
      items: text,
      description: 'All of them, whole; repeated (tags=a&tags=b), with commas (tags=a,b), or as tags[].',
    },
    transport: { type: 'string', enum: ['http', 'websocket'] },
    minUptime: { type: 'number', minimum: 0, maximum: 100, description: 'Percentage.' },
    maxResponseTime: { type: 'number', minimum: 0, description: 'Milliseconds.' },
    audited: { type: 'boolean', description: 'true: audited servers only; false: others only.' },
    openSource: { type: 'boolean', description: 'true: open-source servers only; false: others only.' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    offset: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 },
  },
} as const;

export const serverIdParameters = {
  type: 'object',
  required: ['serverId'],
  properties: { serverId: { type: 'string', description: 'The id of a server record.' } },
} as const;

/** The answers that every operation may give. */
export function problemAnswers(...statuses: readonly number[]): Record<string, object> {
  return Object.fromEntries(
    [...new Set([401, 403, 429, 500, ...statuses])].map((status) => [
      String(status),
      {
        description: PROBLEM_WORDS[status] ?? 'A problem.',
        content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
      },
    ]),
  );
}

const PROBLEM_WORDS: Readonly<Record<number, string>> = {
  400: 'The request is wrong; the problem names what.',
  401: 'The API key is missing or invalid.',
  403: 'The API key does not allow this.',
  404: 'There is no such server or function.',
  409: 'A call with this Idempotency-Key is under way, or nobody knows what came of it.',
  413: 'The body is too large.',
  415: 'The body must be JSON.',
  422: 'The input is refused by the server, or the Idempotency-Key belongs to another call.',
  429: 'A rate limit is used up; Retry-After says when to ask again.',
  500: 'The service failed.',
  502: 'The server failed, cannot be reached, or breaks its contract.',
  503: 'The service is not ready.',
  504: 'The server did not answer in time.',
};

/** The record, and what stands behind it; see src/directory/details.ts. */
export const serverDetails = {
  $id: 'ServerDetails',
  type: 'object',
  required: Object.keys(recordProperties),
  additionalProperties: true,
  properties: {
    ...recordProperties,
    uptime: { ...recordProperties.uptime, type: ['number', 'null'] },
    responseTime: { ...recordProperties.responseTime, type: ['number', 'null'] },
    status: { type: 'string', enum: ['up', 'down', 'unknown'] },
    figures: { type: 'string', enum: ['observed', 'claimed'] },
    addedAt: timestamp,
    listing: {
      type: 'object',
      required: ['decision', 'decidedBy', 'rows'],
      properties: {
        decision: { type: 'string', enum: ['list', 'hold', 'reject'] },
        decidedBy: { type: 'string', enum: ['checks', 'operator'] },
        rows: { type: 'array', items: { type: 'object', additionalProperties: true } },
      },
    },
    author: { type: 'object', additionalProperties: true },
  },
} as const;
