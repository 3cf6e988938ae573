import type { ColumnType, Generated } from 'kysely';
import type { ListingDecision, ListingRow, OperationTimes, ServerDetails, Transport } from 'probity/model';
import type { Scope } from './scopes.ts';

/** Text that holds JSON. Not `jsonb`: what a stranger's server says may hold U+0000, which that type refuses. */
export type JsonText<_Value> = string;

/** What searches look at, in columns of their own. */
export interface EntriesTable {
  id: string;
  /** The same for ids that look alike. */
  id_key: ColumnType<string, never, never>;
  endpoint: string;
  /** What the order of a search goes by. */
  sort_name: string;
  category_key: string;
  tag_keys: string[];
  speaks_http: boolean;
  speaks_websocket: boolean;
  audited: boolean;
  open_source: boolean;
  /** Percentage, 0 to 100; null until it is claimed or observed. */
  uptime: number | null;
  response_time_ms: number | null;
  /** Whether the two figures before are claims of the listing that nothing was observed against yet. */
  figures_claimed: boolean;
  status: ServerDetails['status'];
  /** Words of name, description and tags, and those of the name alone, as directory/src/store/words.ts takes them apart. */
  words: ColumnType<never, never, never>;
  name_words: ColumnType<never, never, never>;
  decision: ListingDecision;
}

/** The rest of an entry: one row for each. */
export interface EntryDetailsTable {
  entry_id: string;
  name: string;
  description: string;
  category: string;
  tags: string[];
  transport: Transport[];
  listing: JsonText<unknown>;
  judgement: JsonText<readonly ListingRow[]>;
  decided_by: ServerDetails['listing']['decidedBy'];
  added_at: Date;
  last_updated: Date;
  next_probe_at: Date;
  next_test_at: Date;
}

/** The last good answer of a target's /capabilities. */
export interface CapabilitiesTable {
  entry_id: string;
  /** Where it was read: of another endpoint than the entry's, it says nothing. */
  endpoint: string;
  body: JsonText<unknown>;
  /** Null once the target denied what it lists. */
  read_at: Date | null;
}

/** One row: the transaction that last changed anything of listed entries that is searched for, but figures. */
export interface LastLabelChangeTable {
  transaction_id: ColumnType<string, never, never>;
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
  /** What the details operation shows of it: directory/src/store/result-outline.ts. */
  outline: JsonText<unknown> | null;
}

/** One call that the directory made to a target. */
export interface ObservationsTable {
  entry_id: string;
  at: Date;
  /** Whether the target was up; null for a call that does not tell. */
  up: boolean | null;
  operation: OperationTimes['operation'];
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
  entry_details: EntryDetailsTable;
  capabilities: CapabilitiesTable;
  last_label_change: LastLabelChangeTable;
  results: ResultsTable;
  observations: ObservationsTable;
  runs: RunsTable;
  keys: KeysTable;
  sessions: SessionsTable;
  rate_limits: RateLimitsTable;
  idempotent_calls: IdempotentCallsTable;
}
