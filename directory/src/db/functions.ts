// The functions and triggers of the database, with the tables that only they write.

/**
 * Which records changed in which transaction, so that readers can follow the directory, and processes know when what
 * they remember has become old. Triggers write it: no writer can omit it.
 */
export const CHANGES = `
  -- The last change of the record of each entry that is listed or was; removed: it is no longer listed.
  create table entry_changes (
    changed_in xid8 not null,
    changed_at timestamptz not null,
    removed boolean not null,
    entry_id text collate "C" primary key
  );
  create index entry_changes_by_transaction on entry_changes (changed_in, entry_id);
  create index entry_changes_by_time on entry_changes (changed_at);
  -- One row: the order of the changes, and the transaction since which all removals are known.
  create table change_feed (id text not null, known_since xid8 not null);
  insert into change_feed values (gen_random_uuid()::text, '0');
  -- For each statement, because an import adds many. A plan for each row would also be kept from when a table was empty.
  create function note_added_entries() returns trigger language plpgsql as $$
    begin
      insert into entry_changes as known (changed_in, changed_at, removed, entry_id)
      select pg_current_xact_id(), clock_timestamp(), false, id from added where decision = 'list' order by id
      on conflict (entry_id) do update set
        changed_in = excluded.changed_in, changed_at = excluded.changed_at, removed = excluded.removed;
      return null;
    end
  $$;
  create function note_entry_change() returns trigger language plpgsql as $$
    begin
      insert into entry_changes as known (changed_in, changed_at, removed, entry_id)
      values (
        pg_current_xact_id(), clock_timestamp(), tg_op = 'DELETE' or new.decision <> 'list', coalesce(new.id, old.id)
      )
      on conflict (entry_id) do update set
        changed_in = excluded.changed_in, changed_at = excluded.changed_at, removed = excluded.removed
      where known.changed_in <> excluded.changed_in or known.removed <> excluded.removed;
      return null;
    end
  $$;
  create trigger record_change_by_insert after insert on entries referencing new table as added
    for each statement execute function note_added_entries();
  create trigger record_change_by_delete after delete on entries
    for each row when (old.decision = 'list') execute function note_entry_change();
  create trigger record_change_by_update after update on entries
    for each row when ('list' in (old.decision, new.decision) and ${changed(
      'endpoint',
      'uptime',
      'response_time_ms',
      'figures_claimed',
      'audited',
      'open_source',
      'decision',
      'status',
    )}) execute function note_entry_change();
  create function note_details_change() returns trigger language plpgsql as $$
    begin
      update entry_changes set changed_in = pg_current_xact_id(), changed_at = clock_timestamp()
      where entry_id = new.entry_id and not removed and changed_in <> pg_current_xact_id();
      return null;
    end
  $$;
  create trigger record_change_by_details after update on entry_details
    for each row when (${changed(
      'name',
      'description',
      'category',
      'tags',
      'transport',
      'protocol',
      'last_updated',
      'verdict',
      'coverage',
    )}) execute function note_details_change();
  -- The first contract of an entry is no change.
  create trigger record_change_by_contract after insert on contracts
    for each row when (new.worst is not null) execute function note_details_change();
  -- When an entry was listed for the first time, and when its status changed last, for readers of news. What puts a new
  -- entry writes the first itself: another write of each row would double the time of an import.
  create function note_entry_news() returns trigger language plpgsql as $$
    declare
      is_moved boolean := old.target_no <> new.target_no;
      is_changed boolean := old.status <> new.status;
    begin
      update entry_details set
        listed_at = coalesce(listed_at, case when new.decision = 'list' then clock_timestamp() end),
        status_at = case when is_moved then null when is_changed then clock_timestamp() else status_at end,
        status_before = case when is_moved then null when is_changed then old.status else status_before end
      where entry_id = new.id;
      return null;
    end
  $$;
  create trigger entry_news after update on entries
    for each row when (${changed('decision', 'status')}) execute function note_entry_news();
  -- What searches of listed entries find, except by figures, which change with every probe.
  ${lastChange('label', {
    'insert on entries': "new.decision = 'list'",
    'delete on entries': "old.decision = 'list'",
    'update on entries': `'list' in (old.decision, new.decision) and ${changed(
      'decision',
      'category_key',
      'tag_keys',
      'speaks_http',
      'speaks_websocket',
      'audited',
      'open_source',
      'words',
    )}`,
    'update on entry_details': changed('listing'),
  })}
  -- What the gateway needs to call a target.
  ${lastChange('target', {
    'delete on entries': 'true',
    'update on entries': changed('decision', 'endpoint', 'is_paused'),
    'update on entry_details': changed('listing', 'paused_until', 'pause_reason'),
    'insert on capabilities': 'true',
    'update on capabilities': changed('endpoint', 'body', 'read_at'),
  })}
  -- What a process remembers of the keys of callers.
  ${lastChange('key', {
    'delete on keys': 'true',
    'update on keys': changed('hash', 'scopes', 'expires_at', 'revoked_at'),
  })}`;

