import * as Type from 'typebox';
import type { JsonObject } from '../model/json.ts';
import type { Listing, ListingRow } from '../model/listing.ts';
import {
  anyObject,
  count,
  listOf,
  milliseconds,
  oneOf,
  orNull,
  recordSchema,
  text,
  timestamp,
  whole,
} from '../model/record-parts.ts';
import type { RecordOf } from '../model/record-schema.ts';
import type { Form } from '../model/requirement.ts';
import { recordMembers, type ServerRecord } from '../model/server-record.ts';
import { outlineMembers, type ResultOutline, summaryMembers } from './test-result.ts';

const membersInDetails = {
  ...recordMembers,
  uptime: orNull(recordMembers.uptime),
  responseTime: orNull(recordMembers.responseTime),
};

/** The record in the details operation, which has to tell of servers too that are not listed. */
export const recordInDetails = recordSchema(membersInDetails);
export type RecordInDetails = RecordOf<typeof recordInDetails>;

const decision = oneOf(['list', 'hold', 'reject']);

const entrySummaryMembers = {
  ...summaryMembers,
  id: text,
  decision: oneOf(['list', 'hold', 'reject'], {
    description: 'What the directory decided of the server after it.',
  }),
};
/** A test of an entry, of which no more may be left than this. */
const resultSummary = recordSchema(entrySummaryMembers);
export type ResultSummary = RecordOf<typeof resultSummary>;

/** The last test result without what only judging it again needs. */
export type LastResult = ResultSummary & ResultOutline;

/** Of the successful calls of one operation; a percentile is given only where there are calls enough for it. */
const operationTimes = recordSchema({
  operation: oneOf(['health', 'capabilities', 'execute']),
  count,
  minMs: milliseconds,
  p50Ms: Type.Optional(milliseconds),
  p90Ms: Type.Optional(milliseconds),
  p95Ms: Type.Optional(milliseconds),
  p99Ms: Type.Optional(milliseconds),
  maxMs: milliseconds,
});
export type OperationTimes = RecordOf<typeof operationTimes>;

const listingRow = Type.Unsafe<ListingRow>(
  Type.Object({
    requirement: text,
    level: oneOf(['MUST', 'SHOULD', 'MAY']),
    outcome: oneOf(['passed', 'failed', 'inapplicable', 'blocked', 'inconclusive']),
    evidence: listOf(
      Type.Object(
        {
          kind: oneOf(['found', 'missing', 'undecided']),
          text,
          remedy: Type.Optional(Type.String({ description: 'How to mend or to decide it.' })),
        },
        { additionalProperties: true },
      ),
    ),
  }),
);

/** What a directory made with Probity tells of a server: the record, and what stands behind it. */
export const serverDetails = recordSchema(
  {
    ...membersInDetails,
    status: oneOf(['up', 'down', 'unknown'], { description: 'What the last observation that tells says.' }),
    figures: oneOf(['observed', 'claimed'], {
      description: 'Whether uptime and responseTime were observed, or are what the listing claims.',
    }),
    addedAt: timestamp,
    listing: Type.Object({
      decision,
      decidedBy: oneOf(['checks', 'operator']),
      rows: listOf(listingRow),
    }),
    form: Type.Unsafe<Form | null>({
      type: ['string', 'null'],
      enum: ['A', 'B', null],
      description: 'The form in which the server describes its functions (specification, section 2.5).',
    }),
    functions: listOf(anyObject<JsonObject>(), {
      description: 'Function descriptors, as the last good answer of /capabilities gave them.',
    }),
    testStartedAt: orNull(timestamp, { description: 'Of the test that is under way.' }),
    lastResult: Type.Unsafe<LastResult | null>(
      orNull(Type.Object({ ...entrySummaryMembers, ...outlineMembers })),
    ),
    history: listOf(whole(resultSummary), { description: 'The last tests, the newest first.' }),
    responseTimes: listOf(whole(operationTimes), {
      description:
        'Of the successful calls of 7 days; a percentile is given only where there are calls enough for it.',
    }),
    uptimeByDay: listOf(
      Type.Object({
        date: Type.String({ format: 'date' }),
        uptime: Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, maximum: 100 }),
      }),
      {
        description:
          'Of the last 30 days (UTC), the oldest first; null for a day on which nothing was observed.',
      },
    ),
    author: anyObject<Omit<Listing, keyof ServerRecord | 'samples' | 'bearerEnv'>>({
      description: 'What the author says of the server besides.',
    }),
  },
  { $id: 'ServerDetails', additionalProperties: true },
);
export type ServerDetails = RecordOf<typeof serverDetails>;
