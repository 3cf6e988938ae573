import { count, milliseconds, text, timestamp } from '../http/common-schemas.ts';
import { recordProperties } from '../search/search-schemas.ts';
import { outlineProperties, summary, verdict } from '../testing/test-schemas.ts';

/** JSON Schema of what the details operation gives; the OpenAPI document is made from it. */

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

/** The record, and what stands behind it; see directory/src/details/details.ts. */
export const serverDetails = {
  $id: 'ServerDetails',
  type: 'object',
  required: Object.keys(detailProperties),
  additionalProperties: true,
  properties: detailProperties,
} as const;
