import { say } from 'probity/command-line';
import type { Listing } from 'probity/model';
import { tidyStore } from '../db/tidy.ts';
import { judgeUntested } from '../entries/judge-listing.ts';
import { rejectedBefore } from '../entries/operator-decisions.ts';
import { noteAction } from '../entries/operator-log.ts';
import { readPolicy } from '../entries/policies.ts';
import { putEntries } from '../entries/put-entries.ts';
import type { NewEntry } from '../entries/put-row.ts';
import type { Policy } from '../settings/policy.ts';
import { authorOf } from './author.ts';
import { BATCH, type EntryFlags, newEntry } from './entries.ts';
import { checkEntryListings, wholeListings } from './entry-listings.ts';
import { withNewStore } from './store-flags.ts';
import { type RejectedBefore, refuseTaken, warnOfRejected } from './taken-ids.ts';

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
    const rejected: RejectedBefore[number][] = [];
    const write = async (): Promise<void> => {
      await refuseTaken(
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
    const { pace } = await readPolicy(store.db);
    for await (const listing of wholeListings(file)) {
      batch.push(await imported(listing, flags, pace));
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

async function imported(listing: Listing, { listed }: EntryFlags, pace: Policy['pace']): Promise<NewEntry> {
  if (listed === true) return { listing, first: { decision: 'list', decidedBy: 'operator', rows: [] } };
  return newEntry({ listing, judgement: await judgeUntested(listing, null, pace) });
}
