import { type RawBuilder, sql } from 'kysely';
import type { Listing, ListingDecision, ListingRow, ServerDetails, ServerStatus } from 'probity/model';
import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** An entry as an operator looks through them. */
export interface EntryOverview {
  readonly id: string;
  readonly name: string;
  readonly endpoint: string;
  readonly decision: ListingDecision;
  /** Whether it is approved by whom decided, and waits for its figures to be measured. */
  readonly awaitsFigures: boolean;
  readonly decidedBy: ServerDetails['listing']['decidedBy'];
  /** The reason of the operator, while their decision holds. */
  readonly operatorReason: string | null;
  readonly rows: readonly ListingRow[];
  readonly status: ServerStatus;
  /** Why it is undecided. */
  readonly missing: readonly string[];
  /** What the operator does while it asks for a key; null while it does not. */
  readonly gateRemedy: string | null;
  readonly isDoubtful: boolean;
  /** Other entries with the same endpoint, at most a few. */
  readonly duplicates: readonly string[];
  /** Listed entries whose names look like its name, at most a few. */
  readonly lookAlikes: readonly string[];
  readonly uptime: number | null;
  readonly responseTimeMs: number | null;
  /** Whether the two figures are what the author claims. */
  readonly figuresClaimed: boolean;
  readonly lastTestAt: Date | null;
  readonly lastVerdict: string | null;
}

/** Which entries to read: those to which any of these applies; all, if none is set. */
export interface OverviewFilter {
  readonly held?: boolean;
  readonly rejected?: boolean;
  readonly down?: boolean;
  /** Never tested, or not for two days. */
  readonly stale?: boolean;
  /** In one of these states. */
  readonly status?: readonly ServerStatus[];
  /** Listed or not, the checks leave something undecided. */
  readonly undecided?: boolean;
  /** Another entry has the same endpoint. */
  readonly duplicates?: boolean;
  /** Its name looks like that of a listed entry. */
  readonly lookAlikes?: boolean;
  /** A test saw something worse, and another look has to confirm it. */
  readonly doubtful?: boolean;
}

const BATCH = 500;
const MAX_DUPLICATES = 5;

/**
 * The ids of a filter, one select for each property, because an index or a few groups answer each, and nothing answers all
 * at once. Pure.
 */
function selectionsOf(filter: OverviewFilter): readonly RawBuilder<unknown>[] {
  const states = [...(filter.status ?? []), ...(filter.down === true ? ['down'] : [])];
  const entriesWith = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`select id from entries where ${condition}`;
  const selections: readonly (readonly [boolean | undefined, RawBuilder<unknown>])[] = [
    [filter.held, entriesWith(sql`decision = 'hold'`)],
    [filter.rejected, entriesWith(sql`decision = 'reject'`)],
    [states.length > 0, entriesWith(sql`status = any(${states}::text[])`)],
    [filter.undecided, entriesWith(sql`is_undecided and decision <> 'reject'`)],
    [
      filter.undecided,
      entriesWith(sql`decision = 'hold' and operator_decision is null and not awaits_figures`),
    ],
    [filter.doubtful, sql`select entry_id as id from entry_details where doubt is not null`],
    [
      filter.duplicates,
      entriesWith(sql`
        endpoint_key = any(array(select endpoint_key from entries group by endpoint_key having count(*) > 1))`),
    ],
    [
      filter.lookAlikes,
      entriesWith(sql`
        name_key = any(array(
          select name_key from entries where name_key <> '' group by name_key having count(*) > 1
        ))
        and exists (
          select from entries as other
          where other.name_key = entries.name_key and other.decision = 'list' and other.id <> entries.id
        )`),
    ],
    [
      filter.stale,
      entriesWith(sql`not exists (
        select from results where entry_id = entries.id and started_at >= now() - interval '2 days'
      )`),
    ],
  ];
  const wanted = selections.flatMap(([isWanted, ids]) => (isWanted === true ? [ids] : []));
  return wanted.length === 0 ? [sql`select id from entries`] : wanted;
}

/** Yields entries in the order of their ids, and holds only a batch of them in memory. */
export async function* readOverviews(
  db: Db,
  filter: OverviewFilter,
  startAfter = '',
  batch = BATCH,
): AsyncGenerator<EntryOverview> {
  const selections = selectionsOf(filter);
  for (let after = startAfter; ; ) {
    const wanted = selections.map(
      (ids) => sql`(select id from (${ids}) as one where id > ${after} order by id limit ${batch})`,
    );
    const rows = await allRows<
      Omit<EntryOverview, 'rows' | 'missing'> & Record<'judgement' | 'missing', string>
    >(db)`
      with wanted as materialized (
        select id from (${sql.join(wanted, sql` union `)}) as ids order by id limit ${batch}
      )
      select entries.id, details.name, entries.endpoint, entries.decision, entries.awaits_figures as "awaitsFigures",
        details.decided_by as "decidedBy",
        case when operator_decision is null then null else (
          select reason from operator_log
          where entry_id = entries.id and action in ('approve', 'hold', 'reject')
          order by operator_log.id desc limit 1
        ) end as "operatorReason",
        details.judgement, details.missing, details.gate::json ->> 'remedy' as "gateRemedy", entries.status,
        details.doubt is not null as "isDoubtful", shared.ids as duplicates, alike.ids as "lookAlikes", entries.uptime,
        entries.response_time_ms as "responseTimeMs",
        entries.figures_claimed as "figuresClaimed", last.started_at as "lastTestAt", last.verdict as "lastVerdict"
      from wanted join entries using (id) join entry_details as details on details.entry_id = entries.id
      left join lateral (
        select started_at, verdict from results where results.entry_id = entries.id order by started_at desc limit 1
      ) as last on true
      cross join lateral (
        select array(
          select other.id from entries as other
          where other.endpoint_key = entries.endpoint_key and other.id <> entries.id order by other.id limit ${MAX_DUPLICATES}
        ) as ids
      ) as shared
      cross join lateral (
        select array(
          select other.id from entries as other
          where other.name_key = entries.name_key and entries.name_key <> '' and other.decision = 'list'
            and other.id <> entries.id
          order by other.id limit ${MAX_DUPLICATES}
        ) as ids
      ) as alike
      order by entries.id`;
    for (const { judgement, missing, ...row } of rows)
      yield {
        ...row,
        rows: JSON.parse(judgement) as readonly ListingRow[],
        missing: JSON.parse(missing) as readonly string[],
      };
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = last.id;
  }
}

/** Yields the listings of all entries in the order of their ids. */
export async function* readAllListings(db: Db): AsyncGenerator<Listing> {
  for (let after = ''; ; ) {
    const rows = await allRows<{ id: string; listing: string }>(db)`
      select entry_id as id, listing from entry_details
      where entry_id > ${after} order by entry_id limit ${BATCH}`;
    for (const { listing } of rows) yield JSON.parse(listing) as Listing;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
