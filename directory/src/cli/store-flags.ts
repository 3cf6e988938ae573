import { existsSync } from 'node:fs';
import path from 'node:path';
import { say } from 'probity/command-line';
import { openStore, type Store } from '../store/open-store.ts';

export interface StoreFlags {
  readonly data: string;
}

/** Opens the store for one piece of work beside a service that may be running on it. */
export async function withStore<Result>(
  flags: StoreFlags,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataFolder } = storeOf(flags);
  const isNew = databaseUrl === null && !existsSync(path.join(dataFolder, 'database'));
  const store = await openStore({ databaseUrl, dataFolder, share: true });
  if (isNew)
    say(
      `A new directory was begun in ${path.resolve(dataFolder)}; \`probity directory serve\` there serves it.`,
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
