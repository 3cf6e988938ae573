import { existsSync } from 'node:fs';
import path from 'node:path';
import { say } from 'probity/command-line';
import { openStore, type Store } from '../db/open-store.ts';

export interface StoreFlags {
  readonly data: string;
}

/** Opens the store for one command. A service may be running on the same store. */
export async function withStore<Result>(
  flags: StoreFlags,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataFolder } = storeOf(flags);
  const isNew = databaseUrl === null && !existsSync(path.join(dataFolder, 'database'));
  const store = await openStore({ databaseUrl, dataFolder, share: true });
  if (isNew)
    say(
      `Created a new directory in ${path.resolve(dataFolder)}. Serve it with: probity directory serve --data ${dataFolder}`,
    );
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export function storeOf({ data }: StoreFlags): {
  readonly databaseUrl: string | null;
  readonly dataFolder: string;
} {
  const { DATABASE_URL: databaseUrl = '' } = process.env;
  return { databaseUrl: databaseUrl === '' ? null : databaseUrl, dataFolder: data };
}
