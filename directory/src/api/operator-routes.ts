import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  DecisionError,
  type GivenDecision,
  MAX_REASON_CHARACTERS,
  readDecision,
} from '../entries/given-decision.ts';
import { DECISIONS, decideAsOperator } from '../entries/operator-decisions.ts';
import { AUTHOR_KINDS, type OperatorAction, readLog } from '../entries/operator-log.ts';
import { callerOf } from '../http/authorise.ts';
import { badBody } from '../http/bad-request.ts';
import { badParameters, problemAnswers } from '../http/problem.ts';
import {
  requireKnownEntry,
  type ServerPath,
  type Service,
  serverNotFound,
  serverPath,
} from '../http/service.ts';
import { type GivenPage, MAX_LIMIT, pageParameters } from './page-parameters.ts';

/** Of one entry. */
const MAX_ACTIONS = 200;

const orNull = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });
const text = { type: 'string' };
const reason = { type: 'string', minLength: 1, maxLength: MAX_REASON_CHARACTERS };

const action = {
  type: 'object',
  required: [
    'at',
    'authorKind',
    'operator',
    'action',
    'entryId',
    'reason',
    'publicReason',
    'until',
    'details',
  ],
  properties: {
    at: { type: 'string', format: 'date-time' },
    authorKind: {
      enum: AUTHOR_KINDS,
      description: 'An operator, or what acts for one.',
    },
    operator: { ...text, description: 'Who did it: a user of the command line, or the name of a key.' },
    action: { ...text, description: 'In a word, such as hold or add.' },
    entryId: orNull(text),
    reason: { ...orNull(text), description: 'For operators.' },
    publicReason: { ...orNull(text), description: 'For everybody.' },
    until: orNull({ type: 'string', format: 'date-time' }),
    details: { ...orNull(text), description: 'Further facts, as JSON.' },
  },
} as const;

const decided = {
  type: 'object',
  required: [
    'id',
    'decision',
    'status',
    'awaitsFigures',
    'publicReason',
    'pauseReason',
    'pausedUntil',
    'actions',
  ],
  properties: {
    id: text,
    decision: { enum: ['list', 'hold', 'reject'] },
    status: text,
    awaitsFigures: {
      type: 'boolean',
      description: 'Whether it is approved, and on hold only until its figures were measured.',
    },
    publicReason: { ...orNull(text), description: 'Of the decision.' },
    pauseReason: { ...orNull(text), description: 'Of the pause, for everybody.' },
    pausedUntil: orNull({ type: 'string', format: 'date-time' }),
    actions: { type: 'array', items: action, description: 'What operators did, the newest first.' },
  },
} as const;

/** The decisions of operators, over HTTP. The specification has no such operations. */
export function operatorRoutes(app: FastifyInstance, service: Service): void {
  readDecisionsRoute(app, service);
  decideRoute(app, service);
  logRoute(app, service);
}

/** GET /servers/{serverId}/decisions. */
function readDecisionsRoute(app: FastifyInstance, service: Service): void {
  app.get<{ Params: ServerPath }>(
    '/servers/:serverId/decisions',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listDecisions',
        summary: 'Extension: what operators decided about a server, with the reasons.',
        params: serverPath,
        response: {
          200: { description: 'The decision that holds, and what operators did.', ...decided },
          ...problemAnswers(404),
        },
      },
    },
    async (request, reply) =>
      reply.header('cache-control', 'no-store').send(await decidedAbout(service, request.params.serverId)),
  );
}

/** POST /servers/{serverId}/decisions. */
function decideRoute(app: FastifyInstance, service: Service): void {
  app.post<{ Params: ServerPath; Body: GivenDecision }>(
    '/servers/:serverId/decisions',
    {
      config: {
        scope: 'admin',
        bodyRemedy:
          'Send {"action": "hold", "reason": "…"}; "publicReason", and "until" of a pause, are optional.',
      },
      schema: {
        operationId: 'decide',
        summary: 'Extension: decide about a server as its operator. The same decision again is no error.',
        params: serverPath,
        body: {
          type: 'object',
          additionalProperties: false,
          required: ['action', 'reason'],
          properties: {
            action: { enum: DECISIONS },
            reason: { ...reason, description: 'For operators.' },
            publicReason: { ...reason, description: 'For everybody.' },
            until: {
              type: 'string',
              description:
                'When a pause ends: a time with its zone, such as 2027-12-01T08:00:00Z, or a duration such as 2h.',
            },
          },
        },
        response: {
          200: { description: 'The decision that holds, and what operators did.', ...decided },
          ...problemAnswers(400, 404, 413, 415),
        },
      },
    },
    async (request, reply) => {
      const { serverId } = request.params;
      await requireKnownEntry(service, serverId);
      const decision = decisionIn(request);
      const operator = callerOf(request).name;
      const after = await decideAsOperator(service.store.db, serverId, { ...decision, operator });
      if (after === null) throw serverNotFound();
      return reply.header('cache-control', 'no-store').send(await decidedAbout(service, serverId));
    },
  );
}

function decisionIn(request: FastifyRequest<{ Body: GivenDecision }>): ReturnType<typeof readDecision> {
  try {
    return readDecision(request.body);
  } catch (error) {
    throw error instanceof DecisionError ? badBody(error.message.replace(/\.$/, ''), request) : error;
  }
}

async function decidedAbout(service: Service, id: string): Promise<object> {
  const { db } = service.store;
  const entry = await requireKnownEntry(service, id);
  const actions = await readLog(db, { entryId: id, max: MAX_ACTIONS });
  return {
    id,
    decision: entry.decision,
    status: entry.status,
    awaitsFigures: entry.awaits_figures,
    publicReason: entry.public_reason,
    pauseReason: entry.pause_reason,
    pausedUntil: entry.paused_until?.toISOString() ?? null,
    actions: actions.map(shown),
  };
}

function shown({ at, until, number: _number, ...action_ }: OperatorAction): object {
  return { ...action_, at: at.toISOString(), until: until?.toISOString() ?? null };
}

/** GET /log. */
function logRoute(app: FastifyInstance, { store }: Service): void {
  app.get<{ Querystring: GivenPage }>(
    '/log',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'readLog',
        summary: 'Extension: what operators did, the newest first.',
        querystring: {
          type: 'object',
          properties: {
            cursor: { type: 'string', description: 'From an earlier answer. Without it: the newest.' },
            limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: 100 },
          },
        },
        response: {
          200: {
            description: 'A page of the log.',
            type: 'object',
            required: ['actions', 'cursor'],
            properties: {
              actions: { type: 'array', items: action },
              cursor: { ...orNull(text), description: 'Where older actions begin; null: there are none.' },
            },
          },
          ...problemAnswers(400),
        },
      },
      validatorCompiler: () => pageParameters('the log'),
    },
    async (request, reply) => {
      const { cursor, limit } = request.query;
      if (cursor !== null && !/^\d{1,15}$/.test(cursor))
        throw badParameters([{ parameter: 'cursor', detail: 'is not one that this directory made' }]);
      const before = cursor === null ? null : Number(cursor);
      const actions = await readLog(store.db, { max: limit + 1, before });
      const page = actions.slice(0, limit);
      const last = actions.length > limit ? (page.at(-1)?.number ?? null) : null;
      return reply
        .header('cache-control', 'no-store')
        .send({ actions: page.map(shown), cursor: last === null ? null : String(last) });
    },
  );
}
