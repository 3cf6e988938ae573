import { isJsonObject, type JsonObject, type Listing, type ListingDecision } from 'probity/model';
import { allRows, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { duplicatesOf } from '../entries/duplicates.ts';
import { lockEntries } from '../entries/entries.ts';
import { judgeUntested } from '../entries/judge-listing.ts';
import { decideByRegistry, endApproval, withheldByOperator } from '../entries/operator-decisions.ts';
import { readPolicy } from '../entries/policies.ts';
import { putEntries } from '../entries/put-entries.ts';
import type { NewEntry } from '../entries/put-row.ts';
import { idsFor, listingFor } from './entry-of-server.ts';
import { chooseLatest, putVersions, type SourceUrl, type StoreOptions } from './put-versions.ts';
import type { ForeignServer } from './read-page.ts';

export interface StoredServers {
  /** Versions that are new, or changed. */
  readonly changed: number;
  /** Servers whose name belongs to another source, or that are too many. */
  readonly refused: readonly string[];
}

/**
 * Stores versions of servers, in a transaction that holds the lock of the writers, and keeps the entries of those that
 * can be tested in step. Nothing is erased: what a registry deletes is marked, and its entry put on hold.
 */
export async function storeServers(
  db: Db,
  given: readonly ForeignServer[],
  source: SourceUrl,
  options: StoreOptions,
): Promise<StoredServers> {
  const refused: string[] = [];
  const changed = await putVersions(db, given, source, { ...options, refused });
  if (changed.length === 0) return { changed: 0, refused };
  const names = [...new Set(changed)];
  await chooseLatest(db, names, options.now);
  await lockEntries(db, await entriesOf(db, names));
  await keepEntries(db, await readLatest(db, names), { ...options, source });
  return { changed: changed.length, refused };
}

async function entriesOf(db: Db, names: readonly string[]): Promise<readonly string[]> {
  const rows = await allRows<{ id: string }>(db)`
    select distinct entry_id as id from registry_servers
    where is_followed and name = any(${names}::text[]) and entry_id is not null`;
  return rows.map(({ id }) => id);
}

/** Read after the entries are locked. */
interface LatestVersion {
  readonly name: string;
  readonly status: ForeignServer['status'];
  readonly document: JsonObject;
  readonly isPackage: boolean;
  readonly entryId: string | null;
  /** Of the entry; null without one. */
  readonly endpoint: string | null;
  readonly operatorDecision: ListingDecision | null;
}

async function readLatest(db: Db, names: readonly string[]): Promise<readonly LatestVersion[]> {
  const rows = await allRows<Omit<LatestVersion, 'document'> & { readonly document: string }>(db)`
    select latest.name, latest.status, latest.document, latest.is_package as "isPackage",
      owner.entry_id as "entryId", entries.endpoint, entries.operator_decision as "operatorDecision"
    from registry_servers as latest
    left join lateral (
      select entry_id from registry_servers as any_version
      where any_version.is_followed and any_version.name = latest.name and entry_id is not null limit 1
    ) as owner on true
    left join entries on entries.id = owner.entry_id
    where latest.is_followed and latest.is_latest and latest.name = any(${names}::text[]) order by latest.name`;
  return rows.map((row) => {
    const document = JSON.parse(row.document) as unknown;
    return { ...row, document: isJsonObject(document) ? document : {} };
  });
}

async function keepEntries(
  db: Db,
  servers: readonly LatestVersion[],
  { source, publicOnly, now }: Pick<StoreOptions, 'publicOnly' | 'now'> & { readonly source: SourceUrl },
): Promise<void> {
  const taken = await takenIds(db, servers);
  const planned = servers.map((server) => ({ ...server, ...planOf(server, taken, publicOnly) }));
  const duplicates = await refusedDuplicates(
    db,
    planned.flatMap(({ listing }) => listing ?? []),
  );
  const outcomes = planned.map((one) => {
    const other = one.listing === null ? undefined : duplicates.get(one.listing.id);
    return other === undefined
      ? one
      : {
          ...one,
          listing: null,
          problem: `its endpoint is that of ${other}, and the policy refuses duplicates`,
        };
  });
  const { pace } = await readPolicy(db);
  const entries: NewEntry[] = [];
  for (const { listing } of outcomes) {
    if (listing === null) continue;
    const { decision, rows } = await judgeUntested(listing, null, pace);
    entries.push({ listing, first: { decision, decidedBy: 'checks', rows } });
  }
  await linkEntries(db, outcomes, now);
  // The operator may move what they approved, but nobody else may.
  for (const { entryId, listing, endpoint: from, operatorDecision } of outcomes)
    if (
      source !== null &&
      entryId === listing?.id &&
      from !== listing.endpoint &&
      operatorDecision === 'list'
    )
      await endApproval(db, entryId, { url: source, from, to: listing.endpoint });
  await putEntries(db, entries, now);
  for (const { entryId, listing } of outcomes)
    if (entryId !== null)
      await decideByRegistry(db, entryId, source ?? 'the file of the operator', listing === null);
}

interface Plan {
  readonly listing: Listing | null;
  /** Why it is not tested, although clients are told to connect to it. */
  readonly problem: string | null;
}

function planOf(
  { name, status, document, entryId, isPackage }: LatestVersion,
  taken: Map<string, string>,
  publicOnly: boolean,
): Plan {
  const none = { listing: null, problem: null };
  if (isPackage || status === 'deleted') return none;
  // No registry can write over an entry that is not its own.
  const isOwn = entryId !== null && (taken.get(keyOf(entryId)) ?? entryId) === entryId;
  const id = isOwn ? entryId : idsFor(name).find((one) => !taken.has(keyOf(one)));
  if (id === undefined) return { ...none, problem: 'all ids that it may have belong to other entries' };
  taken.set(keyOf(id), id);
  const listing = listingFor(id, document, publicOnly);
  return 'problem' in listing ? { ...none, problem: listing.problem } : { ...none, listing };
}

/** By their keys, the ids that entries have, or had, which a registry has written. */
async function takenIds(db: Db, servers: readonly LatestVersion[]): Promise<Map<string, string>> {
  const ids = servers.flatMap(({ name, entryId }) => [entryId ?? [], idsFor(name)].flat());
  const rows = await allRows<{ id: string }>(db)`
    select id from entries where id_key = any(${ids.map(keyOf)}::text[])
    union select entry_id from registry_servers where is_followed and entry_id = any(${ids}::text[])`;
  return new Map(rows.map(({ id }) => [keyOf(id), id]));
}

/** As the database does it. */
function keyOf(id: string): string {
  return id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

async function refusedDuplicates(db: Db, listings: readonly Listing[]): Promise<ReadonlyMap<string, string>> {
  if (listings.length === 0 || (await readPolicy(db)).duplicates !== 'refuse') return new Map();
  return new Map((await duplicatesOf(db, listings)).map(({ id, known }) => [id, known]));
}

/**
 * Before the entries are written, which then have no second document. A package is shown without an entry; but not one of a
 * server that the operator keeps out, which would come back in this way.
 */
async function linkEntries(db: Db, outcomes: readonly (LatestVersion & Plan)[], now: Date): Promise<void> {
  const withheld = await withheldByOperator(
    db,
    outcomes.flatMap(({ entryId }) => entryId ?? []),
  );
  const rows = outcomes.map(({ name, status, entryId, listing, problem, isPackage }) => ({
    name,
    entry_id: listing?.id ?? entryId,
    problem,
    needs_no_entry: isPackage && status !== 'deleted' && (entryId === null || !withheld.has(entryId)),
  }));
  await run(db)`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given (name text, entry_id text, problem text, needs_no_entry boolean)
    ), wanted as (
      select servers.name, servers.version, given.problem, case when is_free then null else given.entry_id end as entry_id,
        is_free or coalesce(
          given.problem is null and registry_shows(servers, entries.decision, entries.endpoint), false
        ) as is_shown
      from given join registry_servers as servers on servers.is_followed and servers.name = given.name
      left join entries on entries.id = given.entry_id
      cross join lateral (select given.needs_no_entry and servers.is_package as is_free) as free
    )
    update registry_servers as servers set
      entry_id = wanted.entry_id,
      problem = case when is_latest then wanted.problem end,
      updated_at = ${now},
      state = case when is_shown then 'shown' when state = 'hidden' then 'hidden' else 'removed' end
    from wanted
    where servers.is_followed and (servers.name, servers.version) = (wanted.name, wanted.version)`;
}
