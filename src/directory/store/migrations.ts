import { type Kysely, type Migration, Migrator, sql } from 'kysely';

/** In the order in which they were added; none is ever changed afterwards. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-entries': {
    up: async (db) => {
      await sql`
        create table entries (
          id text collate "C" primary key,
          name text not null,
          sort_name text collate "C" not null,
          description text not null,
          category text not null,
          category_key text not null,
          tags text[] not null,
          tag_keys text[] not null,
          transport text[] not null,
          speaks_http boolean not null,
          speaks_websocket boolean not null,
          audited boolean not null,
          open_source boolean not null,
          endpoint text not null,
          uptime double precision check (uptime between 0 and 100),
          response_time_ms double precision check (response_time_ms >= 0),
          figures_claimed boolean not null,
          last_updated timestamptz not null,
          words tsvector not null,
          name_words tsvector not null,
          decision text not null check (decision in ('list', 'hold', 'reject')),
          decided_by text not null check (decided_by in ('checks', 'operator')),
          judgement text not null,
          listing text not null,
          status text not null check (status in ('up', 'down', 'unknown')),
          capabilities text,
          capabilities_at timestamptz,
          added_at timestamptz not null,
          next_probe_at timestamptz not null,
          next_test_at timestamptz not null,
          constraint listed_entries_have_figures
            check (decision <> 'list' or (uptime is not null and response_time_ms is not null))
        )`.execute(db);
      // Searches look at listed entries only: each index holds those and no others.
      for (const [name, definition] of Object.entries({
        entries_by_name: sql`(sort_name, id)`,
        entries_by_category: sql`(category_key, sort_name, id)`,
        entries_by_words: sql`using gin (words)`,
        entries_by_tag: sql`using gin (tag_keys)`,
        entries_by_figures: sql`(audited, open_source, speaks_websocket, speaks_http, uptime, response_time_ms, category_key)`,
        entries_by_uptime: sql`(uptime)`,
        entries_by_response_time: sql`(response_time_ms)`,
      }))
        await sql`create index ${sql.ref(name)} on entries ${definition} where decision = 'list'`.execute(db);
      await sql`create index entries_by_next_probe on entries (next_probe_at)`.execute(db);
      await sql`create index entries_by_next_test on entries (next_test_at)`.execute(db);
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
          body bytea
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
      // Counts of a minute need not outlive a crash, and every request writes one.
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
  '0004-what-details-show-of-tests': {
    up: async (db) => {
      await sql`alter table results add column outline text`.execute(db);
      await sql`alter table runs add column started_at timestamptz not null default now()`.execute(db);
    },
  },
  '0005-ids-apart': {
    up: async (db) => {
      // Ids that differ in case and punctuation only look alike, and share the variable that holds a target's key.
      await sql`
        alter table entries add column id_key text
        generated always as (regexp_replace(upper(id), '[^A-Z0-9]', '_', 'g')) stored`.execute(db);
      await sql`create unique index entries_by_id_key on entries (id_key)`.execute(db);
    },
  },
  '0006-sessions': {
    up: async (db) => {
      await sql`
        create table sessions (
          hash bytea primary key,
          key_id text not null references keys on delete cascade,
          expires_at timestamptz not null
        )`.execute(db);
      await sql`create index sessions_by_key on sessions (key_id)`.execute(db);
      await sql`create index sessions_by_expiry on sessions (expires_at)`.execute(db);
    },
  },
};

/** Brings the tables up to date. Several instances may start at the same time: one does it, the others wait. */
export async function migrate<Database>(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
