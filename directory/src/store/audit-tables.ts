import { type Kysely, sql } from 'kysely';

/** Runs over many entries, and what each showed of each entry. An entry may be removed later, so nothing refers to it. */
export async function createAudits(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audits (
      id text collate "C" primary key,
      tier text not null check (tier in ('health', 'contract', 'full')),
      selection text not null,
      entries integer not null,
      state text not null check (state in ('running', 'interrupted', 'ended', 'frozen')),
      reason text,
      started_at timestamptz not null default now(),
      ended_at timestamptz
    )`.execute(db);
  await sql`
    create table audit_outcomes (
      audit_id text collate "C" not null references audits on delete cascade,
      entry_id text collate "C" not null,
      place integer not null,
      tries integer not null default 0,
      is_queued boolean not null default false,
      outcome text check (outcome in ('up', 'down', 'refused', 'undecided', 'gone', 'paused')),
      cause text,
      verdict text,
      failed text[] not null default '{}',
      capabilities_digest text,
      is_changed boolean not null default false,
      is_suspect boolean not null default false,
      at timestamptz,
      primary key (audit_id, entry_id)
    )`.execute(db);
  await sql`create index audit_outcomes_by_entry on audit_outcomes (entry_id)`.execute(db);
  await sql`create index audit_outcomes_to_queue on audit_outcomes (audit_id, place) where outcome is null and not is_queued`.execute(
    db,
  );
  await sql`
    create index audit_outcomes_in_queue on audit_outcomes (audit_id) where outcome is null and is_queued`.execute(
    db,
  );
  await sql`create index audit_outcomes_by_time on audit_outcomes (audit_id, at desc) where at is not null`.execute(
    db,
  );
}

/** What a crowded host puts off waits in the audit until a time, so that it takes no room in the queue. */
export async function putOffEntries(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table audit_outcomes
      add column not_before timestamptz not null default '-infinity',
      add column put_off integer not null default 0`.execute(db);
}
