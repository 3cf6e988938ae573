import type { ColumnType, Generated, Kysely } from 'kysely';
import type { ListingDecision, ListingRow, ServerDetails, Transport } from 'probity/model';

/** Text that contains JSON. Not `jsonb`, which refuses U+0000; answers of servers may contain it. */
export type JsonText<_Value> = string;

/** The columns that searches read. */
export interface EntriesTable {
  id: string;
  /** The server behind the entry: an entry whose endpoint changes gets a new number, and begins without observations. */
  target_no: Generated<number>;
  /** Equal for ids that differ only in case and punctuation. */
  id_key: ColumnType<string, never, never>;
  endpoint: string;
  /** Searches are ordered by it. */
  sort_name: string;
  category_key: string;
  tag_keys: string[];
  speaks_http: boolean;
  speaks_websocket: boolean;
  audited: boolean;
  open_source: boolean;
  /** Percentage, 0 to 100; null until claimed or observed. */
  uptime: number | null;
  response_time_ms: number | null;
  /** Whether the two figures above are claims of the listing, not observed yet. */
  figures_claimed: boolean;
  status: ServerDetails['status'];
  /** Words of name, description and tags, and of the name alone, split by directory/src/entries/words.ts. */
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
  /** Null: the three endpoints of the contract. */
  protocol: 'mcp' | null;
  listing: JsonText<unknown>;
  judgement: JsonText<readonly ListingRow[]>;
  decided_by: ServerDetails['listing']['decidedBy'];
  /** While it is set, no check changes the decision on the entry. */
  operator_decision: ColumnType<'hold' | 'reject' | null, never, 'hold' | 'reject' | null>;
  added_at: Date;
  last_updated: Date;
  next_probe_at: Date;
  next_test_at: Date;
}

/** The last valid answer of a target's /capabilities. */
export interface CapabilitiesTable {
  entry_id: string;
  /** Ignored when it is not the current endpoint of the entry. */
  endpoint: string;
  body: JsonText<unknown>;
  /** Null after the target denied a function that it lists. */
  read_at: Date | null;
}

/** A test result. The body of an old result, and of one that a later one equals, is deleted; its summary is kept. */
export interface ResultsTable {
  id: string;
  entry_id: string;
  started_at: Date;
  duration_ms: number;
  verdict: string;
  reachable: boolean;
  summary: JsonText<unknown>;
  decision: ListingDecision;
  /** The complete result as JSON, gzipped. */
  body: Buffer | null;
  /** The part that the details operation shows: `outlineOf` in checking/keep-result.ts. */
  outline: JsonText<unknown> | null;
  /** A digest of what the result says about its target: equal for equal results. */
  content: Buffer | null;
  /** The key of the caller whose input was used, and the functions it was used for; only this key may see it. */
  input_key_id: string | null;
  input_functions: Generated<string[]>;
}

/** The tables that several files use. For each other table, one file has all statements, in SQL. */
export interface Tables {
  entries: EntriesTable;
  entry_details: EntryDetailsTable;
  capabilities: CapabilitiesTable;
  results: ResultsTable;
}

export type Db = Kysely<Tables>;
