import * as Type from 'typebox';
import { listOf, oneOf, recordSchema, text, timestamp } from './record-parts.ts';
import type { RecordOf } from './record-schema.ts';
import { SERVER_STATUSES } from './server-status.ts';

/** @internal Members that the records of other operations share. */
export const recordMembers = {
  id: Type.String({ minLength: 1, description: 'Names the server in paths.' }),
  name: text,
  description: text,
  category: text,
  tags: listOf(text),
  transport: listOf(oneOf(['http', 'websocket'])),
  uptime: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Percentage of the observed time of 30 days.',
  }),
  responseTime: Type.Number({
    minimum: 0,
    description: 'Milliseconds: median of the successful calls of 7 days.',
  }),
  lastUpdated: timestamp,
  audited: Type.Boolean(),
  openSource: Type.Boolean(),
  endpoint: Type.String({ format: 'uri', description: 'Base address of the server.' }),
};

/** @internal */
export const figures = oneOf(['observed', 'claimed'], {
  description:
    'Whether uptime and responseTime were observed, or are claims of the listing: claimed until both were observed.',
});

/** @internal */
export const serverStatus = oneOf(SERVER_STATUSES, {
  description:
    'up, down: by the last observation. gated: alive, and wants a key. paused: for maintenance. undecided: up, but too little of it could be tested. stale: up, but not tested for long. unknown: not observed yet.',
});

/** @internal Members that the specification does not have. */
export const furtherMembers = {
  protocol: Type.Optional(
    oneOf(['mcp'], {
      description:
        'mcp: the endpoint speaks the Model Context Protocol over HTTP. Absent: it has /health, /capabilities and /execute.',
    }),
  ),
  figures: Type.Optional(figures),
  status: Type.Optional(serverStatus),
};

/** The members of the specification alone, which records of every directory have. */
export const specifiedRecord = recordSchema(recordMembers);

/** One entry of a search result (specification, section 2.1). */
export const serverRecord = recordSchema({ ...recordMembers, ...furtherMembers }, { $id: 'ServerRecord' });
export type ServerRecord = RecordOf<typeof serverRecord>;

export type RecordField = keyof RecordOf<typeof specifiedRecord>;
export const RECORD_FIELDS = Object.keys(recordMembers) as readonly RecordField[];

/** Fields that are measured; a listing may claim them before. */
export const MEASURED_FIELDS = [
  'uptime',
  'responseTime',
  'lastUpdated',
] as const satisfies readonly RecordField[];
export type MeasuredField = (typeof MEASURED_FIELDS)[number];
