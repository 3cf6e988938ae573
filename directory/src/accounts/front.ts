// The folder `accounts` has the keys of callers, the sessions of the pages, and the counts of calls against limits.

import { setTimeout } from 'node:timers/promises';
import { ChangeWatch } from '../db/change-watch.ts';
import type { Store } from '../db/open-store.ts';
import { CallCounts } from './call-counts.ts';
import { KnownKeys } from './known-keys.ts';

/** A database that does not answer must not delay the end of the service. */
const MAX_CLOSE_MS = 2000;

/** What an instance keeps in memory, so that a read of a caller writes nothing and mostly reads one short statement. */
export class Front {
  readonly watch: ChangeWatch;
  readonly keys: KnownKeys;
  readonly counts: CallCounts;

  constructor({ db, written }: Pick<Store, 'db' | 'written'>) {
    this.watch = new ChangeWatch(db, written);
    this.keys = new KnownKeys(db, this.watch);
    this.counts = new CallCounts(db, this.watch);
  }

  /** Writes what the store does not have yet. */
  async close(): Promise<void> {
    const written = Promise.all([this.keys.close(), this.counts.close()]);
    await Promise.race([written, setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
  }
}
