import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { createAudits, putOffEntries } from './audit-tables.ts';
import { boundTexts, indexWordsAgain } from './index-words.ts';
import { noteChangesOfRecords, noteChangesOfTargets } from './note-changes.ts';
import { partitionObservations } from './observation-tables.ts';
import { createTurns } from './turns.ts';

/** In the order of their addition. A released migration never changes. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-entries': {
    up: async (db) => {
      // The columns that searches read are apart from long and often changed ones, so that searches read a third as
      // much. Columns of a fixed width come first, because a filter reads a row up to its column.
      await sql`
        create table entries (
          audited boolean not null,
          open_source boolean not null,
          speaks_http boolean not null,
          speaks_websocket boolean not null,
          figures_claimed boolean not null,
          uptime double precision check (uptime between 0 and 100),
          response_time_ms double precision check (response_time_ms >= 0),
          decision text not null check (decision in ('list', 'hold', 'reject')),
          id text collate "C" primary key,
          id_key text not null generated always as (regexp_replace(upper(id), '[^A-Z0-9]', '_', 'g')) stored,
          sort_name text collate "C" not null,
          category_key text not null,
          tag_keys text[] not null,
          words tsvector not null,
          name_words tsvector not null,
          status text not null check (status in ('up', 'down', 'unknown')),
          endpoint text not null,
          constraint listed_entries_have_figures
            check (decision <> 'list' or (uptime is not null and response_time_ms is not null))
        )`.execute(db);
      // Ids that differ only in case and punctuation look alike, and share the variable for the target's key.
      await sql`create unique index entries_by_id_key on entries (id_key)`.execute(db);
      // Searches find only listed entries, but PostgreSQL never combines two partial indexes, so the first three cover
      // all entries. New rows wait in a list that every search reads. It is short, because the embedded database does
      // not vacuum automatically.
      for (const [name, definition] of Object.entries({
        entries_by_words: sql`using gin (words) with (gin_pending_list_limit = 256)`,
        entries_by_name_words: sql`using gin (name_words) with (gin_pending_list_limit = 256)`,
        entries_by_tag: sql`using gin (tag_keys) with (gin_pending_list_limit = 256)`,
        entries_by_name: sql`(sort_name, id) where decision = 'list'`,
        entries_by_category: sql`(category_key, sort_name, id) where decision = 'list'`,
        entries_by_figures: sql`(audited, open_source, speaks_websocket, speaks_http, uptime, response_time_ms, category_key) where decision = 'list'`,
        entries_by_uptime: sql`(uptime) where decision = 'list'`,
        entries_by_response_time: sql`(response_time_ms) where decision = 'list'`,
      }))
        await sql`create index ${sql.ref(name)} on entries ${definition}`.execute(db);
      await sql`
        create table entry_details (
          entry_id text collate "C" primary key references entries on delete cascade,
          name text not null,
          description text not null,
          category text not null,
          tags text[] not null,
          transport text[] not null,
          listing text not null,
          judgement text not null,
          decided_by text not null check (decided_by in ('checks', 'operator')),
          added_at timestamptz not null,
          last_updated timestamptz not null,
          next_probe_at timestamptz not null,
          next_test_at timestamptz not null
        )`.execute(db);
      await sql`create index entry_details_by_next_probe on entry_details (next_probe_at)`.execute(db);
      await sql`create index entry_details_by_next_test on entry_details (next_test_at)`.execute(db);
      await sql`
        create table capabilities (
          entry_id text collate "C" primary key references entries on delete cascade,
          endpoint text not null,
          body text not null,
          read_at timestamptz
        )`.execute(db);
      await noteChangesOfLabels(db);
    },
  },
  '0002-what-was-observed': {
    up: async (db) => {
      await sql`
        create table results (
          id text primary key,
          entry_id text collate "C" not null references entries on delete cascade,
          started_at timestamptz not null,
          duration_ms double precision not null,
          verdict text not null,
          reachable boolean not null,
          summary text not null,
          decision text not null,
          body bytea,
          outline text
        )`.execute(db);
      await sql`create index results_by_entry on results (entry_id, started_at desc)`.execute(db);
      await sql`
        create table observations (
          entry_id text collate "C" not null references entries on delete cascade,
          at timestamptz not null,
          up boolean,
          operation text not null,
          duration_ms double precision,
          source text not null
        )`.execute(db);
      await sql`create index observations_by_entry on observations (entry_id, at)`.execute(db);
      await sql`create index observations_by_time on observations (at)`.execute(db);
      await sql`
        create table runs (
          entry_id text collate "C" primary key references entries on delete cascade,
          run_id text not null,
          started_at timestamptz not null default now(),
          leased_until timestamptz not null
        )`.execute(db);
    },
  },
  '0003-callers': {
    up: async (db) => {
      await sql`
        create table keys (
          id text primary key,
          name text not null,
          hash bytea not null,
          scopes text[] not null,
          created_at timestamptz not null default now(),
          expires_at timestamptz,
          revoked_at timestamptz,
          last_used_at timestamptz
        )`.execute(db);
      await sql`
        create table sessions (
          hash bytea primary key,
          key_id text not null references keys on delete cascade,
          expires_at timestamptz not null
        )`.execute(db);
      await sql`create index sessions_by_key on sessions (key_id)`.execute(db);
      await sql`create index sessions_by_expiry on sessions (expires_at)`.execute(db);
      // Unlogged, because every request writes a count and the counts need not survive a crash.
      await sql`
        create unlogged table rate_limits (
          subject text primary key,
          window_number bigint not null,
          used integer not null
        )`.execute(db);
      await sql`
        create table idempotent_calls (
          key_id text not null references keys on delete cascade,
          idempotency_key text not null,
          request_hash text not null,
          started_at timestamptz not null default now(),
          status integer,
          body text,
          content_type text,
          primary key (key_id, idempotency_key)
        )`.execute(db);
      await sql`create index idempotent_calls_by_time on idempotent_calls (started_at)`.execute(db);
    },
  },
  '0004-protocol': {
    up: async (db) => {
      await sql`alter table entry_details add column protocol text check (protocol in ('mcp'))`.execute(db);
    },
  },
  '0005-jobs': {
    up: async (db) => {
      // Tests are jobs of pg-boss, which has its own schema.
      await sql`drop table runs`.execute(db);
    },
  },
  '0006-changes': { up: noteChangesOfRecords },
  '0007-folded-words': {
    up: async (db) => {
      await boundTexts(db);
      // Strokes of letters are folded, and words of scripts without spaces are found by their parts.
      await indexWordsAgain(db);
    },
  },
  '0007-operator-decisions': {
    up: async (db) => {
      await sql`
        alter table entry_details add column operator_decision text check (operator_decision in ('hold', 'reject'))`.execute(
        db,
      );
      await sql`
        create table operator_decisions (
          entry_id text collate "C" not null references entries on delete cascade,
          at timestamptz not null default now(),
          decision text not null check (decision in ('hold', 'reject', 'release')),
          reason text not null,
          operator text not null
        )`.execute(db);
      await sql`create index operator_decisions_by_entry on operator_decisions (entry_id, at)`.execute(db);
    },
  },
  '0007-private-inputs': {
    up: async (db) => {
      await sql`
        alter table results add column input_key_id text, add column input_functions text[] not null default '{}'`.execute(
        db,
      );
    },
  },
  '0008-observed-days': { up: partitionObservations },
  '0009-audits': {
    up: async (db) => {
      await createAudits(db);
    },
  },
  '0010-equal-results': {
    up: async (db) => {
      // Null for the results before, which are equal to no other.
      await sql`alter table results add column content bytea`.execute(db);
    },
  },
  '0011-changes-of-targets': { up: noteChangesOfTargets },
  '0012-searches-in-memory': {
    up: async (db) => {
      for (const of of [
        'words',
        'name_words',
        'tag',
        'name',
        'category',
        'figures',
        'uptime',
        'response_time',
      ])
        await sql`drop index ${sql.ref(`entries_by_${of}`)}`.execute(db);
    },
  },
  '0013-turns': {
    up: async (db) => {
      await createTurns(db);
      await putOffEntries(db);
    },
  },
  // What is kept of a result of version 1 is its summary: its rows have other outcomes.
  '0014-results-of-version-2': {
    up: async (db) => {
      await sql`
        update results set body = null, outline = null, summary = (
          (summary::jsonb - 'blocked' - 'inconclusive') || jsonb_build_object('undecided',
            coalesce((summary::jsonb ->> 'blocked')::int, 0) + coalesce((summary::jsonb ->> 'inconclusive')::int, 0))
        )::text`.execute(db);
    },
  },
};

/** The columns that a search can filter by, without figures, which change with every probe. */
const LABELS = [
  'decision',
  'category_key',
  'tag_keys',
  'speaks_http',
  'speaks_websocket',
  'audited',
  'open_source',
  'words',
];

