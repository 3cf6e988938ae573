import { existsSync } from 'node:fs';
import path from 'node:path';
import { say } from 'probity/command-line';
import { openStore, type Store } from '../db/open-store.ts';
import { storeAwayError } from '../db/store-away.ts';
import { shellWord } from '../settings/shell-word.ts';

export interface StoreFlags {
  readonly data: string;
}

/** Opens the store for one command. A service may be running on the same store. */
export async function withStore<Result>(
  flags: StoreFlags,
  work: (store: Store) => Promise<Result>,
  { isRestore = false }: { readonly isRestore?: boolean } = {},
): Promise<Result> {
  const { databaseUrl, dataFolder } = storeOf(flags);
  const isNew = !isRestore && databaseUrl === null && !existsSync(path.join(dataFolder, 'database'));
  const store = await openStore({ databaseUrl, dataFolder, share: true, isRestore });
  if (isNew)
    say(
      `Created a new directory in ${path.resolve(dataFolder)}. Serve it with: ${commandFor('serve', flags)}`,
    );
  try {
    return await work(store);
  } catch (error) {
    throw storeAwayError(error);
  } finally {
    await store.close().catch(() => undefined);
  }
}

export function storeOf({ data }: StoreFlags): {
  readonly databaseUrl: string | null;
  readonly dataFolder: string;
} {
  const { DATABASE_URL: databaseUrl = '' } = process.env;
  return { databaseUrl: databaseUrl === '' ? null : databaseUrl, dataFolder: data };
}

/** The folder of the embedded database when no other is named. */
export const DEFAULT_DATA = 'probity-data';

/** A command on the same store, complete, so that it works as it is pasted. */
export function commandFor(words: string, flags: StoreFlags): string {
  const { databaseUrl, dataFolder } = storeOf(flags);
  const isNamed = databaseUrl === null && dataFolder !== DEFAULT_DATA;
  return `probity directory ${words}${isNamed ? ` --data ${shellWord(dataFolder)}` : ''}`;
}
