import type { JsonObject } from '../model/json.ts';
import type { Verdict } from '../model/judgement.ts';
import type { Listing, ListingDecision, ListingRow, ServerRecord } from '../model/listing.ts';
import type { Summary, TestResult } from '../model/report.ts';
import type { Form } from '../model/requirement.ts';
import type { Entry } from './store/entries.ts';
import type { Db } from './store/open-store.ts';

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

export interface ResultSummary {
  readonly id: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly verdict: Verdict;
  readonly reachable: boolean;
  readonly summary: Summary;
  readonly decision: ListingDecision;
}

/** The last test result without what only judging it again needs. */
export type LastResult = ResultSummary &
  Pick<TestResult, 'results' | 'findings' | 'responseTimes' | 'errors' | 'samples' | 'facts' | 'harness'>;

/** Milliseconds; a percentile is given only where there are calls enough for it. */
export interface OperationTimes {
  readonly operation: 'health' | 'capabilities' | 'execute';
  readonly count: number;
  readonly minMs: number;
  readonly p50Ms?: number;
  readonly p90Ms?: number;
  readonly p95Ms?: number;
  readonly p99Ms?: number;
  readonly maxMs: number;
}

export async function readDetails(_db: Db, entry: Entry): Promise<ServerDetails> {
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
    form: null,
    functions: [],
    testStartedAt: null,
    lastResult: null,
    history: [],
    responseTimes: [],
    uptimeByDay: [],
    author: authorOf(entry.listing),
  };
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
