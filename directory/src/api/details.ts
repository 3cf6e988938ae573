// The folder `api` declares the operations of the platform API, one file for each; the work is in the folders they call.

import type { FastifyInstance } from 'fastify';
import {
  capabilitiesForm,
  descriptorsIn,
  type Json,
  type JsonObject,
  type LastResult,
  type Listing,
  ownProperty,
  type ResultOutline,
  type ResultSummary,
  type ServerDetails,
} from 'probity/model';
import type { Db } from '../db/tables.ts';
import { contractVersions } from '../entries/contracts.ts';
import { recordOf } from '../entries/entry-record.ts';
import { readHistory, readOutline } from '../entries/results.ts';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { problemAnswers } from '../http/problem.ts';
import { requireEntry, type ServerPath, type Service, serverPath } from '../http/service.ts';
import { testStartedAt } from '../jobs/tests.ts';
import { holdsMsOf, type ServiceSettings } from '../settings/settings.ts';
import { responseTimesOf, uptimeByDay } from '../watching/observed-figures.ts';

const HISTORY_LENGTH = 30;
/** Figures up to the present are calculated in steps, so that the ETag of an unchanged entry holds for a while. */
const PRESENT_STEP_MS = 10_000;

/**
 * The answer of the details operation: the record of a search result, and the data behind it. From one snapshot, because a
 * test that ends meanwhile must not show its result beside the decision before it.
 */
export function readDetails(
  { store, settings }: Pick<Service, 'store' | 'settings'>,
  serverId: string,
): Promise<ServerDetails> {
  return store.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((db) => detailsIn(db, serverId, settings));
}

async function detailsIn(
  db: Db,
  serverId: string,
  settings: Pick<ServiceSettings, 'probeEveryMs'>,
): Promise<ServerDetails> {
  const now = new Date(Math.ceil(Date.now() / PRESENT_STEP_MS) * PRESENT_STEP_MS);
  const entry = await requireEntry({ store: { db } }, serverId);
  const history = await readHistory(db, entry.id, HISTORY_LENGTH);
  const last = await readOutline(db, entry.id);
  const started = await testStartedAt(db, entry.id);
  const responseTimes = await responseTimesOf(db, entry.id, now);
  const observed = await uptimeByDay(db, entry.id, {
    now,
    holdsMs: holdsMsOf(settings),
    addedAt: entry.added_at,
  });
  const contracts = await contractVersions(db, entry.id);
  return {
    ...recordOf(entry),
    pauseReason: entry.pause_reason,
    pausedUntil: entry.paused_until?.toISOString() ?? null,
    gate: entry.gate,
    missing: entry.missing,
    doubt: entry.doubt,
    addedAt: entry.added_at.toISOString(),
    listing: {
      decision: entry.decision,
      awaitsFigures: entry.awaits_figures,
      decidedBy: entry.decided_by,
      reason: entry.public_reason,
      rows: entry.judgement,
    },
    form: entry.capabilities === null ? null : capabilitiesForm(entry.capabilities as Json, 'auto').form,
    functions: functionsIn(entry.capabilities),
    testStartedAt: started?.toISOString() ?? null,
    lastResult: lastResultOf(history, last),
    contracts,
    history,
    responseTimes,
    uptimeByDay: observed.days,
    uptimeCoverage: observed.coverage,
    author: authorOf(entry.listing),
  };
}

/** The functions that can be called: all descriptors with a name, even invalid ones. */
function functionsIn(capabilities: unknown): readonly JsonObject[] {
  return descriptorsIn(capabilities as Json)
    .map(({ descriptor }) => descriptor)
    .filter((descriptor) => typeof ownProperty(descriptor, 'name') === 'string');
}

function lastResultOf(
  history: readonly ResultSummary[],
  last: { readonly id: string; readonly outline: string } | null,
): LastResult | null {
  const summary = history.find(({ id }) => id === last?.id);
  if (summary === undefined || last === null) return null;
  return { ...summary, ...(JSON.parse(last.outline) as ResultOutline) };
}

/** All that the author said, except the fields of the record and the name of a variable on the directory's machine. */
function authorOf(listing: Listing): ServerDetails['author'] {
  const said = SAID.filter((field) => listing[field] !== undefined);
  return Object.fromEntries(said.map((field) => [field, listing[field]]));
}

const SAID = [
  'version',
  'mcpVersion',
  'author',
  'repository',
  'licence',
  'documentation',
  'auditReport',
  'build',
  'deployment',
  'samples',
] as const satisfies readonly (keyof Listing)[];

/** GET /servers/{serverId} (specification, section 4.1). */
export function detailsRoute(app: FastifyInstance, service: Service): void {
  app.get<{ Params: ServerPath }>(
    '/servers/:serverId',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getServer',
        summary:
          'Everything that the directory knows about a server: its record, its state and its observations.',
        params: serverPath,
        response: {
          200: { description: 'The server.', $ref: 'ServerDetails#' },
          304: { description: 'The answer that the client has is still valid.', type: 'null' },
          ...problemAnswers(404, 410),
        },
      },
    },
    async (request, reply) => {
      const details = await readDetails(service, request.params.serverId);
      const body = taggedBody(reply.serialize(details) as string);
      return answerRead(reply, body, { type: 'application/json', isPublic: false });
    },
  );
}
