import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../db/tables.ts';
import {
  currentPosition,
  type FeedPosition,
  readChanges,
  recordsAfter,
  UnknownPosition,
} from '../entries/change-feed.ts';
import { badParameters, Problem, problemAnswers, retryProblem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import {
  DEFAULT_LIMIT,
  type GivenPage,
  MAX_CURSOR_LENGTH,
  MAX_LIMIT,
  pageParameters,
} from './page-parameters.ts';

/** GET /changes: what changed since a cursor, for mirrors. The specification has no such operation. */
export function changesRoute(app: FastifyInstance, { store }: Service): void {
  app.get<{ Querystring: GivenPage }>(
    '/changes',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listChanges',
        summary:
          'Extension: the records that changed since a cursor, the oldest change first, and the servers that were removed.',
        querystring: {
          type: 'object',
          properties: {
            cursor: {
              type: 'string',
              maxLength: MAX_CURSOR_LENGTH,
              description: 'From an earlier answer, or from a dump. Without it: everything that is listed.',
            },
            limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
          },
        },
        response: {
          200: { description: 'A page of changes.', $ref: 'ChangesPage#' },
          ...problemAnswers(400, 410),
        },
      },
      validatorCompiler: () => pageParameters('changes'),
    },
    async (request, reply) => {
      const { cursor, limit } = request.query;
      const after = cursor === null ? null : positionIn(cursor);
      if (cursor !== null && after === null)
        throw badParameters([{ parameter: 'cursor', detail: 'is not one that this directory made' }]);
      const page = await readChanges(store.db, after, limit).catch((error: unknown) => {
        if (!(error instanceof UnknownPosition)) throw error;
        throw new Problem(
          'position-unknown',
          'The cursor is too old, or from before the database of the directory was restored. Read GET /v1/dump again, and go on from its cursor.',
        );
      });
      return reply
        .header('cache-control', 'no-store')
        .send({ changes: page.changes, cursor: cursorOf(page.next), hasMore: page.hasMore });
    },
  );
}

/** A position as callers get it: they need not know what it contains. */
export function cursorOf({ feed, transaction, id }: FeedPosition): string {
  return Buffer.from(JSON.stringify([feed, transaction, id])).toString('base64url');
}

/** Null when the text is no cursor. */
function positionIn(cursor: string): FeedPosition | null {
  try {
    const [feed, transaction, id] = JSON.parse(
      Buffer.from(cursor, 'base64url').toString('utf8'),
    ) as readonly unknown[];
    return typeof feed === 'string' &&
      typeof transaction === 'string' &&
      /^\d{1,19}$/.test(transaction) &&
      typeof id === 'string' &&
      !id.includes('\0')
      ? { feed, transaction, id }
      : null;
  } catch {
    return null;
  }
}

const BATCH = 500;
/** Dumps of an instance at the same time. */
const MAX_DUMPS = 2;
const RETRY_SECONDS = 10;

/** GET /dump: all records as lines of JSON. The specification has no such operation. */
export function dumpRoute(app: FastifyInstance, { store }: Service): void {
  let running = 0;
  app.get(
    '/dump',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'dumpServers',
        summary:
          'Extension: the record of every listed server, one line of JSON each. The last line has their number, the SHA-256 digest of all bytes before it, and the cursor for GET /changes. A dump without this line is incomplete.',
        response: {
          200: {
            description: 'Lines of JSON.',
            content: { 'application/x-ndjson': { schema: { type: 'string' } } },
          },
          ...problemAnswers(),
        },
      },
    },
    async (_request, reply) => {
      if (running >= MAX_DUMPS)
        throw retryProblem(
          'busy',
          `${running} dumps are already under way; retry in ${RETRY_SECONDS} s.`,
          RETRY_SECONDS,
        );
      running += 1;
      const lines = Readable.from(linesOfDump(store.db), { objectMode: false, highWaterMark: 256 * 1024 });
      lines.once('close', () => {
        running -= 1;
      });
      return reply.header('cache-control', 'no-store').type('application/x-ndjson').send(lines);
    },
  );
}

/** Batches of lines. Records that change meanwhile come again after the cursor, which is read first. */
async function* linesOfDump(db: Db): AsyncGenerator<string> {
  const cursor = cursorOf(await currentPosition(db));
  const digest = createHash('sha256');
  let count = 0;
  let last = '';
  for (;;) {
    const records = await recordsAfter(db, last, BATCH);
    last = records.at(-1)?.id ?? last;
    count += records.length;
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    digest.update(lines);
    if (lines !== '') yield lines;
    if (records.length < BATCH) break;
  }
  yield `${JSON.stringify({ dump: { count, digest: `sha256:${digest.digest('hex')}`, cursor } })}\n`;
}
