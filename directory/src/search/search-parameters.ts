import { pagination, searchResult } from 'probity/model';
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET, MAX_TAGS, MAX_TEXT_LENGTH } from '../store/search-query.ts';

const textParameter = { type: 'string', maxLength: MAX_TEXT_LENGTH } as const;

/** For the OpenAPI document only; `parseSearch` validates the parameters. */
export const searchParameters = {
  type: 'object',
  properties: {
    q: {
      ...textParameter,
      description:
        'Search text: each of its words must be the beginning of a word of the name, the description or a tag; in scripts without spaces, such as Chinese, a part of one. Case and accents are ignored. A text without letters and digits finds nothing.',
    },
    category: { ...textParameter, description: 'The whole category; case is ignored.' },
    tags: {
      type: 'array',
      maxItems: MAX_TAGS,
      items: { type: 'string' },
      description:
        'Only servers with all of these tags. Repeat the parameter (tags=a&tags=b), separate tags with commas (tags=a,b), or use tags[]. A comma within a tag is written \\,.',
    },
    transport: { type: 'string', enum: ['http', 'websocket'] },
    minUptime: { type: 'number', minimum: 0, maximum: 100, description: 'Percentage.' },
    maxResponseTime: { type: 'number', minimum: 0, description: 'Milliseconds.' },
    audited: { type: 'boolean', description: 'true: audited servers only; false: others only.' },
    openSource: { type: 'boolean', description: 'true: open-source servers only; false: others only.' },
    updatedSince: {
      type: 'string',
      format: 'date-time',
      description:
        'Extension: only servers whose record changed at this time or later. Follow all changes with GET /changes.',
    },
    limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
    offset: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 },
  },
} as const;

/** The schema of a search result, with the bounds of this directory for `limit`. */
export const boundedSearchResult = {
  ...searchResult,
  properties: {
    ...searchResult.properties,
    pagination: {
      ...pagination,
      properties: {
        ...pagination.properties,
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
      },
    },
  },
} as const;
