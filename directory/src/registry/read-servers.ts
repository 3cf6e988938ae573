import { type RawBuilder, sql } from 'kysely';
import type { ListingDecision, ServerDetails } from 'probity/model';
import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { type IndexedName, NameIndex } from './name-index.ts';
import type { PackageVerdict } from './package-checks.ts';
import type { ListQuery, Position } from './registry-query.ts';

/** A version of a server, with what the directory knows of its entry. */
export interface ServerRow {
  readonly isFollowed: boolean;
  /** Without the namespace if it is an entry of this directory. */
  readonly name: string;
  readonly version: string;
  readonly entryId: string | null;
  readonly state: 'shown' | 'removed';
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly statusMessage: string | null;
  readonly isLatest: boolean;
  readonly publishedAt: Date;
  readonly updatedAt: Date;
  readonly document: string;
  /** The address of the registry that it is from; null: an entry of this directory, or imported by the operator. */
  readonly source: string | null;
  /** Of the last test of the entry. */
  readonly verdict: string | null;
  /** A percentage. */
  readonly coverage: number | null;
  /** Of the entry, which is the address that was tested. */
  readonly endpoint: string | null;
  /** Null without an entry. */
  readonly decision: ListingDecision | null;
  /** Of the operator, about the entry. */
  readonly publicReason: string | null;
  readonly entryStatus: ServerDetails['status'] | null;
  readonly uptime: number | null;
  readonly responseTimeMs: number | null;
  readonly figuresClaimed: boolean | null;
  /** Of the check of a package that has this document; null without one. */
  readonly packageVerdict: PackageVerdict | null;
  readonly packageReason: string | null;
  readonly packageCoverage: number | null;
  readonly packageCheckedAt: Date | null;
  /** JSON. */
  readonly packageSummary: string | null;
}

export interface ReadServers {
  readonly rows: readonly ServerRow[];
  /** The last transaction that changed what the rows show, except the figures of their entries. */
  readonly lastChange: string;
}

export interface Registry {
  readonly db: Db;
  readonly namespace: string;
  readonly names: NameIndex;
}

export function registryOf(db: Db, settings: Pick<ServiceSettings, 'namespace' | 'publicUrl'>): Registry {
  const namespace = namespaceOf(settings);
  return { db, namespace, names: new NameIndex(db, namespace) };
}

/** The namespace of the names of entries: what the operator chose, or the host of the directory backwards. Pure. */
function namespaceOf({ namespace, publicUrl }: Pick<ServiceSettings, 'namespace' | 'publicUrl'>): string {
  if (namespace !== null) return namespace;
  const host = publicUrl === null ? '' : new URL(publicUrl).hostname;
  const isName = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(host);
  return isName ? host.split('.').toReversed().join('.') : UNNAMED;
}

/** A directory on a machine without a name of its own. */
const UNNAMED = 'local.directory';

/** A page of the list, and one row more if there is another page. */
export async function readList(registry: Registry, query: ListQuery): Promise<ReadServers> {
  const { search, updatedSince, limit } = query;
  if (search !== null && updatedSince === null) return searchNames(registry, query, search);
  const { db, namespace } = registry;
  const condition = sql`${conditionOf(query, namespace)} and ${
    search === null ? sql`true` : sql`position(${search}::text in lower(${fullName(namespace)})) > 0`
  }`;
  return readRows(db, condition, updatedSince === null ? BY_NAME : BY_UPDATE, limit + 1);
}

const BY_NAME = sql`is_followed, name, version`;
const BY_UPDATE = sql`updated_at, is_followed, name, version`;

/** Each statement reads more names than the one before, because most of those found may be hidden. */
const MORE_NAMES = 8;

async function searchNames(
  { db, namespace, names }: Registry,
  query: ListQuery,
  search: string,
): Promise<ReadServers> {
  const rows: ServerRow[] = [];
  let lastChange: string | null = null;
  let batch: IndexedName[] = [];
  let batchSize = query.limit + 1;
  const readBatch = async (): Promise<void> => {
    const isOne = sql`(is_followed, name) in (select * from unnest(
      ${batch.map(({ isFollowed }) => isFollowed)}::boolean[], ${batch.map(({ name }) => name)}::text[]
    ))`;
    const condition = sql`${conditionOf(query, namespace)} and ${isOne}`;
    const read = await readRows(db, condition, BY_NAME, query.limit + 1 - rows.length);
    rows.push(...read.rows);
    lastChange ??= read.lastChange;
    batch = [];
    batchSize *= MORE_NAMES;
  };
  for await (const name of names.find(search, query.after)) {
    batch.push(name);
    if (batch.length < batchSize) continue;
    await readBatch();
    if (rows.length > query.limit) break;
  }
  if (batch.length > 0 || lastChange === null) await readBatch();
  return { rows, lastChange: lastChange ?? '' };
}

