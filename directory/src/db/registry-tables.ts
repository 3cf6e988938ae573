/** The tables of the registry API: what it serves, and the registries that are followed. */
const TABLES = `
  -- A registry of others whose servers are listed here too, and how far it was read.
  create table registry_sources (
    url text collate "C" primary key,
    every_ms double precision not null check (every_ms > 0),
    -- Null: it is no longer followed.
    next_at timestamptz,
    -- A pass reads the list to its end: everything, or what was updated since a time.
    pass_started_at timestamptz,
    pass_since timestamptz,
    pass_newest timestamptz,
    pass_pages integer not null default 0,
    -- Where the next page of the pass begins; null: at the first one.
    cursor text,
    -- Everything that was updated before this time, by the clock of the registry, was read.
    read_until timestamptz,
    finished_at timestamptz,
    -- Why the last page could not be read; null: it could.
    problem text,
    -- Servers that are not valid, or whose name belongs to another source, in the last pass.
    refused integer not null default 0,
    last_refusal text,
    -- Versions of servers beyond it are refused.
    max_servers integer not null check (max_servers > 0),
    -- When its last page was asked for, so that registries take turns.
    turn_at timestamptz
  );
  -- One row for each version of a server in the answers of the registry API.
  create table registry_servers (
    -- False: an entry of this directory. Its name is its id, without the namespace, which the operator may change.
    is_followed boolean not null,
    name text collate "C" not null,
    version text collate "C" not null,
    -- The entry whose decision and endpoint say whether it is shown; null: it is a package, which needs none.
    entry_id text collate "C",
    -- Null: an entry of this directory, or imported by the operator.
    source text collate "C",
    -- removed: it was shown.
    state text not null check (state in ('hidden', 'shown', 'removed')),
    status text not null check (status in ('active', 'deprecated', 'deleted')),
    status_message text,
    is_latest boolean not null,
    -- Why its latest version has no entry, although clients are told to connect to it.
    problem text,
    -- What the source says.
    claims_latest boolean not null default true,
    published_at timestamptz(3) not null,
    -- By the clock of this directory.
    updated_at timestamptz(3) not null,
    -- A server.json, as JSON; without name and schema if it is an entry of this directory.
    document text not null,
    -- The only remote in the document of a followed server. Shown only while its entry has this endpoint.
    endpoint text,
    -- Of followed servers.
    is_package boolean not null default false,
    -- Rows are never deleted, so this tells a process which names are new to it.
    created_in xid8 not null default pg_current_xact_id(),
    primary key (is_followed, name, version)
  );
  create unique index registry_servers_own on registry_servers (name) where not is_followed;
  create index registry_servers_shown on registry_servers (is_followed, name, version)
    where state = 'shown' and status <> 'deleted';
  create index registry_servers_latest on registry_servers (is_followed, name, version)
    where state = 'shown' and status <> 'deleted' and is_latest;
  create index registry_servers_by_update on registry_servers (updated_at, is_followed, name, version)
    where state <> 'hidden';
  create index registry_servers_by_entry on registry_servers (entry_id) where entry_id is not null;
  create index registry_servers_by_source on registry_servers (source) where source is not null;
  create index registry_servers_by_creation on registry_servers (created_in);
  -- The last check of a package, which has no entry. It decides nothing.
  create table package_checks (
    name text collate "C" primary key,
    -- When a check was put into the queue, and the MD5 of the document then: once for each, whatever happens to the job.
    queued_at timestamptz not null,
    queued_for text not null,
    -- Null until a check has ended. It holds for the document with this MD5.
    checked_at timestamptz,
    checked_for text,
    verdict text check (verdict in ('pass', 'fail', 'incomplete', 'undecided', 'unchecked')),
    -- Why it is undecided.
    reason text,
    -- The percentage of its functions that gave a result.
    coverage double precision check (coverage between 0 and 100),
    -- JSON, and the whole result as gzipped JSON; null when nothing was run.
    summary text,
    findings text,
    body bytea
  );`;

/**
 * A version of a server is shown while its entry is listed, and has the endpoint of this version. Triggers do it, so that
 * no writer of decisions can omit it.
 */
const STATES = `
  create function registry_shows(servers registry_servers, decision text, endpoint text) returns boolean
    language sql immutable parallel safe as $$
    select decision = 'list'
      and (not servers.is_followed or servers.is_package or coalesce(servers.endpoint = endpoint, false))
  $$;
  create function registry_state(servers registry_servers, decision text, endpoint text) returns text
    language sql immutable parallel safe as $$
    select case
      when registry_shows(servers, decision, endpoint) then 'shown'
      when servers.state = 'hidden' then 'hidden'
      else 'removed'
    end
  $$;
  -- Its plan is kept. One that was made while the table was empty would later read all of it for each entry.
  create function note_registry_state() returns trigger language plpgsql set enable_seqscan = off as $$
    begin
      update registry_servers as servers
      set updated_at = clock_timestamp(), state = registry_state(servers, new.decision, new.endpoint)
      where entry_id = coalesce(new.id, old.id) and state <> registry_state(servers, new.decision, new.endpoint);
      return null;
    end
  $$;
  create trigger registry_state_by_insert after insert on entries
    for each row when (new.decision = 'list') execute function note_registry_state();
  create trigger registry_state_by_delete after delete on entries
    for each row when (old.decision = 'list') execute function note_registry_state();
  create trigger registry_state_by_update after update on entries
    for each row when (old.decision <> new.decision or old.endpoint <> new.endpoint) execute function note_registry_state();
  -- Answers of the registry API are remembered like those of searches. The document of an entry changes only with its
  -- labels, which are noted already.
  create constraint trigger label_change_by_registry after insert or update on registry_servers
    deferrable initially deferred for each row when (new.is_followed) execute function note_label_change();
  create constraint trigger label_change_by_package_check after insert or update or delete on package_checks
    deferrable initially deferred for each row execute function note_label_change();`;

export const REGISTRY = `${TABLES}${STATES}`;
