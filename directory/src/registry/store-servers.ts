import { isJsonObject, type JsonObject, type Listing } from 'probity/model';
import { allRows, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { duplicatesOf } from '../entries/duplicates.ts';
import { lockEntries } from '../entries/entries.ts';
import { judgeUntested } from '../entries/judge-listing.ts';
import { decideByRegistry } from '../entries/operator-decisions.ts';
import { readPolicy } from '../entries/policies.ts';
import { type NewEntry, putEntries } from '../entries/put-entries.ts';
import { hasRemotes, idsFor, listingFor } from './entry-of-server.ts';
import type { ForeignServer } from './read-page.ts';

export interface StoredServers {
  /** Versions that are new, or changed. */
  readonly changed: number;
  /** Servers whose name belongs to another source. */
  readonly refused: readonly string[];
}

/** Who says so: null is the operator, whose word counts more than that of a registry. */
type SourceUrl = string | null;

/**
 * Stores versions of servers, in a transaction that holds the lock of the writers, and keeps the entries of those that
 * can be tested in step. Nothing is erased: what a registry deletes is marked, and its entry put on hold.
 */
export async function storeServers(
  db: Db,
  given: readonly ForeignServer[],
  source: SourceUrl,
  { publicOnly, now }: { readonly publicOnly: boolean; readonly now: Date },
): Promise<StoredServers> {
  const owners = await ownersOf(db, given);
  const refused: string[] = [];
  const own = given.filter(({ name }) => {
    const owner = owners.get(name);
    if (source === null || owner === undefined || owner === source) return true;
    refused.push(`${name}: it belongs to ${owner ?? 'what the operator imported'}`);
    return false;
  });
  const changed = await putVersions(db, own, source, now);
  if (changed.length === 0) return { changed: 0, refused };
  const names = [...new Set(changed)];
  await chooseLatest(db, names, now);
  await keepEntries(db, await readLatest(db, names), { source, publicOnly, now });
  return { changed: changed.length, refused };
}

async function ownersOf(db: Db, given: readonly ForeignServer[]): Promise<ReadonlyMap<string, SourceUrl>> {
  const rows = await allRows<{ name: string; source: SourceUrl }>(db)`
    select distinct on (name) name, source from registry_servers
    where is_followed and name = any(${given.map(({ name }) => name)}::text[]) order by name, source nulls first`;
  return new Map(rows.map(({ name, source }) => [name, source]));
}

/** Returns the name of each version that is new, or changed. */
async function putVersions(
  db: Db,
  given: readonly ForeignServer[],
  source: SourceUrl,
  now: Date,
): Promise<readonly string[]> {
  const rows = given.map(({ document, publishedAt, ...server }) => ({
    name: server.name,
    version: server.version,
    status: server.status,
    status_message: server.statusMessage,
    claims_latest: server.isLatest,
    published_at: publishedAt ?? null,
    document: JSON.stringify(document),
  }));
  if (rows.length === 0) return [];
  const changed = await allRows<{ name: string }>(db)`
    insert into registry_servers as known (
      is_followed, name, version, source, state, status, status_message, is_latest, claims_latest, published_at,
      updated_at, document
    )
    select true, name, version, ${source}::text, 'hidden', status, status_message, false, claims_latest,
      coalesce(published_at, ${now}), ${now}, document
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
      name text, version text, status text, status_message text, claims_latest boolean, published_at timestamptz(3),
      document text
    )
    order by name, version
    on conflict (is_followed, name, version) do update set
      source = excluded.source, status = excluded.status, status_message = excluded.status_message,
      claims_latest = excluded.claims_latest, updated_at = excluded.updated_at, document = excluded.document
    where (known.source, known.status, known.status_message, known.claims_latest, known.document) is distinct from
      (excluded.source, excluded.status, excluded.status_message, excluded.claims_latest, excluded.document)
    returning name`;
  return changed.map(({ name }) => name);
}

/** One version of each name is the latest, whatever the source says of several. */
async function chooseLatest(db: Db, names: readonly string[], now: Date): Promise<void> {
  await run(db)`
    with latest as (
      select distinct on (name) name, version from registry_servers where is_followed and name = any(${names}::text[])
      order by name, status = 'deleted', claims_latest desc, published_at desc, version desc
    )
    update registry_servers as servers set is_latest = not servers.is_latest, updated_at = ${now}
    from latest
    where servers.is_followed and servers.name = latest.name
      and servers.is_latest <> (servers.version = latest.version)`;
}

interface LatestVersion {
  readonly name: string;
  readonly status: ForeignServer['status'];
  readonly document: JsonObject;
  readonly entryId: string | null;
}

async function readLatest(db: Db, names: readonly string[]): Promise<readonly LatestVersion[]> {
  const rows = await allRows<Omit<LatestVersion, 'document'> & { readonly document: string }>(db)`
    select name, status, document, (
      select entry_id from registry_servers as any_version
      where any_version.is_followed and any_version.name = latest.name and entry_id is not null limit 1
    ) as "entryId"
    from registry_servers as latest where is_followed and is_latest and name = any(${names}::text[]) order by name`;
  return rows.map((row) => {
    const document = JSON.parse(row.document) as unknown;
    return { ...row, document: isJsonObject(document) ? document : {} };
  });
}

interface Kept {
  readonly source: SourceUrl;
  readonly publicOnly: boolean;
  readonly now: Date;
}

async function keepEntries(
  db: Db,
  servers: readonly LatestVersion[],
  { source, publicOnly, now }: Kept,
): Promise<void> {
  await lockEntries(
    db,
    servers.flatMap(({ entryId }) => entryId ?? []),
  );
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
  const entries: NewEntry[] = [];
  for (const { listing } of outcomes) {
    if (listing === null) continue;
    const { decision, rows } = await judgeUntested(listing, null);
    entries.push({ listing, first: { decision, decidedBy: 'checks', rows } });
  }
  await linkEntries(db, outcomes, now);
  await putEntries(db, entries, now);
  for (const { entryId, listing } of outcomes)
    if (entryId !== null)
      await decideByRegistry(db, entryId, source ?? 'the file of the operator', listing === null);
}

interface Plan {
  readonly listing: Listing | null;
  /** Why it is not tested, although clients are told to connect to it. */
  readonly problem: string | null;
  /** Shown without an entry. */
  readonly isPackage: boolean;
}

function planOf(
  { name, status, document, entryId }: LatestVersion,
  taken: Map<string, string>,
  publicOnly: boolean,
): Plan {
  // A registry may no longer tell the address of what it deleted.
  const isPackage = !hasRemotes(document) && (entryId === null || status !== 'deleted');
  const none = { listing: null, problem: null, isPackage };
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

/** Before the entries are written, which then have no second document. */
async function linkEntries(db: Db, outcomes: readonly (LatestVersion & Plan)[], now: Date): Promise<void> {
  const rows = outcomes.map(({ name, entryId, listing, problem, isPackage }) => ({
    name,
    entry_id: listing?.id ?? entryId,
    problem,
    is_package: isPackage,
  }));
  await run(db)`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given (name text, entry_id text, problem text, is_package boolean)
    ), wanted as (
      select given.*, case
        when is_package or coalesce(decision = 'list' and problem is null, false) then 'shown' else 'hidden'
      end as wanted_state
      from given left join entries on entries.id = given.entry_id
    )
    update registry_servers as servers set
      entry_id = case when is_package then null else wanted.entry_id end,
      problem = case when is_latest then wanted.problem end,
      updated_at = ${now},
      state = case when wanted_state = 'hidden' and state <> 'hidden' then 'removed' else wanted_state end
    from wanted where servers.is_followed and servers.name = wanted.name`;
}
