import type { FastifyInstance } from 'fastify';
import { Problem } from '../http/problem.ts';
import { problemAnswers } from '../http/problem-answers.ts';
import type { Service } from '../http/service.ts';
import { readChanges, UnknownPosition } from '../store/change-feed.ts';
import { cursorOf, positionIn } from './cursor.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_CURSOR_LENGTH = 400;

interface Given {
  readonly cursor: string | null;
  readonly limit: number;
}

/** GET /changes: what changed since a cursor, for mirrors. The specification has no such operation. */
export function changesRoute(app: FastifyInstance, { store }: Service): void {
  app.get<{ Querystring: Given }>(
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
      validatorCompiler: () => readGiven,
    },
    async (request, reply) => {
      const { cursor, limit } = request.query;
      const after = cursor === null ? null : positionIn(cursor);
      if (cursor !== null && after === null)
        throw new Problem('bad-parameter', 'cursor is not one that this directory made', {
          more: { parameters: [{ parameter: 'cursor', detail: 'is not one that this directory made' }] },
        });
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

function readGiven(
  given: ReadonlyMap<string, readonly string[]>,
): { readonly value: Given } | { readonly error: Problem } {
  const problems: { readonly parameter: string; readonly detail: string }[] = [];
  for (const [parameter, values] of given) {
    if (parameter !== 'cursor' && parameter !== 'limit')
      problems.push({ parameter, detail: 'is not a parameter of changes; use cursor, limit' });
    else if (values.length > 1) problems.push({ parameter, detail: 'is given more than once' });
  }
  const limitText = given.get('limit')?.[0] ?? '';
  const limit = limitText === '' ? DEFAULT_LIMIT : /^\d{1,6}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    problems.push({ parameter: 'limit', detail: `must be a whole number from 1 to ${MAX_LIMIT}` });
  const cursor = given.get('cursor')?.[0] ?? '';
  if (cursor.length > MAX_CURSOR_LENGTH)
    problems.push({ parameter: 'cursor', detail: `is longer than ${MAX_CURSOR_LENGTH} characters` });
  if (problems.length === 0) return { value: { cursor: cursor === '' ? null : cursor, limit } };
  const detail = problems.map((one) => `${one.parameter} ${one.detail}`).join('; ');
  return { error: new Problem('bad-parameter', detail, { more: { parameters: problems } }) };
}
