import { type Kysely, type RawBuilder, sql } from 'kysely';

/** The columns of a record, without its id, as the tables hold them. */
const RECORD_IN_ENTRIES = [
  'endpoint',
  'uptime',
  'response_time_ms',
  'figures_claimed',
  'audited',
  'open_source',
  'decision',
];
const RECORD_IN_DETAILS = [
  'name',
  'description',
  'category',
  'tags',
  'transport',
  'protocol',
  'last_updated',
];

/**
 * Notes which records changed in which transaction, so that readers can follow the directory, and processes know when
 * what they remember has become old. Triggers write the notes: no writer can omit them.
 */
export async function noteChangesOfRecords(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table entry_changes (
      changed_in xid8 not null,
      changed_at timestamptz not null,
      removed boolean not null,
      entry_id text collate "C" primary key
    )`.execute(db);
  await sql`create index entry_changes_by_transaction on entry_changes (changed_in, entry_id)`.execute(db);
  await sql`create index entry_changes_by_time on entry_changes (changed_at)`.execute(db);
  // One row: the order of changes, and the transaction since which all removals are known.
  await sql`create table change_feed (id text not null, known_since xid8 not null)`.execute(db);
  await sql`insert into change_feed values (gen_random_uuid()::text, '0')`.execute(db);
  await sql`
    insert into entry_changes (changed_in, changed_at, removed, entry_id)
    select pg_current_xact_id(), last_updated, false, entry_id
    from entries join entry_details on entry_id = id where decision = 'list'`.execute(db);
  await sql`
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
    $$`.execute(db);
  for (const [event, condition] of [
    ['insert', sql`new.decision = 'list'`],
    ['delete', sql`old.decision = 'list'`],
    ['update', sql`'list' in (old.decision, new.decision) and ${isChanged(RECORD_IN_ENTRIES)}`],
  ] as const)
    await sql`
      create trigger ${sql.ref(`record_change_by_${event}`)} after ${sql.raw(event)} on entries
      for each row when (${condition}) execute function note_entry_change()`.execute(db);
  await sql`
    create function note_details_change() returns trigger language plpgsql as $$
      begin
        update entry_changes set changed_in = pg_current_xact_id(), changed_at = clock_timestamp()
        where entry_id = new.entry_id and not removed and changed_in <> pg_current_xact_id();
        return null;
      end
    $$`.execute(db);
  await sql`
    create trigger record_change_by_details after update on entry_details
    for each row when (${isChanged(RECORD_IN_DETAILS)}) execute function note_details_change()`.execute(db);
  // A new listing may change what a search finds in other ways than by the labels of the entry.
  await sql`
    create constraint trigger label_change_by_listing after update on entry_details
    deferrable initially deferred for each row when (${isChanged(['listing'])})
    execute function note_label_change()`.execute(db);
  await noteChangesOfKeys(db);
}

async function noteChangesOfKeys(db: Kysely<unknown>): Promise<void> {
  await noteLastChange(db, 'key', [
    ['keys', 'delete', sql`true`],
    ['keys', 'update', isChanged(['hash', 'scopes', 'expires_at', 'revoked_at'])],
  ]);
}

/** Notes the last change of what the gateway needs to call a target, so that processes can remember it. */
export async function noteChangesOfTargets(db: Kysely<unknown>): Promise<void> {
  await noteLastChange(db, 'target', [
    ['entries', 'delete', sql`true`],
    ['entries', 'update', isChanged(['decision', 'endpoint'])],
    ['entry_details', 'update', isChanged(['listing'])],
    ['capabilities', 'insert', sql`true`],
    ['capabilities', 'update', isChanged(['endpoint', 'body', 'read_at'])],
  ]);
}

type Noted = readonly [table: string, event: 'insert' | 'update' | 'delete', condition: RawBuilder<unknown>];

/** Written at the end of a transaction, because other writers wait for it until then. */
async function noteLastChange(db: Kysely<unknown>, of: string, noted: readonly Noted[]): Promise<void> {
  const [table, note] = [sql.table(`last_${of}_change`), sql.ref(`note_${of}_change`)];
  await sql`create table ${table} (transaction_id xid8 not null)`.execute(db);
  await sql`insert into ${table} values (pg_current_xact_id())`.execute(db);
  await sql`
    create function ${note}() returns trigger language plpgsql as $$
      begin
        update ${table} set transaction_id = pg_current_xact_id()
        where transaction_id <> pg_current_xact_id();
        return null;
      end
    $$`.execute(db);
  for (const [changed, event, condition] of noted)
    await sql`
      create constraint trigger ${sql.ref(`${of}_change_by_${event}`)}
      after ${sql.raw(event)} on ${sql.table(changed)}
      deferrable initially deferred for each row when (${condition}) execute function ${note}()`.execute(db);
}

function isChanged(columns: readonly string[]) {
  const valuesOf = (row: string) => sql`(${sql.join(columns.map((column) => sql.ref(`${row}.${column}`)))})`;
  return sql`${valuesOf('old')} is distinct from ${valuesOf('new')}`;
}
