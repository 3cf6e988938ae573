import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../http/problem.ts';
import { problemAnswers } from '../http/problem-answers.ts';
import type { Service } from '../http/service.ts';
import { currentPosition, recordsAfter } from '../store/change-feed.ts';
import type { Db } from '../store/open-store.ts';
import { cursorOf } from './cursor.ts';

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
        throw new Problem('busy', `${running} dumps are already under way; retry in ${RETRY_SECONDS} s.`, {
          headers: { 'retry-after': String(RETRY_SECONDS) },
          more: { retryAfterSeconds: RETRY_SECONDS },
        });
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