function conditionOf(
  { after, updatedSince, version, includesDeleted }: ListQuery,
  namespace: string,
): RawBuilder<unknown> {
  return sql`${isVisible(includesDeleted)} and ${isNotForeign(namespace)}
    and ${updatedSince === null ? sql`true` : sql`updated_at >= ${updatedSince}`}
    and ${after === null ? sql`true` : isAfter(after)}
    and ${hasVersion(version)}`;
}

function hasVersion(version: string | null): RawBuilder<unknown> {
  if (version === null) return sql`true`;
  return version === 'latest' ? sql`is_latest` : sql`version = ${version}`;
}

function fullName(namespace: string): RawBuilder<unknown> {
  return sql`case when is_followed then name else ${`${namespace}/`}::text || name end`;
}

const MAX_VERSIONS = 1000;

const MAX_NAME_LENGTH = 255;

/** All versions of a server, the newest first, or one of them. */
export async function readVersions(
  { db, namespace }: Registry,
  name: string,
  version: string | null,
  includesDeleted: boolean,
): Promise<ReadServers> {
  if ([name, version ?? ''].some((text) => text.includes('\0') || text.length > MAX_NAME_LENGTH))
    return { rows: [], lastChange: '' };
  const prefix = `${namespace}/`;
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : null;
  return readRows(
    db,
    sql`${isVisible(includesDeleted)} and ${isNotForeign(namespace)}
      and (${own === null ? sql`false` : sql`(not is_followed and name = ${own})`} or (is_followed and name = ${name}))
      and ${hasVersion(version)}`,
    sql`is_followed, published_at desc, version desc`,
    MAX_VERSIONS,
  );
}

function isVisible(includesDeleted: boolean): RawBuilder<unknown> {
  return includesDeleted ? sql`state <> 'hidden'` : sql`state = 'shown' and status <> 'deleted'`;
}

/** A followed registry has no say in the namespace of this directory; the operator may import servers into it. */
function isNotForeign(namespace: string): RawBuilder<unknown> {
  return sql`(source is null or not starts_with(name, ${`${namespace}/`}))`;
}

function isAfter({ updatedAt, isFollowed, name, version }: Position): RawBuilder<unknown> {
  return updatedAt === null
    ? sql`(is_followed, name, version) > (${isFollowed}, ${name}, ${version})`
    : sql`(updated_at, is_followed, name, version) > (${updatedAt}, ${isFollowed}, ${name}, ${version})`;
}

/** One statement, so that all rows are of the same moment. */
async function readRows(
  db: Db,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
): Promise<ReadServers> {
  const rows = await allRows<ServerRow & { readonly lastChange: string }>(db)`
    with page as materialized (
      select * from registry_servers as servers where ${condition} order by ${order} limit ${limit}
    )
    select moment."lastChange", page.is_followed as "isFollowed", page.name, page.version,
      page.entry_id as "entryId", page.state, page.status, page.status_message as "statusMessage",
      page.is_latest as "isLatest", page.published_at as "publishedAt", page.updated_at as "updatedAt", page.document, page.source,
      details.verdict, details.coverage, details.public_reason as "publicReason",
      entries.endpoint, entries.decision, entries.status as "entryStatus", entries.uptime,
      entries.response_time_ms as "responseTimeMs", entries.figures_claimed as "figuresClaimed",
      checks.verdict as "packageVerdict", checks.reason as "packageReason", checks.coverage as "packageCoverage",
      checks.checked_at as "packageCheckedAt", checks.summary as "packageSummary"
    from (select (select transaction_id::text from last_label_change) as "lastChange") as moment
    left join page on true left join entries on entries.id = page.entry_id
    left join entry_details as details on details.entry_id = entries.id
    left join package_checks as checks on page.is_followed and page.is_latest and page.entry_id is null
      and checks.name = page.name and checks.checked_for = md5(page.document)
    order by ${order}`;
  return {
    lastChange: rows[0]?.lastChange ?? '',
    rows: rows.filter(({ name }) => name !== null),
  };
}
