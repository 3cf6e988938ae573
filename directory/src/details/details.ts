import {
  capabilitiesForm,
  descriptorsIn,
  type Form,
  type Json,
  type JsonObject,
  type Listing,
  type ListingDecision,
  type ListingRow,
  ownProperty,
  type ServerRecord,
} from 'probity/model';
import type { Service } from '../http/service.ts';
import { holdsMsOf } from '../settings/service-settings.ts';
import type { Entry } from '../store/entries.ts';
import { type OperationTimes, responseTimesOf } from '../store/response-times.ts';
import type { ResultOutline } from '../store/result-outline.ts';
import { type ResultSummary, readHistory, readOutline } from '../store/results.ts';
import { runStartedAt } from '../store/runs.ts';
import { uptimeByDay } from '../store/uptime-by-day.ts';

/** What the details operation tells of a server: the record of a search result, and what stands behind it. */
export interface ServerDetails extends Omit<ServerRecord, 'uptime' | 'responseTime'> {
  /** Null for an entry that is not listed and of which nothing is known. */
  readonly uptime: number | null;
  readonly responseTime: number | null;
  readonly status: 'up' | 'down' | 'unknown';
  /** Whether uptime and responseTime were observed, or are what the listing claims. */
  readonly figures: 'observed' | 'claimed';
  readonly addedAt: string;
  readonly listing: {
    readonly decision: ListingDecision;
    readonly decidedBy: 'checks' | 'operator';
    readonly rows: readonly ListingRow[];
  };
  /** Wire form of the target, once a test has told. */
  readonly form: Form | null;
  /** Function descriptors as the target's last good /capabilities gave them. */
  readonly functions: readonly JsonObject[];
  /** When a test that is under way was begun; null when there is none. */
  readonly testStartedAt: string | null;
  readonly lastResult: LastResult | null;
  /** The newest first. */
  readonly history: readonly ResultSummary[];
  /** Of the successful calls of 7 days, by operation. */
  readonly responseTimes: readonly OperationTimes[];
  /** Of 30 days, the oldest first; uptime is null for a day on which nothing was observed. */
  readonly uptimeByDay: readonly { readonly date: string; readonly uptime: number | null }[];
  /** What the author says besides the record; the name of the target's key is left out. */
  readonly author: Omit<Listing, keyof ServerRecord | 'samples' | 'bearerEnv'>;
}

/** The last test result without what only judging it again needs. */
export type LastResult = ResultSummary & ResultOutline;

const HISTORY_LENGTH = 30;

export async function readDetails(
  { store: { db }, settings }: Pick<Service, 'store' | 'settings'>,
  entry: Entry,
): Promise<ServerDetails> {
  const now = new Date();
  const [history, last, started, responseTimes, byDay] = await Promise.all([
    readHistory(db, entry.id, HISTORY_LENGTH),
    readOutline(db, entry.id),
    runStartedAt(db, entry.id),
    responseTimesOf(db, entry.id, now),
    uptimeByDay(db, entry.id, { now, holdsMs: holdsMsOf(settings) }),
  ]);
  return {
    id: entry.id,
    name: entry.name,
    description: entry.description,
    category: entry.category,
    tags: entry.tags,
    transport: entry.transport,
    uptime: entry.uptime,
    responseTime: entry.response_time_ms,
    lastUpdated: entry.last_updated.toISOString(),
    audited: entry.audited,
    openSource: entry.open_source,
    endpoint: entry.endpoint,
    status: entry.status,
    figures: entry.figures_claimed ? 'claimed' : 'observed',
    addedAt: entry.added_at.toISOString(),
    listing: { decision: entry.decision, decidedBy: entry.decided_by, rows: entry.judgement },
    form: entry.capabilities === null ? null : capabilitiesForm(entry.capabilities as Json, 'auto').form,
    functions: functionsIn(entry.capabilities),
    testStartedAt: started?.toISOString() ?? null,
    lastResult: lastResultOf(history, last),
    history,
    responseTimes,
    uptimeByDay: byDay,
    author: authorOf(entry.listing),
  };
}

/** What can be called: descriptors that have a name, whatever else is wrong with them. */
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

function authorOf(listing: Listing): ServerDetails['author'] {
  const { version, mcpVersion, author, repository, licence, documentation, auditReport, build, deployment } =
    listing;
  const given = {
    version,
    mcpVersion,
    author,
    repository,
    licence,
    documentation,
    auditReport,
    build,
    deployment,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
