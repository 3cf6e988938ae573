import { allRows, oneRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { publishable } from './entry-of-server.ts';
import type { ForeignServer } from './read-page.ts';

/** Who says so: null is the operator, whose word counts more than that of a registry. */
export type SourceUrl = string | null;

export interface StoreOptions {
  readonly publicOnly: boolean;
  readonly now: Date;
  /** How many versions of servers the source may have here; null: as many as it wants. */
  readonly maxServers: number | null;
}

/** Stores versions of servers, and returns the name of each that is new, or changed. */
export async function putVersions(
  db: Db,
  given: readonly ForeignServer[],
  source: SourceUrl,
  { publicOnly, now, maxServers, refused }: StoreOptions & { readonly refused: string[] },
): Promise<readonly string[]> {
  const owners = await ownersOf(db, given);
  const own = given.filter(({ name }) => {
    const owner = owners.get(name);
    if (source === null || owner === undefined || owner === source) return true;
    refused.push(`${name}: it belongs to ${owner ?? 'what the operator imported'}`);
    return false;
  });
  const taken = await withinBound(db, own, source, { maxServers, refused });
  const rows = taken.map(({ document: said, publishedAt, ...server }) => {
    const { document, endpoint, isPackage } = publishable(said, publicOnly);
    return {
      name: server.name,
      version: server.version,
      status: server.status,
      status_message: server.statusMessage,
      claims_latest: server.isLatest,
      published_at: publishedAt ?? null,
      document: JSON.stringify(document),
      endpoint,
      is_package: isPackage,
    };
  });
  if (rows.length === 0) return [];
  const changed = await allRows<{ name: string }>(db)`
    insert into registry_servers as known (
      is_followed, name, version, source, state, status, status_message, is_latest, claims_latest, published_at,
      updated_at, document, endpoint, is_package
    )
    select true, name, version, ${source}::text, 'hidden', status, status_message, false, claims_latest,
      coalesce(published_at, ${now}), ${now}, document, endpoint, is_package
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
      name text, version text, status text, status_message text, claims_latest boolean, published_at timestamptz(3),
      document text, endpoint text, is_package boolean
    )
    order by name, version
    on conflict (is_followed, name, version) do update set
      source = excluded.source, status = excluded.status, status_message = excluded.status_message,
      claims_latest = excluded.claims_latest, updated_at = excluded.updated_at, document = excluded.document,
      endpoint = excluded.endpoint, is_package = excluded.is_package
    where (known.source, known.status, known.status_message, known.claims_latest, known.document) is distinct from
      (excluded.source, excluded.status, excluded.status_message, excluded.claims_latest, excluded.document)
    returning name`;
  return changed.map(({ name }) => name);
}

async function ownersOf(db: Db, given: readonly ForeignServer[]): Promise<ReadonlyMap<string, SourceUrl>> {
  const rows = await allRows<{ name: string; source: SourceUrl }>(db)`
    select distinct on (name) name, source from registry_servers
    where is_followed and name = any(${given.map(({ name }) => name)}::text[]) order by name, source nulls first`;
  return new Map(rows.map(({ name, source }) => [name, source]));
}

/** New versions are refused where the source has as many as it may; known ones are still updated, or deleted. */
async function withinBound(
  db: Db,
  given: readonly ForeignServer[],
  source: SourceUrl,
  { maxServers, refused }: Pick<StoreOptions, 'maxServers'> & { readonly refused: string[] },
): Promise<readonly ForeignServer[]> {
  if (maxServers === null || given.length === 0) return given;
  const { count } = await oneRow<{ count: number }>(db)`
    select count(*)::integer as count from registry_servers where source = ${source}::text`;
  let free = maxServers - count;
  if (free >= given.length) return given;
  const known = await allRows<{ name: string; version: string }>(db)`
    select name, version from registry_servers
    where is_followed and (name, version) in (select * from unnest(
      ${given.map(({ name }) => name)}::text[], ${given.map(({ version }) => version)}::text[]
    ))`;
  const isKnown = new Set(known.map(({ name, version }) => `${name} ${version}`));
  return given.filter(({ name, version }) => {
    if (isKnown.has(`${name} ${version}`)) return true;
    free -= 1;
    if (free >= 0) return true;
    refused.push(
      `${name}: ${maxServers} versions of servers are stored of this registry, which is the maximum; take more with probity directory follow ${source} --max-servers NUMBER`,
    );
    return false;
  });
}

/** One version of each name is the latest, whatever the source says of several. */
export async function chooseLatest(db: Db, names: readonly string[], now: Date): Promise<void> {
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
