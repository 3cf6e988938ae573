import { text, timestamp } from '../http/common-schemas.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, MAX_TAGS, MAX_TEXT_LENGTH } from '../store/search-query.ts';

/** JSON Schemas of what a search takes and gives; the OpenAPI document is made from them. */

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

export const recordProperties = {
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
