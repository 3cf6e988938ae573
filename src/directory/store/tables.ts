import type { ColumnType, Generated } from 'kysely';
import type { ListingDecision, ListingRow } from '../../model/listing.ts';
import type { Transport } from '../../model/report.ts';
import type { Scope } from './scopes.ts';

/** Text that holds JSON. Not `jsonb`: what a stranger's server says may hold U+0000, which that type refuses. */
export type JsonText<_Value> = string;

/** A listed server, with everything that a search looks at in columns of their own. */
export interface EntriesTable {
  id: string;
  /** The same for ids that look alike. */
  id_key: ColumnType<string, never, never>;
  name: string;
  /** What the order of a search goes by. */
  sort_name: string;
  description: string;
  category: string;
  category_key: string;
  tags: string[];
  tag_keys: string[];
  transport: Transport[];
  speaks_http: boolean;
  speaks_websocket: boolean;
  audited: boolean;
  open_source: boolean;
  endpoint: string;
  /** Percentage, 0 to 100; null until it is claimed or observed. */
  uptime: number | null;
  response_time_ms: number | null;
  /** Whether the two figures before are claims of the listing that nothing was observed against yet. */
  figures_claimed: boolean;
  last_updated: Date;
  /** Words of name, description and tags, and those of the name alone, as src/directory/words.ts takes them apart. */
  words: ColumnType<never, never, never>;
  name_words: ColumnType<never, never, never>;
  decision: ListingDecision;
  decided_by: 'checks' | 'operator';
  judgement: JsonText<readonly ListingRow[]>;
  listing: JsonText<unknown>;
  status: 'up' | 'down' | 'unknown';
  /** Body of the last good answer of /capabilities. */
  capabilities: JsonText<unknown> | null;
  capabilities_at: Date | null;
  added_at: Date;
  next_probe_at: Date;
  next_test_at: Date;
}

/** A test result; the body of an old one is let go of, and its summary kept. */
export interface ResultsTable {
  id: string;
  entry_id: string;
  started_at: Date;
  duration_ms: number;
  verdict: string;
  reachable: boolean;
  summary: JsonText<unknown>;
  decision: ListingDecision;
  /** The whole result as JSON, gzipped. */
  body: Buffer | null;
  /** What the details operation shows of it: src/directory/result-outline.ts. */
  outline: JsonText<unknown> | null;
}

/** One call that the directory made to a target. */
export interface ObservationsTable {
  entry_id: string;
  at: Date;
  /** Whether the target was up; null for a call that does not tell. */
  up: boolean | null;
  operation: 'health' | 'capabilities' | 'execute';
  /** Of a successful call. */
  duration_ms: number | null;
  source: 'probe' | 'test' | 'gateway';
}

/** A test that is under way somewhere, for as long as its lease is renewed. */
export interface RunsTable {
  entry_id: string;
  /** Becomes the id of the result. */
  run_id: string;
  started_at: Generated<Date>;
  leased_until: Date;
}

export interface KeysTable {
  id: string;
  name: string;
  /** SHA-256 of the whole key. */
  hash: Buffer;
  scopes: Scope[];
  created_at: Generated<Date>;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/** Somebody who signed in to the pages with a key. */
export interface SessionsTable {
  /** SHA-256 of what the cookie holds. */
  hash: Buffer;
  key_id: string;
  expires_at: Date;
}

export interface RateLimitsTable {
  subject: string;
  /** Number of the window since 1970. */
  window_number: number;
  used: number;
}

/** What came of a call that carried an Idempotency-Key. */
export interface IdempotentCallsTable {
  key_id: string;
  idempotency_key: string;
  request_hash: string;
  started_at: Generated<Date>;
  /** Null while the call is under way, or when its instance died. */
  status: number | null;
  body: string | null;
  content_type: string | null;
}

export interface Tables {
  entries: EntriesTable;
  results: ResultsTable;
  observations: ObservationsTable;
  runs: RunsTable;
  keys: KeysTable;
  sessions: SessionsTable;
  rate_limits: RateLimitsTable;
  idempotent_calls: IdempotentCallsTable;
}
