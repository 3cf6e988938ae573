import { openStore, type Store } from '../directory/store/open-store.ts';

export interface StoreFlags {
  readonly data: string;
}

/** Opens the store for one piece of work beside a service that may be running on it. */
export async function withStore<Result>(
  flags: StoreFlags,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({ ...storeOf(flags), share: true });
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
