import { existsSync } from 'node:fs';
import path from 'node:path';
import { say } from 'probity/command-line';
import { commandOn, type StorePlace } from '../db/command-on.ts';
import { openStore, type Store, type StoreOptions } from '../db/open-store.ts';
import { storeAwayError } from '../db/store-away.ts';

export interface StoreFlags {
  readonly data: string;
}

/** Opens the store for one command, which must exist. A service may be running on it. */
export function withStore<Result>(
  flags: StoreFlags,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return withOpened(flags, work, { creates: false });
}

/** Like `withStore`, for the commands with which a directory begins: creates the store if there is none. */
export async function withNewStore<Result>(
  flags: StoreFlags,
  work: (store: Store) => Promise<Result>,
  { isRestore = false }: { readonly isRestore?: boolean } = {},
): Promise<Result> {
  const { databaseUrl, dataFolder } = storeOf(flags);
  const isNew = !isRestore && databaseUrl === null && !existsSync(path.join(dataFolder, 'database'));
  const open = (store: Store): Promise<Result> => {
    if (isNew)
      say(
        `Created a new directory in ${path.resolve(dataFolder)}. Serve it with: ${commandFor('serve', flags)}`,
      );
    return work(store);
  };
  return withOpened(flags, open, { creates: true, isRestore });
}

async function withOpened<Result>(
  flags: StoreFlags,
  work: (store: Store) => Promise<Result>,
  how: Pick<StoreOptions, 'creates' | 'isRestore'>,
): Promise<Result> {
  let store: Store | null = null;
  try {
    store = await openStore({ ...storeOf(flags), share: true, ...how });
    return await work(store);
  } catch (error) {
    throw storeAwayError(error);
  } finally {
    await store?.close().catch(() => undefined);
  }
}

export function storeOf({ data }: StoreFlags): StorePlace {
  const { DATABASE_URL: databaseUrl = '' } = process.env;
  return { databaseUrl: databaseUrl === '' ? null : databaseUrl, dataFolder: data };
}

/** The folder of the embedded database when no other is named. */
export const DEFAULT_DATA = 'probity-data';

/** Advice that was stored, with its commands completed: only here it is known where the store is. */
export function completed(advice: string, flags: StoreFlags): string {
  return advice.replaceAll(/`probity directory ([^`]+)`/g, (_, words) => `\`${commandFor(words, flags)}\``);
}

/** A command on the same store, complete, so that it works as it is pasted. */
export function commandFor(words: string, flags: StoreFlags): string {
  return commandOn(words, storeOf(flags));
}
