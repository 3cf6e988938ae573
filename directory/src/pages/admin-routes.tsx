import type { FastifyInstance, FastifyReply } from 'fastify';
import { writePolicy } from 'probity/service';
import { sharingEndpoint } from '../entries/duplicates.ts';
import { type EntryOverview, type OverviewFilter, readOverviews } from '../entries/entry-overviews.ts';
import { SERVER_ID_PATTERN } from '../entries/entry-record.ts';
import { DecisionError, readDecision } from '../entries/given-decision.ts';
import { decideAsOperator, type OperatorDecision } from '../entries/operator-decisions.ts';
import { readLog } from '../entries/operator-log.ts';
import { readPolicy } from '../entries/policies.ts';
import { badParameters } from '../http/problem.ts';
import { requireKnownEntry, type ServerPath, type Service, serverNotFound } from '../http/service.ts';
import type { GivenParameters } from '../search/search-query.ts';
import { givenOf } from '../settings/policy.ts';
import { LogPage } from './admin-log.tsx';
import { AdminEntryPage, AttentionPage, PolicyPage } from './admin-page.tsx';
import { formOf, redirectTo } from './forms.ts';
import { AFTER_SIGN_IN, sendUncachedPage } from './layout.tsx';
import { operatorOf } from './reader.ts';

const PAGE = 50;
const LOG_PAGE = 100;

const NEEDS_A_LOOK: OverviewFilter = {
  held: true,
  undecided: true,
  duplicates: true,
  lookAlikes: true,
  doubtful: true,
  status: ['down', 'gated', 'paused', 'stale'],
};

/** The pages of the operator, for sessions of keys with the scope `admin`. None is cached. */
export function adminRoutes(pages: FastifyInstance, service: Service): void {
  const { db } = service.store;

  pages.get<{ Querystring: GivenParameters }>('/admin', AFTER_SIGN_IN, async (request, reply) => {
    await operatorOf(service, reply);
    const after = request.query.get('after')?.at(-1) ?? '';
    if (after !== '' && !SERVER_ID_PATTERN.test(after))
      throw badParameters([{ parameter: 'after', detail: 'is not the id of a server' }]);
    const entries: EntryOverview[] = [];
    for await (const entry of readOverviews(db, NEEDS_A_LOOK, after, PAGE + 1)) {
      entries.push(entry);
      if (entries.length > PAGE) break;
    }
    const next = entries.length > PAGE ? (entries[PAGE - 1]?.id ?? null) : null;
    return sendUncachedPage(reply, 200, <AttentionPage entries={entries.slice(0, PAGE)} next={next} />);
  });

  pages.get<{ Querystring: GivenParameters }>('/admin/log', AFTER_SIGN_IN, async (request, reply) => {
    await operatorOf(service, reply);
    const given = request.query.get('before')?.at(-1) ?? null;
    if (given !== null && !/^\d{1,15}$/.test(given))
      throw badParameters([{ parameter: 'before', detail: 'is not the number of an action' }]);
    const before = given === null ? null : Number(given);
    const actions = await readLog(db, { max: LOG_PAGE + 1, before });
    const next = actions.length > LOG_PAGE ? (actions[LOG_PAGE - 1]?.number ?? null) : null;
    return sendUncachedPage(reply, 200, <LogPage actions={actions.slice(0, LOG_PAGE)} next={next} />);
  });

  pages.get('/admin/policy', AFTER_SIGN_IN, async (_request, reply) => {
    await operatorOf(service, reply);
    const text = writePolicy(givenOf(await readPolicy(db)));
    return sendUncachedPage(reply, 200, <PolicyPage text={text} />);
  });

  pages.get<{ Params: ServerPath }>('/admin/servers/:serverId', AFTER_SIGN_IN, async (request, reply) => {
    await operatorOf(service, reply);
    return sendEntry(reply, request.params.serverId, null);
  });

  pages.post<{ Params: ServerPath }>('/admin/servers/:serverId', AFTER_SIGN_IN, async (request, reply) => {
    // Before the session, so that a forged form does not learn whether there is one.
    const form = formOf(request, service.settings);
    const { name: operator } = await operatorOf(service, reply);
    const { serverId } = request.params;
    await requireKnownEntry(service, serverId);
    const decision = decisionIn(form);
    if (typeof decision === 'string') return sendEntry(reply, serverId, decision);
    if ((await decideAsOperator(db, serverId, { ...decision, operator })) === null) throw serverNotFound();
    return redirectTo(reply, `/admin/servers/${serverId}`);
  });

  async function sendEntry(reply: FastifyReply, id: string, problem: string | null): Promise<FastifyReply> {
    const entry = await requireKnownEntry(service, id);
    const actions = await readLog(db, { entryId: id, max: LOG_PAGE });
    const duplicates = await sharingEndpoint(db, entry.endpoint, id);
    const page = <AdminEntryPage entry={entry} actions={actions} duplicates={duplicates} problem={problem} />;
    return sendUncachedPage(reply, problem === null ? 200 : 400, page);
  }
}

/** The decision of a form, or what is wrong with it. */
function decisionIn(form: URLSearchParams): Omit<OperatorDecision, 'operator'> | string {
  const read = (field: string): string => (form.get(field) ?? '').trim();
  const [action, publicReason, end] = [read('action'), read('publicReason'), read('until')];
  try {
    return readDecision({
      action,
      reason: read('reason'),
      ...(publicReason === '' ? {} : { publicReason }),
      // The field is in UTC, and is there for every decision.
      ...(end === '' || action !== 'pause' ? {} : { until: `${end}Z` }),
    });
  } catch (error) {
    if (error instanceof DecisionError) return error.message;
    throw error;
  }
}
