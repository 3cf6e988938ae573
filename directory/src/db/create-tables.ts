// The tables, as SQL. Their types for queries are in `tables.ts`.

import { ENTRIES } from './entry-tables.ts';

/**
 * Observations are deleted by dropping the tables of whole days, which leaves nothing to vacuum. There are no foreign
 * keys to entries: rows of a number that no entry has are never read, and go with their day.
 */
const OBSERVATIONS = `
  create table observations (
    at timestamptz not null,
    target_no bigint not null,
    duration_us integer,
    up boolean,
    operation text not null,
    source text not null
  ) partition by range (at);
  create index observations_by_target on observations (target_no, at);
  -- The rows are in the order of their time, more or less, so that an index of a few kilobytes finds an hour.
  create index observations_by_time on observations using brin (at);
  -- For each of the 24 hours of a day (UTC) that are closed, the time in which a target was up, and down.
  create table observed_days (
    target_no bigint not null,
    day integer not null,
    up_ms integer[] not null,
    down_ms integer[] not null,
    primary key (target_no, day)
  ) partition by range (day);
  -- The durations of the successful calls in the closed hours of a day (UTC).
  create table observed_times (
    target_no bigint not null,
    day integer not null,
    operation text not null,
    through_gateway boolean not null,
    times_us integer[] not null,
    primary key (target_no, day, operation, through_gateway)
  ) partition by range (day);
  -- For days whose table was not made in advance.
  create table observations_other partition of observations default;
  create table observed_days_other partition of observed_days default;
  create table observed_times_other partition of observed_times default;
  create table closed_hours (until_hour integer not null);
  insert into closed_hours values (0);`;

const CALLERS = `
  create table keys (
    id text primary key,
    name text not null,
    hash bytea not null,
    scopes text[] not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  create table sessions (
    hash bytea primary key,
    key_id text not null references keys on delete cascade,
    expires_at timestamptz not null
  );
  create index sessions_by_key on sessions (key_id);
  create index sessions_by_expiry on sessions (expires_at);
  -- Unlogged, because every request writes a count and the counts need not survive a crash. Windows are numbered since
  -- 1970.
  create unlogged table rate_limits (
    subject text primary key,
    window_number bigint not null,
    used integer not null
  );
  create table idempotent_calls (
    key_id text not null references keys on delete cascade,
    idempotency_key text not null,
    request_hash text not null,
    started_at timestamptz not null default now(),
    status integer,
    body text,
    content_type text,
    primary key (key_id, idempotency_key)
  );
  create index idempotent_calls_by_time on idempotent_calls (started_at);`;

/** What operators did. Nothing refers to an entry, whose lines stay when it is removed. */
const OPERATORS = `
  create table operator_log (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    -- A key or a user may have any name, so the name tells nothing about who decided.
    author_kind text not null check (author_kind in ('operator', 'policy', 'registry', 'directory')),
    operator text not null,
    action text not null,
    entry_id text collate "C",
    reason text,
    public_reason text,
    -- Why it is paused, for everybody.
    pause_reason text,
    until timestamptz,
    details text
  );
  create index operator_log_by_entry on operator_log (entry_id, id);
  -- One row, or none: the policy of the operator, as JSON.
  create table policies (only_one boolean primary key default true check (only_one), body text not null);`;

/** An entry may be removed later, so nothing refers to it. */
const AUDITS = `
  create table audits (
    id text collate "C" primary key,
    tier text not null check (tier in ('health', 'contract', 'full')),
    selection text not null,
    entries integer not null,
    state text not null check (state in ('running', 'interrupted', 'ended', 'frozen')),
    reason text,
    started_at timestamptz not null default now(),
    ended_at timestamptz
  );
  create table audit_outcomes (
    audit_id text collate "C" not null references audits on delete cascade,
    entry_id text collate "C" not null,
    -- Of the entry among those of its host.
    place integer not null,
    tries integer not null default 0,
    is_queued boolean not null default false,
    -- What a crowded host puts off waits here until a time, so that it takes no room in the queue.
    not_before timestamptz not null default '-infinity',
    put_off integer not null default 0,
    -- Null: it waits.
    outcome text check (outcome in ('up', 'down', 'refused', 'undecided', 'gone', 'paused')),
    cause text,
    verdict text,
    failed text[] not null default '{}',
    capabilities_digest text,
    is_changed boolean not null default false,
    is_suspect boolean not null default false,
    at timestamptz,
    primary key (audit_id, entry_id)
  );
  create index audit_outcomes_by_entry on audit_outcomes (entry_id);
  create index audit_outcomes_to_queue on audit_outcomes (audit_id, place) where outcome is null and not is_queued;
  create index audit_outcomes_in_queue on audit_outcomes (audit_id) where outcome is null and is_queued;
  create index audit_outcomes_by_time on audit_outcomes (audit_id, at desc) where at is not null;`;

export const TABLES = `${ENTRIES}${OBSERVATIONS}${CALLERS}${OPERATORS}${AUDITS}`;
