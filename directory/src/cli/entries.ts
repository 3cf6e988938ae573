import pLimit from 'p-limit';
import { readAuthorities, say, UsageError } from 'probity/command-line';
import { type Listing, type ListingJudgement, type ListingRow, visible } from 'probity/model';
import { type FirstLook, judgeUntested } from '../listings/add-entries.ts';
import { existingIds, lookAlikes, type NewEntry, putEntries, removeEntries } from '../store/entries.ts';
import type { Db } from '../store/open-store.ts';
import { tidyStore } from '../store/tidy.ts';
import { checkEntryListings, type ListingFlags, readEntryListings, wholeListings } from './entry-listings.ts';
import { type StoreFlags, withStore } from './store-flags.ts';

export interface EntryFlags extends StoreFlags, ListingFlags {
  readonly ca?: string;
  /** False where nothing that listings name is to be fetched. */
  readonly fetch?: boolean;
  readonly json?: boolean;
}

export interface ImportFlags extends EntryFlags {
  /** On the operator's word, before a test has said anything. */
  readonly listed?: boolean;
}

/** Adds the servers of listing files: all of them, or none. */
export async function add(files: readonly string[], flags: EntryFlags): Promise<void> {
  await put(files, flags, (ids, known) => {
    const there = ids.filter((id) => known.has(id));
    if (there.length > 0)
      throw new UsageError(
        `The directory has ${named(there)} already. Put a new listing in its place with: probity directory update FILE`,
      );
  });
}

/** Puts new listings in the place of those that are there: of all of them, or of none. */
export async function update(files: readonly string[], flags: EntryFlags): Promise<void> {
  await put(files, flags, (ids, known) => {
    const absent = ids.filter((id) => !known.has(id));
    if (absent.length > 0)
      throw new UsageError(
        `The directory has no ${named(absent)}. Add what is new with: probity directory add FILE`,
      );
  });
}

async function put(
  files: readonly string[],
  flags: EntryFlags,
  refuse: (ids: readonly string[], known: ReadonlySet<string>) => void,
): Promise<void> {
  const listings = await readEntryListings(files, flags);
  if (listings.length === 0) throw new UsageError('There is no listing in what was given.');
  const ids = listings.map(({ id }) => id);
  await withStore(flags, async ({ db }) => {
    // Before anything is fetched for nothing.
    refuse(ids, await existingIds(db, ids));
    await refuseLookAlikes(db, ids);
    const look = await firstLook(flags);
    const limit = pLimit(LOOKS_AT_ONCE);
    const judged = await Promise.all(
      listings.map((listing) =>
        limit(async () => ({ listing, judgement: await judgeUntested(listing, look) })),
      ),
    );
    await db.transaction().execute(async (transaction) => {
      refuse(ids, await existingIds(transaction, ids));
      await refuseLookAlikes(transaction, ids);
      for (const batch of batchesOf(judged.map(newEntry), BATCH))
        await putEntries(transaction, batch, new Date());
    });
    printDecisions(judged, flags);
  });
}

async function refuseLookAlikes(db: Db, ids: readonly string[]): Promise<void> {
  const found = await lookAlikes(db, ids);
  if (found.length === 0) return;
  const shown = found.slice(0, 10).map(({ id, known }) => `${id} (like ${known})`);
  throw new UsageError(
    `The directory has servers whose ids differ in case and punctuation only: ${shown.join(', ')}. Choose other ids.`,
  );
}

const LOOKS_AT_ONCE = 8;

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

function printDecisions(judged: readonly Judged[], { json }: EntryFlags): void {
  if (json === true) {
    const shown = judged.map(({ listing: { id }, judgement }) => ({ id, ...judgement }));
    process.stdout.write(`${JSON.stringify(shown)}\n`);
    return;
  }
  for (const { listing, judgement } of judged) {
    process.stdout.write(`${listing.id}  ${judgement.decision}  ${visible(listing.name)}\n`);
    for (const lack of judgement.rows.flatMap(lacksOf)) say(`  ${lack}`);
  }
  if (judged.some(({ judgement }) => judgement.decision !== 'reject'))
    say('A service that runs on this store tests what is new by itself, and lists what keeps the contract.');
}

/** What is against listing a server; that it has not been tested goes without saying. */
function lacksOf({ requirement, level, outcome, evidence }: ListingRow): readonly string[] {
  if (outcome !== 'failed' || level === 'MAY') return [];
  return evidence.flatMap((one) =>
    one.kind === 'missing' ? [`${requirement}: ${one.text}. ${one.remedy}`] : [],
  );
}

/** Removes entries with all that was observed of them. */
export async function remove(ids: readonly string[], flags: StoreFlags): Promise<void> {
  await withStore(flags, async ({ db }) => {
    await db.transaction().execute(async (transaction) => {
      const known = await existingIds(transaction, ids);
      const absent = ids.filter((id) => !known.has(id));
      if (absent.length > 0)
        throw new UsageError(`The directory has no ${named(absent)}. Nothing was removed.`);
      await removeEntries(transaction, ids);
    });
  });
  say(`Removed: ${ids.join(', ')}.`);
}

const BATCH = 1000;

/**
 * Takes in a large file of listings. The whole of it is read and checked before anything is written; it is written in
 * parts, so that a service on the same store goes on answering. What is interrupted can be repeated.
 */
export async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const startedAtMs = performance.now();
  const count = await checkEntryListings(file, flags);
  await withStore(flags, async (store) => {
    let done = 0;
    let batch: NewEntry[] = [];
    const write = async (): Promise<void> => {
      await refuseLookAlikes(
        store.db,
        batch.map(({ listing }) => listing.id),
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
    if (process.stderr.isTTY) process.stderr.write('\r');
    await tidyStore(store.db);
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  say(
    `${count} entries of ${file} are in the directory (${seconds.toFixed(1)} s). ${
      flags.listed === true
        ? 'They are listed on your word until each is tested.'
        : 'Each is listed once the service has tested it.'
    }`,
  );
}

async function imported(listing: Listing, { listed }: ImportFlags): Promise<NewEntry> {
  if (listed === true) return { listing, first: { decision: 'list', decidedBy: 'operator', rows: [] } };
  const { decision, rows } = await judgeUntested(listing, null);
  return { listing, first: { decision, decidedBy: 'checks', rows } };
}

function named(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).join(', ');
  return ids.length > 10 ? `${shown} and ${ids.length - 10} more` : shown;
}

async function firstLook({ allowPrivate, ca, fetch }: EntryFlags): Promise<FirstLook | null> {
  if (fetch === false) return null;
  return { publicOnly: allowPrivate !== true, ca: ca === undefined ? null : await readAuthorities(ca) };
}
