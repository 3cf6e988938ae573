import { sql } from 'kysely';
import type { ListingDecision } from 'probity/model';
import { allRows, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { Policy } from '../settings/policy.ts';
import { inTransaction, lockEntries } from './entries.ts';
import { readPolicy } from './policies.ts';
import {
  isUnchanged,
  KNOWN_COLUMNS,
  type KnownEntry,
  keepKnown,
  type NewEntry,
  type PutRow,
  rowOf,
} from './put-row.ts';
import { putServerDocuments } from './server-documents.ts';

/**
 * Adds entries, or replaces their listings: all of them, or none. With another endpoint, an entry begins anew, and keeps
 * only what the operator decided. With the same one, its observations are kept, and it stays listed until its next test;
 * an identical listing changes nothing. Returns the decision on each entry.
 */
export async function putEntries(
  db: Db,
  entries: readonly NewEntry[],
  now: Date,
): Promise<ReadonlyMap<string, ListingDecision>> {
  const decisions = new Map<string, ListingDecision>();
  if (entries.length === 0) return decisions;
  const given = entries.map(rowOf);
  await inTransaction(db, async (transaction) => {
    const ids = given.map(({ id }) => id);
    // A separate statement: the next one sees everything that was written while this one waited for the lock.
    await lockEntries(transaction, ids);
    const known = await readKnown(transaction, ids);
    const { pace } = await readPolicy(transaction);
    const merged = given.map((row) => ({
      ...keepKnown(row, known.get(row.id)),
      ...paceOf(row, pace),
    }));
    const changed = merged.filter((row) => !isUnchanged(row, known.get(row.id)));
    if (changed.length > 0) await putRows(transaction, changed, now);
    const changedIds = new Set(changed.map(({ id }) => id));
    const listings = entries.map(({ listing }) => listing).filter(({ id }) => changedIds.has(id));
    await putServerDocuments(transaction, listings, now);
    const decided = await allRows<{ id: string; decision: ListingDecision }>(transaction)`
      select id, decision from entries where id = any(${ids}::text[])`;
    for (const { id, decision } of decided) decisions.set(id, decision);
  });
  return decisions;
}

/** How often the author wants the server to be probed and tested, within the bounds of the operator. */
function paceOf({ asked }: PutRow, { probeSeconds, testSeconds, mayRefuseTests }: Policy['pace']) {
  const within = (seconds: number | null, { min, max }: Policy['pace']['probeSeconds']) =>
    seconds === null ? null : 1000 * Math.min(max, Math.max(min, seconds));
  return {
    probe_every_ms: within(asked.probeEvery, probeSeconds),
    test_every_ms: within(asked.testEvery, testSeconds),
    accepts_tests: asked.tests || !mayRefuseTests,
  };
}

/** Reads entries that are locked. */
async function readKnown(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, KnownEntry>> {
  const rows = await db
    .selectFrom('entries')
    .innerJoin('entry_details', 'entry_id', 'id')
    .select(KNOWN_COLUMNS)
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

async function putRows(
  db: Db,
  rows: readonly (PutRow & ReturnType<typeof paceOf>)[],
  now: Date,
): Promise<void> {
  await run(db)`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
        id text, name text, sort_name text, name_key text, description text, category text, category_key text, tags text[],
        tag_keys text[], transport text[], speaks_http boolean, speaks_websocket boolean, audited boolean,
        open_source boolean, endpoint text, uptime double precision, response_time_ms double precision, words text[],
        name_words text[], checks_decision text, decided_by text, judgement text, listing text, protocol text,
        probe_every_ms double precision, test_every_ms double precision, accepts_tests boolean, gate text, keeps_missing boolean
      )
    ), figured as (
      -- Observed figures stay at the same endpoint.
      select given.*, case when keeps then known.uptime else given.uptime end as shown_uptime,
        case when keeps then known.response_time_ms else given.response_time_ms end as shown_time_ms,
        case when keeps then known.observed else 'unknown' end as shown_observed,
        not keeps as figures_claimed, keeps and keeps_missing and known.is_undecided as is_undecided, keeps and known.is_stale as is_stale
      from given left join entries as known on known.id = given.id
      cross join lateral (
        select coalesce(known.endpoint = given.endpoint and not known.figures_claimed, false) as keeps
      ) as kept
    ), moved as (
      select entries.id from entries join given on given.id = entries.id where given.endpoint <> entries.endpoint
    ), deleted_results as (
      delete from results where entry_id in (select id from moved)
    ), put as (
      insert into entries (
        id, endpoint, sort_name, name_key, category_key, tag_keys, speaks_http, speaks_websocket, audited, open_source, uptime,
        response_time_ms, figures_claimed, observed, words, name_words,
        checks_decision, is_undecided, is_stale
      )
      select
        id, endpoint, sort_name, name_key, category_key, tag_keys, speaks_http, speaks_websocket, audited, open_source,
        shown_uptime, shown_time_ms, figures_claimed, shown_observed, words, name_words,
        checks_decision, is_undecided, is_stale
      from figured order by id
      on conflict (id) do update set
        endpoint = excluded.endpoint, sort_name = excluded.sort_name, name_key = excluded.name_key, category_key = excluded.category_key,
        tag_keys = excluded.tag_keys, speaks_http = excluded.speaks_http,
        speaks_websocket = excluded.speaks_websocket, audited = excluded.audited, open_source = excluded.open_source,
        words = excluded.words, name_words = excluded.name_words, checks_decision = excluded.checks_decision,
        uptime = excluded.uptime, response_time_ms = excluded.response_time_ms, observed = excluded.observed,
        figures_claimed = excluded.figures_claimed, is_undecided = excluded.is_undecided,
        is_stale = excluded.is_stale,
        target_no = case when entries.endpoint = excluded.endpoint then entries.target_no else excluded.target_no end
      returning id, decision
    )
    insert into entry_details as details (
      entry_id, name, description, category, tags, transport, protocol, listing, judgement, decided_by, listed_at, added_at,
      last_updated, next_probe_at, next_test_at, probe_every_ms, test_every_ms, accepts_tests
    )
    select
      id, name, description, category, tags, transport, protocol, listing, judgement, decided_by,
      case when decision = 'list' then clock_timestamp() end, ${now}, ${now}, ${now}, ${now}, probe_every_ms, test_every_ms, accepts_tests
    from put join given using (id)
    on conflict (entry_id) do update set
      name = excluded.name, description = excluded.description, category = excluded.category, tags = excluded.tags,
      transport = excluded.transport, protocol = excluded.protocol, listing = excluded.listing, judgement = excluded.judgement,
      decided_by = excluded.decided_by, last_updated = excluded.last_updated,
      next_probe_at = excluded.next_probe_at, next_test_at = excluded.next_test_at,
      probe_every_ms = excluded.probe_every_ms, test_every_ms = excluded.test_every_ms,
      accepts_tests = excluded.accepts_tests,
      (gate, missing, doubt, verdict, coverage, early_tests, tested_at, decided_at, is_test_open) = (
        select case when anew then null else moving.gate end,
          case when anew or not keeps_missing then '[]' else details.missing end,
          case when anew then null else details.doubt end,
          case when anew then null else details.verdict end, case when anew then null else details.coverage end,
          case when anew then 0 else details.early_tests end,
          case when anew then null else details.tested_at end, case when anew then null else details.decided_at end,
          not anew and details.is_test_open
        from (
          select exists (select from moved where moved.id = given.id) as anew, given.gate, given.keeps_missing
          from given where given.id = details.entry_id
        ) as moving
      )`;
}
