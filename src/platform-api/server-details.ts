import * as Type from 'typebox';
import type { JsonObject } from '../json/json.ts';
import { CHANGE_KINDS, type ChangeKind, type ContractChange } from '../model/contract.ts';
import type { Listing, ListingRow } from '../model/listing.ts';
import type { Form } from '../model/requirement.ts';
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
  wholeOrNull,
} from '../model/saved/record-parts.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';
import {
  figures,
  furtherMembers,
  recordMembers,
  type ServerRecord,
  serverStatus,
} from '../model/saved/server-record.ts';
import { outlineMembers, type ResultOutline, summaryMembers } from './test-result.ts';

const membersInDetails = {
  ...recordMembers,
  uptime: orNull(recordMembers.uptime),
  responseTime: orNull(recordMembers.responseTime),
};

/** The record in the details operation, which also covers servers that are not listed. */
export const recordInDetails = recordSchema(membersInDetails);
export type RecordInDetails = RecordOf<typeof recordInDetails> & Pick<ServerRecord, 'protocol'>;

const decision = oneOf(['list', 'hold', 'reject']);

const entrySummaryMembers = {
  ...summaryMembers,
  id: text,
  decision: oneOf(['list', 'hold', 'reject'], {
    description: 'The decision of the directory after this test.',
  }),
};
/** A test of an entry; older tests are reduced to this. */
const resultSummary = recordSchema(entrySummaryMembers);
export type ResultSummary = RecordOf<typeof resultSummary>;

/** The last test result, without the parts that are only needed to judge it again. */
export type LastResult = ResultSummary & ResultOutline;

/** The times of the successful calls of one operation; a percentile is present only if there are enough calls. */
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

/** What a change of a contract is for callers of the older one. */
const changeKind = oneOf(CHANGE_KINDS, {
  description:
    'breaking: a call that was right may fail, or a result may not be what was promised. unclear: it could not be decided.',
});

/** A contract that a server had, and how it differs from the one before. */
const contractVersion = recordSchema({
  seenAt: timestamp,
  lastSeenAt: timestamp,
  worst: Type.Unsafe<ChangeKind | null>({
    type: ['string', 'null'],
    enum: [...CHANGE_KINDS, null],
    description: 'The worst of the changes; null for the first contract that was seen.',
  }),
  isSuspicious: Type.Boolean({ description: 'A text says something else to the model than before.' }),
  changeCount: count,
  changes: Type.Unsafe<readonly ContractChange[]>({
    type: 'array',
    items: anyObject(),
    description: 'Up to 100 of the changes, without the values.',
  }),
});
export type ContractVersion = RecordOf<typeof contractVersion>;

/** The last change of a contract, in the feed of changes. */
export const lastContractChange = recordSchema({
  changedAt: timestamp,
  worst: changeKind,
  isSuspicious: Type.Boolean(),
  changeCount: count,
});
export type LastContractChange = RecordOf<typeof lastContractChange>;

const listingRow = Type.Unsafe<ListingRow>(
  Type.Object({
    requirement: text,
    level: oneOf(['MUST', 'SHOULD', 'MAY']),
    outcome: oneOf(['passed', 'failed', 'inapplicable', 'undecided']),
    evidence: listOf(
      Type.Object(
        {
          kind: oneOf(['found', 'missing', 'undecided']),
          text,
          remedy: Type.Optional(Type.String({ description: 'How to fix it, or how to have it decided.' })),
        },
        { additionalProperties: true },
      ),
    ),
  }),
);

/** How a server that is alive refuses a caller without a key. */
const gate = recordSchema({
  /** Of the answer: 401 or 403. */
  httpStatus: Type.Integer(),
  challenge: orNull(Type.String(), { description: 'The header WWW-Authenticate.' }),
  metadataUrl: orNull(Type.String(), {
    description: 'Where its metadata of the protected resource is, as the challenge names it (RFC 9728).',
  }),
  hasKey: Type.Boolean({ description: 'Whether the directory sent a key, which the server refused.' }),
  remedy: Type.String({ description: 'How the operator of the directory gives it a key.' }),
});

const doubt = recordSchema({
  at: timestamp,
  decision: oneOf(['hold', 'reject'], { description: 'The decision if the next look sees the same.' }),
  reason: text,
  looks: Type.Integer({ minimum: 1, description: 'How many tests in a row saw it.' }),
  outages: Type.Integer({
    minimum: 0,
    description:
      'During how many of them the server was away for a time; each counts for half, because it may have been restarted.',
  }),
});

/** The details of a server in a directory made with Probity: the record and its evidence. */
export const serverDetails = recordSchema(
  {
    ...membersInDetails,
    ...furtherMembers,
    status: serverStatus,
    pauseReason: orNull(Type.String(), {
      description: 'While the server is paused: why, as the operator tells everybody.',
    }),
    pausedUntil: orNull(timestamp, {
      description:
        'While the server is paused: until when. Null: until the operator resumes it, or not paused.',
    }),
    gate: wholeOrNull(gate, { description: 'How the server asks for a key, while it is gated.' }),
    missing: listOf(text, { description: 'Why the server is undecided: what no test could show.' }),
    doubt: wholeOrNull(doubt, {
      description: 'What the first of two looks saw, before the decision turns bad; null without a doubt.',
    }),
    figures,
    addedAt: timestamp,
    listing: Type.Object({
      decision,
      awaitsFigures: Type.Boolean({
        description:
          'Whether the server is approved, and on hold only until its uptime and its response time were measured.',
      }),
      decidedBy: oneOf(['checks', 'operator']),
      reason: orNull(Type.String(), { description: 'Why the operator decided so, for everybody.' }),
      rows: listOf(listingRow),
    }),
    form: Type.Unsafe<Form | null>({
      type: ['string', 'null'],
      enum: ['A', 'B', null],
      description: 'The form in which the server describes its functions (specification, section 2.5).',
    }),
    functions: listOf(anyObject<JsonObject>(), {
      description: 'Function descriptors from the last valid answer of /capabilities.',
    }),
    testStartedAt: orNull(timestamp, { description: 'The start of the test in progress.' }),
    lastResult: Type.Unsafe<LastResult | null>(
      orNull(Type.Object({ ...entrySummaryMembers, ...outlineMembers })),
    ),
    contracts: listOf(whole(contractVersion), {
      description:
        'The contracts that tests have seen, newest first: what the server offers, and what changed.',
    }),
    history: listOf(whole(resultSummary), { description: 'The last tests, newest first.' }),
    responseTimes: listOf(whole(operationTimes), {
      description:
        'The times of the successful calls of 7 days; a percentile is present only if there are enough calls.',
    }),
    uptimeByDay: listOf(
      Type.Object({
        date: Type.String({ format: 'date' }),
        uptime: Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, maximum: 100 }),
        coverage: Type.Number({ minimum: 0, maximum: 100 }),
      }),
      {
        description:
          'The last 30 days (UTC), oldest first; null for a day without observations. coverage: the percentage of the day that was observed.',
      },
    ),
    uptimeCoverage: Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'The percentage of the last 30 days, or of the time since the server was added, that was observed.',
    }),
    author: anyObject<Omit<Listing, keyof ServerRecord | 'bearerEnv'>>({
      description: 'Further statements of the author about the server.',
    }),
  },
  { $id: 'ServerDetails', additionalProperties: true },
);
export type ServerDetails = RecordOf<typeof serverDetails>;
