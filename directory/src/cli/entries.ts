import pLimit from 'p-limit';
import { readAuthorities, say, UsageError } from 'probity/command-line';
import { type Listing, type ListingDecision, type ListingJudgement, visible } from 'probity/model';
import type { Db } from '../db/tables.ts';
import { existingIds, removeEntries } from '../entries/entries.ts';
import { type FetchOptions, judgeUntested } from '../entries/judge-listing.ts';
import { rejectedBefore } from '../entries/operator-decisions.ts';
import { noteActionOnEach } from '../entries/operator-log.ts';
import { readPolicy } from '../entries/policies.ts';
import { putEntries } from '../entries/put-entries.ts';
import type { NewEntry } from '../entries/put-row.ts';
import { shellWord } from '../settings/shell-word.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import { type ListingFlags, readEntryListings } from './entry-listings.ts';
import { reasonsOf } from './list.ts';
import { commandFor, completed, type StoreFlags, withNewStore, withStore } from './store-flags.ts';
import { refuseTaken, warnOfLookAlikes, warnOfRejected } from './taken-ids.ts';

export interface EntryFlags extends StoreFlags, AuthorFlags, ListingFlags {
  readonly ca?: string;
  /** False: do not fetch the documents that listings name. */
  readonly fetch?: boolean;
  readonly json?: boolean;
}

/** Adds all servers of listing files, or none. */
export async function add(files: readonly string[], flags: EntryFlags): Promise<void> {
  await put('add', files, flags, (ids, known) => {
    const existing = ids.filter((id) => known.has(id));
    if (existing.length > 0)
      throw new UsageError(
        `Already in the directory: ${quoted(existing)}. Replace the listings with: ${commandFor(`update ${filesOf(files)}`, flags)}`,
      );
  });
}

/** Replaces the listings of all given servers, or of none. */
export async function update(files: readonly string[], flags: EntryFlags): Promise<void> {
  await put('update', files, flags, (ids, known) => {
    const missing = ids.filter((id) => !known.has(id));
    if (missing.length > 0)
      throw new UsageError(
        `${unknownIds(missing)} Add new servers with: ${commandFor(`add ${filesOf(files)}`, flags)}`,
      );
  });
}

async function put(
  action: 'add' | 'update',
  files: readonly string[],
  flags: EntryFlags,
  refuse: (ids: readonly string[], known: ReadonlySet<string>) => void,
): Promise<void> {
  const listings = await readEntryListings(files, flags);
  if (listings.length === 0) throw new UsageError('The files contain no listings.');
  const ids = listings.map(({ id }) => id);
  const withEntries = action === 'add' ? withNewStore : withStore;
  await withEntries(flags, async ({ db }) => {
    // Check this before the slow fetches.
    const check = async (within: Db): Promise<void> => {
      refuse(ids, await existingIds(within, ids));
      await refuseTaken(within, listings);
    };
    await check(db);
    const options = await fetchOptions(flags);
    const { pace } = await readPolicy(db);
    const limit = pLimit(MAX_CONCURRENT_CHECKS);
    const judged = await Promise.all(
      listings.map((listing) =>
        limit(async () => ({ listing, judgement: await judgeUntested(listing, options, pace) })),
      ),
    );
    const decisions = new Map<string, ListingDecision>();
    const rejected = await rejectedBefore(db, ids);
    await db.transaction().execute(async (transaction) => {
      await check(transaction);
      for (const batch of batchesOf(judged.map(newEntry), BATCH))
        for (const [id, decision] of await putEntries(transaction, batch, new Date()))
          decisions.set(id, decision);
      await noteActionOnEach(transaction, ids, { action, operator: authorOf(flags) });
    });
    await warnOfLookAlikes(db, listings);
    warnOfRejected(rejected, flags);
    printDecisions(
      judged.map((one) => ({ ...one, decision: decisions.get(one.listing.id) ?? one.judgement.decision })),
      flags,
    );
    const { mayRefuseTests } = pace;
    const waits = judged.some(
      ({ listing: { id, tests } }) => decisions.get(id) === 'hold' && (tests !== false || !mayRefuseTests),
    );
    if (waits && flags.json !== true)
      say('A service that runs on this store tests new servers, and lists those that follow the contract.');
  });
}

function filesOf(files: readonly string[]): string {
  return files.map(shellWord).join(' ');
}

const MAX_CONCURRENT_CHECKS = 8;
/** Entries that are written together. */
export const BATCH = 1000;

function* batchesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

interface Judged {
  readonly listing: Listing;
  readonly judgement: ListingJudgement;
}

export function newEntry({ listing, judgement: { decision, rows } }: Judged): NewEntry {
  return { listing, first: { decision, decidedBy: 'checks', rows } };
}

function printDecisions(
  judged: readonly (Judged & { readonly decision: ListingDecision })[],
  flags: EntryFlags,
): void {
  if (flags.json === true) {
    const shown = judged.map(({ listing: { id }, judgement, decision }) => ({ id, ...judgement, decision }));
    process.stdout.write(`${JSON.stringify(shown)}\n`);
    return;
  }
  for (const { listing, judgement, decision } of judged) {
    process.stdout.write(`${listing.id}  ${decision}  ${visible(listing.name)}\n`);
    for (const reason of reasonsOf(decision, judgement.rows)) say(`  ${completed(reason, flags)}`);
  }
}

/** Removes entries and their observations. */
export async function remove(ids: readonly string[], flags: StoreFlags & AuthorFlags): Promise<void> {
  await withStore(flags, async ({ db }) => {
    await db.transaction().execute(async (transaction) => {
      const known = await existingIds(transaction, ids);
      const missing = ids.filter((id) => !known.has(id));
      if (missing.length > 0) throw new UsageError(`${unknownIds(missing)} Nothing was removed.`);
      await removeEntries(transaction, ids);
      await noteActionOnEach(transaction, ids, { action: 'remove', operator: authorOf(flags) });
    });
  });
  say(`Removed: ${ids.join(', ')}.`);
}

function unknownIds(ids: readonly string[]): string {
  return `No server with the id ${quoted(ids)}.`;
}

function quoted(ids: readonly string[]): string {
  const shown = ids
    .slice(0, 10)
    .map((id) => `"${id}"`)
    .join(', ');
  return ids.length > 10 ? `${shown} and ${ids.length - 10} more` : shown;
}

async function fetchOptions({ allowPrivate, ca, fetch }: EntryFlags): Promise<FetchOptions | null> {
  if (fetch === false) return null;
  return { publicOnly: allowPrivate !== true, ca: ca === undefined ? null : await readAuthorities(ca) };
}
