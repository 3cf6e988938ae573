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

/** The body of a test: src/directory/test-request.ts reads it. */
export const testRequest = {
  type: 'object',
  additionalProperties: false,
  description: 'May be left out: the server is then tested with the samples of its listing.',
  properties: {
    input: {
      type: 'object',
      additionalProperties: true,
      description:
        'Named sample inputs. Without "function" they are used for every function that declares all of these names, and whose required ones are all given.',
    },
    function: { ...text, description: 'The function that the input is for, as /capabilities names it.' },
  },
} as const;

const RESULT_MEMBER = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

const verdict = { type: 'string', enum: ['pass', 'fail', 'incomplete'] } as const;

const count = { type: 'integer', minimum: 0 } as const;

const summary = {
  type: 'object',
  required: ['passed', 'failed', 'warnings', 'inapplicable', 'blocked', 'inconclusive'],
  properties: {
    passed: count,
    failed: count,
    warnings: count,
    inapplicable: count,
    blocked: count,
    inconclusive: count,
    accepted: count,
  },
} as const;

const milliseconds = { type: 'number', minimum: 0, description: 'Milliseconds.' } as const;

const outlineProperties = {
  harness: { type: 'object', properties: { name: text, version: text } },
  results: { ...RESULT_MEMBER, description: 'Every requirement, decided.' },
  findings: { ...RESULT_MEMBER, description: 'What failed or is undecided, with its evidence and remedy.' },
  responseTimes: { ...RESULT_MEMBER, description: 'By operation and by function, in milliseconds.' },
  errors: { ...RESULT_MEMBER, description: 'Calls that were meant to succeed and did not, by kind.' },
  samples: { ...RESULT_MEMBER, description: 'What functions returned.' },
  facts: { ...RESULT_MEMBER, description: 'What was learned that is not a rule.' },
} as const;

export const testResult = {
  $id: 'TestResult',
  type: 'object',
  description:
    'The main members of a test result; the whole of it is described by schemas/test-result.schema.json of probity (https://probity.invalid/schemas/test-result/v1, an id that is never fetched).',
  required: [
    'schema',
    'id',
    'target',
    'startedAt',
    'finishedAt',
    'durationMs',
    'verdict',
    'reachable',
    'summary',
    ...Object.keys(outlineProperties),
  ],
  additionalProperties: true,
  properties: {
    schema: text,
    id: { ...text, description: 'Names the result in the history of the server.' },
    target: { type: 'object', additionalProperties: true },
    startedAt: timestamp,
    finishedAt: timestamp,
    durationMs: milliseconds,
    verdict,
    reachable: { type: 'boolean' },
    summary,
    ...outlineProperties,
  },
} as const;

const decision = { type: 'string', enum: ['list', 'hold', 'reject'] } as const;

const summaryProperties = {
  id: text,
  startedAt: timestamp,
  durationMs: milliseconds,
  verdict,
  reachable: { type: 'boolean' },
  summary,
  decision: { ...decision, description: 'What the directory decided of the server after it.' },
} as const;

const listingRow = {
  type: 'object',
  required: ['requirement', 'level', 'outcome', 'evidence'],
  properties: {
    requirement: text,
    level: { type: 'string', enum: ['MUST', 'SHOULD', 'MAY'] },
    outcome: { type: 'string', enum: ['passed', 'failed', 'inapplicable', 'blocked', 'inconclusive'] },
    evidence: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'text'],
        properties: {
          kind: { type: 'string', enum: ['found', 'missing', 'undecided'] },
          text,
          remedy: { ...text, description: 'How to mend or to decide it.' },
        },
      },
    },
  },
} as const;

const detailProperties = {
  ...recordProperties,
  uptime: { ...recordProperties.uptime, type: ['number', 'null'] },
  responseTime: { ...recordProperties.responseTime, type: ['number', 'null'] },
  status: {
    type: 'string',
    enum: ['up', 'down', 'unknown'],
    description: 'What the last observation that tells says.',
  },
  figures: {
    type: 'string',
    enum: ['observed', 'claimed'],
    description: 'Whether uptime and responseTime were observed, or are what the listing claims.',
  },
  addedAt: timestamp,
  listing: {
    type: 'object',
    required: ['decision', 'decidedBy', 'rows'],
    properties: {
      decision,
      decidedBy: { type: 'string', enum: ['checks', 'operator'] },
      rows: { type: 'array', items: listingRow },
    },
  },
  form: {
    type: ['string', 'null'],
    enum: ['A', 'B', null],
    description: 'The form in which the server describes its functions (specification, section 2.5).',
  },
  functions: {
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Function descriptors, as the last good answer of /capabilities gave them.',
  },
  testStartedAt: { ...timestamp, type: ['string', 'null'], description: 'Of the test that is under way.' },
  lastResult: {
    type: ['object', 'null'],
    required: [...Object.keys(summaryProperties), ...Object.keys(outlineProperties)],
    properties: { ...summaryProperties, ...outlineProperties },
  },
  history: {
    type: 'array',
    description: 'The last tests, the newest first.',
    items: { type: 'object', required: Object.keys(summaryProperties), properties: summaryProperties },
  },
  responseTimes: {
    type: 'array',
    description:
      'Of the successful calls of 7 days; a percentile is given only where there are calls enough for it.',
    items: {
      type: 'object',
      required: ['operation', 'count', 'minMs', 'maxMs'],
      properties: {
        operation: { type: 'string', enum: ['health', 'capabilities', 'execute'] },
        count,
        minMs: milliseconds,
        p50Ms: milliseconds,
        p90Ms: milliseconds,
        p95Ms: milliseconds,
        p99Ms: milliseconds,
        maxMs: milliseconds,
      },
    },
  },
  uptimeByDay: {
    type: 'array',
    description: 'Of the last 30 days (UTC), the oldest first; null for a day on which nothing was observed.',
    items: {
      type: 'object',
      required: ['date', 'uptime'],
      properties: {
        date: { type: 'string', format: 'date' },
        uptime: { type: ['number', 'null'], minimum: 0, maximum: 100 },
      },
    },
  },
  author: {
    type: 'object',
    additionalProperties: true,
    description: 'What the author says of the server besides.',
  },
} as const;

/** The record, and what stands behind it; see src/directory/details.ts. */
export const serverDetails = {
  $id: 'ServerDetails',
  type: 'object',
  required: Object.keys(detailProperties),
  additionalProperties: true,
  properties: detailProperties,
} as const;