/** What the index of searches holds of an entry, with `changed_at` of its last change. */
export const SEARCHED_ROWS = `
  create view searched_rows as
    select entries.id, decision,
      case when decision = 'list' then json_build_array(
        sort_name, category_key, tag_keys, words, name_words, category, tags
      )::text end as texts,
      audited, open_source as "openSource", transport, coalesce(protocol, 'endpoints') as protocol, status, verdict, uptime,
      response_time_ms as "responseTimeMs", figures_claimed as "figuresClaimed", coverage,
      floor(extract(epoch from listed_at) * 1000)::double precision as "listedAtMs",
      floor(extract(epoch from status_at) * 1000)::double precision as "statusAtMs",
      floor(extract(epoch from changed_at) * 1000)::double precision as "changedAtMs"
    from entries left join entry_details on entry_details.entry_id = entries.id
    left join entry_changes on entry_changes.entry_id = entries.id;
  -- The rows that changed after a moment, up to a number of them. A function, because its plan is kept: each search calls
  -- it, and mostly there are none, so that planning it again would take 15 times as long as it does. A plan that was made
  -- while the tables were empty must not read all of them later.
  create function searched_rows_since(since pg_snapshot, max integer) returns json stable language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
    begin
      return (
        with changed as materialized (
          select entry_id from entry_changes
          where changed_in >= pg_snapshot_xmin(since) and not pg_visible_in_snapshot(changed_in, since) limit max
        )
        select json_agg(coalesce(row_to_json(searched_rows), json_build_object('id', entry_id, 'texts', null)))
        from changed left join searched_rows on searched_rows.id = entry_id
      );
    end
  $$;`;

/** One function, so that a lease costs one statement. It locks its keys in their order, so that no two wait for each other. */
export const LEASES = `
  create unlogged table target_paces (
    -- In an order in which the keys that begin with a host follow one another.
    key text collate "C" primary key,
    free_at timestamptz not null,
    closed_until timestamptz not null default '-infinity',
    reserved_until timestamptz not null default '-infinity'
  );
  create unlogged table leases (
    key text not null,
    id text not null,
    slots integer not null,
    until timestamptz not null,
    primary key (key, id)
  );
  create index leases_by_id on leases (id);
  create function take_lease(
    wanted text[], lease_id text, wanted_slots integer, max_slots integer, step_ms double precision,
    lasts_ms double precision, patience_ms double precision,
    out kind text, out wait_ms double precision, out is_reserved boolean
  ) language plpgsql as $$
    declare
      present timestamptz;
      begins_at timestamptz;
      closed_at timestamptz;
      reserved_at timestamptz;
      taken integer;
      whole boolean;
      patience interval := patience_ms * interval '1 ms';
    begin
      insert into target_paces (key, free_at) select key, '-infinity' from unnest(wanted) as key order by key collate "C"
      on conflict do nothing;
      perform from target_paces where key = any(wanted) order by key for update;
      present := clock_timestamp();
      -- One that ends at this moment is deleted by its own process.
      delete from leases where (key, id) in (
        select key, id from leases where key = any(wanted) and until < present for update skip locked
      );
      select coalesce(max(sum), 0), coalesce(bool_or(has_whole), false) into taken, whole from (
        select sum(slots), bool_or(slots >= max_slots and max_slots > 1) as has_whole
        from leases where key = any(wanted) and until >= present group by key
      ) as sums;
      select greatest(present, max(free_at)), greatest(present, max(closed_until)), max(reserved_until)
      into begins_at, closed_at, reserved_at from target_paces where key = any(wanted);
      is_reserved := false;
      if closed_at > present + patience then
        kind := 'closed';
        wait_ms := extract(epoch from closed_at - present) * 1000;
        return;
      end if;
      begins_at := greatest(begins_at, closed_at);
      wait_ms := extract(epoch from begins_at - present) * 1000;
      if wait_ms <= patience_ms and taken + wanted_slots <= max_slots
        and (wanted_slots > 1 or reserved_at <= present)
      then
        kind := 'granted';
        update target_paces set free_at = begins_at + step_ms * interval '1 ms' where key = any(wanted);
        insert into leases (key, id, slots, until)
        select key, lease_id, wanted_slots, begins_at + lasts_ms * interval '1 ms' from unnest(wanted) as key;
        return;
      end if;
      kind := 'crowded';
      wait_ms := greatest(wait_ms, patience_ms);
      -- A lease that needs several slots would never find them free while others take single ones. For most of the
      -- time the host stays open to those, also while others wait for all slots.
      if wanted_slots > 1 and not whole and reserved_at <= present - 6 * patience then
        is_reserved := true;
        wait_ms := patience_ms;
        update target_paces set reserved_until = present + 1.5 * patience where key = any(wanted);
      end if;
    end
  $$;`;

/**
 * A table of one row with the last transaction that did one of these changes. It is written at the end of a transaction,
 * because other writers wait for it until then.
 */
function lastChange(of: string, changes: Readonly<Record<string, string>>): string {
  const triggers = Object.entries(changes).map(
    ([event, condition], index) => `
  create constraint trigger ${of}_change_${index} after ${event}
    deferrable initially deferred for each row when (${condition}) execute function note_${of}_change();`,
  );
  return `
  create table last_${of}_change (transaction_id xid8 not null);
  insert into last_${of}_change values (pg_current_xact_id());
  create function note_${of}_change() returns trigger language plpgsql as $$
    begin
      update last_${of}_change set transaction_id = pg_current_xact_id()
      where transaction_id <> pg_current_xact_id();
      return null;
    end
  $$;
  ${triggers.join('')}`;
}

function changed(...columns: readonly string[]): string {
  const valuesOf = (row: string): string => columns.map((column) => `${row}.${column}`).join(', ');
  return `(${valuesOf('old')}) is distinct from (${valuesOf('new')})`;
}
