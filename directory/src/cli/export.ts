import { readAllListings } from '../store/entry-overviews.ts';
import { print } from './print.ts';
import { type StoreFlags, withStore } from './store-flags.ts';

/** Prints all listings, one line of JSON for each, as `import` reads them. */
export async function exportListings(flags: StoreFlags): Promise<void> {
  await withStore(flags, async ({ db }) => {
    for await (const listing of readAllListings(db))
      await print(`${JSON.stringify({ listing: 'v1', ...listing })}\n`);
  });
}