/**
 * Stores the last transaction that changed a label of a listed entry. While it stays the same, so do the totals of all
 * searches without figures. It is written at the end of a transaction, because other writers wait for it until then.
 */
async function noteChangesOfLabels(db: Kysely<unknown>): Promise<void> {
  await sql`create table last_label_change (transaction_id xid8 not null)`.execute(db);
  await sql`insert into last_label_change values (pg_current_xact_id())`.execute(db);
  await sql`
    create function note_label_change() returns trigger language plpgsql as $$
      begin
        update last_label_change set transaction_id = pg_current_xact_id()
        where transaction_id <> pg_current_xact_id();
        return null;
      end
    $$`.execute(db);
  const labelsOf = (row: string) => sql`(${sql.join(LABELS.map((column) => sql.ref(`${row}.${column}`)))})`;
  for (const [event, condition] of [
    ['insert', sql`new.decision = 'list'`],
    ['delete', sql`old.decision = 'list'`],
    [
      'update',
      sql`'list' in (old.decision, new.decision) and ${labelsOf('old')} is distinct from ${labelsOf('new')}`,
    ],
  ] as const)
    await sql`
      create constraint trigger ${sql.ref(`label_change_by_${event}`)} after ${sql.raw(event)} on entries
      deferrable initially deferred for each row when (${condition}) execute function note_label_change()`.execute(
      db,
    );
}

/** Migrates the tables. When several instances start at the same time, one migrates and the others wait. */
export async function migrate<Database>(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
