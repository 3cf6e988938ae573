import { UsageError } from 'probity/command-line';
import type { Db } from '../db/tables.ts';
import { type Entry, readEntry } from '../entries/entries.ts';
import { commandFor, type StoreFlags } from './store-flags.ts';

export async function requireKnown(db: Db, id: string, flags: StoreFlags): Promise<Entry> {
  const entry = await readEntry(db, id);
  if (entry === null)
    throw new UsageError(`No server with the id "${id}". List the ids with: ${commandFor('list', flags)}`);
  return entry;
}
