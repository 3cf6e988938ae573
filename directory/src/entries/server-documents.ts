import { type Listing, shorten } from 'probity/model';
import { run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** The members of a `server.json` of an entry, without those that the registry API adds: its schema and its name. */
interface EntryDocument {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly remotes: readonly object[];
  readonly repository?: { readonly url: string; readonly source: string };
  readonly websiteUrl?: string;
}

/** What the schema of `server.json` allows. */
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 100;
const MAX_VERSION = 255;
/** `latest` is a word of the API. */
const UNKNOWN_VERSION = '0.0.0';

/** The listing of a server of the Model Context Protocol as a `server.json`. Pure. */
function documentOf({ name, description, version, endpoint, ...listing }: Listing): EntryDocument {
  const isVersion = version !== undefined && version !== '' && version !== 'latest';
  return {
    title: shorten(name, MAX_TITLE),
    description: shorten(description === '' ? name : description, MAX_DESCRIPTION),
    version: isVersion ? version.slice(0, MAX_VERSION) : UNKNOWN_VERSION,
    remotes: [
      {
        type: 'streamable-http',
        url: endpoint,
        ...(listing.bearerEnv === undefined ? {} : { headers: [BEARER] }),
      },
    ],
    ...(listing.repository === undefined ? {} : { repository: repositoryAt(listing.repository) }),
    ...(listing.documentation === undefined ? {} : { websiteUrl: listing.documentation }),
  };
}

/** The key of the directory is not for its callers. */
const BEARER = {
  name: 'Authorization',
  description: 'Bearer and a token for this server',
  isRequired: true,
  isSecret: true,
};

const HOSTS: Readonly<Record<string, string>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
};

function repositoryAt(url: string): NonNullable<EntryDocument['repository']> {
  const { hostname } = new URL(url);
  return { url, source: HOSTS[hostname] ?? hostname };
}

/**
 * Writes the documents of entries for the registry API, in the transaction that stores their listings. Only servers of
 * the Model Context Protocol have one: a client of the registry could not talk to others. An entry that follows a
 * registry has the document of that registry.
 */
export async function putServerDocuments(db: Db, listings: readonly Listing[], now: Date): Promise<void> {
  const rows = listings
    .filter(({ protocol }) => protocol === 'mcp')
    .map((listing) => {
      const document = documentOf(listing);
      return { id: listing.id, version: document.version, document: JSON.stringify(document) };
    });
  const others = listings.filter(({ protocol }) => protocol !== 'mcp').map(({ id }) => id);
  if (others.length > 0)
    await run(db)`
      update registry_servers set updated_at = ${now}, entry_id = null,
        state = case when state = 'hidden' then 'hidden' else 'removed' end
      where not is_followed and name = any(${others}::text[]) and entry_id is not null`;
  if (rows.length === 0) return;
  await run(db)`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given (id text, version text, document text)
    )
    insert into registry_servers as known (
      is_followed, name, version, entry_id, state, status, is_latest, published_at, updated_at, document
    )
    select false, id, given.version, id, case when decision = 'list' then 'shown' else 'hidden' end, 'active', true,
      ${now}, ${now}, given.document
    from given join entries using (id)
    where not exists (select from registry_servers as other where other.entry_id = id and other.is_followed)
    order by id
    on conflict (name) where not is_followed do update set
      version = excluded.version, entry_id = excluded.entry_id, document = excluded.document,
      updated_at = excluded.updated_at,
      state = case when excluded.state = 'hidden' and known.state <> 'hidden' then 'removed' else excluded.state end`;
}
