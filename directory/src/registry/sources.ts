import { sql } from 'kysely';
import { allRows, firstRow, hasRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** A registry that is followed, and how far it was read. */
export interface Source {
  readonly url: string;
  readonly everyMs: number;
  /** Null: it is no longer followed. */
  readonly nextAt: Date | null;
  /** Of the pass that is under way; null without one. */
  readonly passStartedAt: Date | null;
  /** The pass reads only what was updated since then; null: everything. */
  readonly passSince: Date | null;
  readonly passPages: number;
  /** Where the next page of the pass begins; null: at the first one. */
  readonly cursor: string | null;
  readonly finishedAt: Date | null;
  readonly problem: string | null;
  readonly refused: number;
  readonly lastRefusal: string | null;
  /** How many versions of servers are stored of it. */
  readonly maxServers: number;
}

const COLUMNS = sql.raw(`
  url, every_ms as "everyMs", next_at as "nextAt", pass_started_at as "passStartedAt", pass_since as "passSince",
  pass_pages as "passPages", cursor, finished_at as "finishedAt", problem, refused, last_refusal as "lastRefusal",
  max_servers as "maxServers"`);

/** More than the registries of today have. */
export const DEFAULT_MAX_SERVERS = 50_000;

/**
 * Follows a registry from now on. A known one goes on from where it is; where a bound is changed, it is read from its
 * beginning, because some of its servers may have been refused.
 */
export async function followSource(
  db: Db,
  url: string,
  everyMs: number,
  maxServers: number | null = null,
): Promise<void> {
  await run(db)`
    insert into registry_sources as known (url, every_ms, max_servers, next_at)
    values (${url}, ${everyMs}, ${maxServers ?? DEFAULT_MAX_SERVERS}, now())
    on conflict (url) do update set every_ms = excluded.every_ms,
      max_servers = coalesce(${maxServers}::integer, known.max_servers),
      (pass_started_at, cursor, read_until) = (
        select case when not anew then known.pass_started_at end, case when not anew then known.cursor end,
          case when not anew then known.read_until end
        from (select coalesce(${maxServers}::integer <> known.max_servers, false) as anew) as bound
      ),
      next_at = case
        when known.every_ms = excluded.every_ms then coalesce(known.next_at, now())
        else now()
      end`;
}

/** Follows a registry no longer; its servers stay as they are. False: it was not followed. */
export function leaveSource(db: Db, url: string): Promise<boolean> {
  return hasRow(db)`
    update registry_sources set next_at = null where url = ${url} and next_at is not null returning url`;
}

export function readSources(db: Db) {
  return allRows<Source & { readonly servers: number }>(db)`
    select ${COLUMNS}, (
      select count(*)::integer from registry_servers where source = url and is_latest and status <> 'deleted'
    ) as servers
    from registry_sources order by url`;
}

/** The source whose last page was read longest ago, so that a long list keeps no others waiting; null: none is due. */
export function dueSource(db: Db): Promise<Source | null> {
  return firstRow<Source>(db)`
    select ${COLUMNS} from registry_sources where next_at <= now() order by turn_at nulls first, next_at limit 1`;
}

/** Updates may be committed by the registry later than they say, so a pass begins before the end of the last one. */
const OVERLAP_MINUTES = 10;

/** Begins a pass, unless one is under way, and a turn. */
export function beginPass(db: Db, url: string): Promise<Source | null> {
  return firstRow<Source>(db)`
    update registry_sources set turn_at = clock_timestamp(),
      pass_started_at = coalesce(pass_started_at, now()),
      pass_since = case
        when pass_started_at is null then read_until - ${OVERLAP_MINUTES}::integer * interval '1 minute'
        else pass_since
      end,
      pass_newest = case when pass_started_at is null then null else pass_newest end,
      pass_pages = case when pass_started_at is null then 0 else pass_pages end,
      refused = case when pass_started_at is null then 0 else refused end,
      last_refusal = case when pass_started_at is null then null else last_refusal end
    where url = ${url} returning ${COLUMNS}`;
}

/**
 * Locks a source in the transaction that stores a page; false when another process stored this page, or began anew. All
 * writers of servers of registries wait for each other, because they may write the same names.
 */
export async function lockPage(db: Db, { url, passStartedAt, cursor }: Source): Promise<boolean> {
  await run(db)`select pg_advisory_xact_lock(${WRITERS_LOCK}::bigint)`;
  return hasRow(db)`
    select from registry_sources where url = ${url} and cursor is not distinct from ${cursor}::text
      and date_trunc('milliseconds', pass_started_at) = ${passStartedAt} for update`;
}

const WRITERS_LOCK = 7_716_803;

/** For writers of servers that no registry has. */
export async function lockWriters(db: Db): Promise<void> {
  await run(db)`select pg_advisory_xact_lock(${WRITERS_LOCK}::bigint)`;
}

export interface PageEnd {
  readonly nextCursor: string | null;
  /** The latest time of an update on the page. */
  readonly newest: Date | null;
  readonly refused: readonly string[];
}

/** Notes where the next page begins, in the transaction that stores the page before it; or ends the pass. */
export async function endPage(db: Db, url: string, { nextCursor, newest, refused }: PageEnd): Promise<void> {
  await run(db)`
    update registry_sources set cursor = ${nextCursor}, pass_pages = pass_pages + 1, problem = null,
      pass_newest = greatest(pass_newest, ${newest}::timestamptz), refused = refused + ${refused.length}::integer,
      last_refusal = coalesce(${refused.at(-1) ?? null}::text, last_refusal)
    where url = ${url}`;
  if (nextCursor !== null) return;
  // A time in the future would hide all updates until then.
  await run(db)`
    update registry_sources set read_until = greatest(read_until, least(pass_newest, pass_started_at)),
      pass_started_at = null, pass_since = null, finished_at = now(),
      next_at = case when next_at is null then null else now() + every_ms * interval '1 millisecond' end
    where url = ${url}`;
}

const RETRY_MS = 5 * 60_000;

/** Notes why a page could not be read. It is read again later; or, if the whole pass is of no use, everything of it. */
export async function notePageProblem(
  db: Db,
  { url, cursor }: Source,
  problem: string,
  endsPass: boolean,
): Promise<void> {
  await run(db)`
    update registry_sources set problem = ${problem},
      next_at = case
        when next_at is null then null
        else now() + least(every_ms, ${RETRY_MS}::double precision) * interval '1 millisecond'
      end,
      pass_started_at = case when ${endsPass} then null else pass_started_at end,
      cursor = case when ${endsPass} then null else cursor end
    where url = ${url} and cursor is not distinct from ${cursor}::text`;
}
