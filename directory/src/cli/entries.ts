import pLimit from 'p-limit';
import { readAuthorities, say, UsageError } from 'probity/command-line';
import { type Listing, type ListingDecision, type ListingJudgement, visible } from 'probity/model';
import type { Db } from '../db/tables.ts';
import { tidyStore } from '../db/tidy.ts';
import { duplicatesOf } from '../entries/duplicates.ts';
import { existingIds, lookAlikes, removeEntries } from '../entries/entries.ts';
import { type FetchOptions, judgeUntested } from '../entries/judge-listing.ts';
import { lookAlikeNames } from '../entries/look-alikes.ts';
import { rejectedBefore } from '../entries/operator-decisions.ts';
import { noteAction, noteActionOnEach } from '../entries/operator-log.ts';
import { readPolicy } from '../entries/policies.ts';
import { type NewEntry, putEntries } from '../entries/put-entries.ts';
import { shellWord } from '../settings/shell-word.ts';
import { type AuthorFlags, authorOf } from './author.ts';
import { checkEntryListings, type ListingFlags, readEntryListings, wholeListings } from './entry-listings.ts';
import { reasonsOf } from './list.ts';
import { commandFor, completed, type StoreFlags, withNewStore, withStore } from './store-flags.ts';

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
      await refuseLookAlikes(within, ids);
      await refuseDuplicates(within, listings);
    };
    await check(db);
    const options = await fetchOptions(flags);
    const limit = pLimit(MAX_CONCURRENT_CHECKS);
    const judged = await Promise.all(
      listings.map((listing) =>
        limit(async () => ({ listing, judgement: await judgeUntested(listing, options) })),
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
  });
}

async function refuseLookAlikes(db: Db, ids: readonly string[]): Promise<void> {
  const found = await lookAlikes(db, ids);
  if (found.length === 0) return;
  const shown = found.slice(0, 10).map(({ id, known }) => `${id} (like ${known})`);
  throw new UsageError(
    `Some ids differ from existing ids only in case and punctuation: ${shown.join(', ')}. Choose other ids.`,
  );
}

/** Only a warning: names are not unique, and an author may have two servers of one name. */
async function warnOfLookAlikes(db: Db, listings: readonly Listing[]): Promise<void> {
  const found = await lookAlikeNames(db, listings);
  for (const { id, known } of found.slice(0, 10))
    say(
      `warning: the name of ${id} looks like that of ${known}, which is listed. Compare them before you approve it.`,
    );
  if (found.length > 10)
    say(`warning: and ${found.length - 10} more; the command list --look-alikes shows all.`);
}

/** Only a warning: who removes an entry removes what was decided about it, and may add it again on purpose. */
function warnOfRejected(rejected: Awaited<ReturnType<typeof rejectedBefore>>, flags: StoreFlags): void {
  for (const { id, at, reason } of rejected.slice(0, 10)) {
    const why = reason === null ? '' : `: ${visible(reason)}`;
    const command = commandFor(`reject ${id} --reason 'as before'`, flags);
    say(
      `warning: an operator rejected ${id} on ${at.toISOString()}, before it was removed${why}. It is now as any new server; reject it again with: ${command}`,
    );
  }
  if (rejected.length > 10) say(`warning: and ${rejected.length - 10} more; the command log names them.`);
}

async function refuseDuplicates(db: Db, listings: readonly Listing[]): Promise<void> {
  if ((await readPolicy(db)).duplicates === 'show') return;
  const found = await duplicatesOf(db, listings);
  if (found.length === 0) return;
  const shown = found.slice(0, 10).map(({ id, known }) => `${id} (like ${known})`);
  throw new UsageError(
    `The policy of this directory refuses a second entry with the same endpoint: ${shown.join(', ')}. Remove one of each pair.`,
  );
}

function filesOf(files: readonly string[]): string {
  return files.map(shellWord).join(' ');
}

const MAX_CONCURRENT_CHECKS = 8;

function* batchesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

interface Judged {
  readonly listing: Listing;
  readonly judgement: ListingJudgement;
}

function newEntry({ listing, judgement: { decision, rows } }: Judged): NewEntry {
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
  if (judged.some(({ listing, decision }) => decision === 'hold' && listing.tests !== false))
    say('A service that runs on this store tests new servers, and lists those that follow the contract.');
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

const BATCH = 1000;

/**
 * Imports a large file of listings. The whole file is checked before anything is written. It is written in batches, so
 * that a service on the same store can answer in between. An interrupted import can be repeated.
 */
export async function importFile(file: string, flags: EntryFlags): Promise<void> {
  const startedAtMs = performance.now();
  const count = await checkEntryListings(file, flags);
  await withNewStore(flags, async (store) => {
    let done = 0;
    let batch: NewEntry[] = [];
    const rejected: Awaited<ReturnType<typeof rejectedBefore>>[number][] = [];
    const write = async (): Promise<void> => {
      await refuseLookAlikes(
        store.db,
        batch.map(({ listing }) => listing.id),
      );
      await refuseDuplicates(
        store.db,
        batch.map(({ listing }) => listing),
      );
      rejected.push(
        ...(await rejectedBefore(
          store.db,
          batch.map(({ listing }) => listing.id),
        )),
      );
      await putEntries(store.db, batch, new Date());
      done += batch.length;
      batch = [];
      if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${count}`);
    };
    for await (const listing of wholeListings(file)) {
      batch.push(await imported(listing, flags));
      if (batch.length === BATCH) await write();
    }
    await write();
    await noteAction(store.db, {
      action: 'import',
      operator: authorOf(flags),
      details: JSON.stringify({ listings: count, listed: flags.listed === true }),
    });
    if (process.stderr.isTTY) process.stderr.write('\r');
    warnOfRejected(rejected, flags);
    await tidyStore(store.db);
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  say(
    `Imported ${count} entries from ${file} in ${seconds.toFixed(1)} s. ${
      flags.listed === true
        ? 'They are listed with your approval until each is tested.'
        : 'Each is listed when it has passed its first test.'
    }`,
  );
}

async function imported(listing: Listing, { listed }: EntryFlags): Promise<NewEntry> {
  if (listed === true) return { listing, first: { decision: 'list', decidedBy: 'operator', rows: [] } };
  return newEntry({ listing, judgement: await judgeUntested(listing, null) });
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
