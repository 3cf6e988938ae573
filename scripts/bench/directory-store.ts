import { createKey } from '../../directory/src/accounts/keys.ts';
import { openStore } from '../../directory/src/db/open-store.ts';
import { tidyStore } from '../../directory/src/db/tidy.ts';
import { putEntries } from '../../directory/src/entries/put-entries.ts';
import type { NewEntry } from '../../directory/src/entries/put-row.ts';
import { diceOf } from '../../directory/test/seeded.ts';

export { startCluster } from '../../directory/test/db/cluster.ts';

const BATCH = 500;
const COMMON_WORDS = 40;
const WORDS = 20_000;
const CATEGORIES = 30;
const TAGS = 400;

export interface Filled {
  readonly key: string;
  readonly putMs: number;
  readonly tidyMs: number;
}

/** Adds entries like an import, and creates a key. */
export async function fill(databaseUrl: string | null, dataFolder: string, count: number): Promise<Filled> {
  const store = await openStore({ databaseUrl, dataFolder, share: false });
  try {
    const dice = diceOf(count);
    let putMs = 0;
    for (let at = 0; at < count; at += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => entryOf(at + index));
      const before = performance.now();
      await putEntries(store.db, batch, new Date());
      putMs += performance.now() - before;
    }
    const before = performance.now();
    await tidyStore(store.db);
    const tidyMs = performance.now() - before;
    const { key } = await createKey(store.db, { name: 'bench', scopes: ['read', 'test'], expiresAt: null });
    return { key, putMs, tidyMs };

    function entryOf(number: number): NewEntry {
      // A few words are frequent and most are rare, as in a natural language.
      const word = (): string =>
        dice.chance(0.3)
          ? `common${dice.below(COMMON_WORDS)}`
          : `word${Math.floor(WORDS * dice.number() ** 3)}`;
      const words = (most: number): string => Array.from({ length: most }, word).join(' ');
      return {
        listing: {
          id: `server-${number}`,
          name: words(3),
          description: words(18),
          category: `Category ${Math.floor(CATEGORIES * dice.number() ** 2)}`,
          tags: Array.from({ length: 4 }, () => `tag${Math.floor(TAGS * dice.number() ** 3)}`),
          transport: dice.one([['http'], ['http'], ['http', 'websocket'], ['websocket']] as const),
          audited: dice.chance(0.2),
          openSource: dice.chance(0.5),
          endpoint: `https://server-${number}.example`,
          protocol: 'mcp',
          uptime: 100 - 20 * dice.number() ** 4,
          responseTime: 5 + 500 * dice.number() ** 2,
        },
        first: { decision: 'list', decidedBy: 'checks', rows: ROWS },
      };
    }
  } finally {
    await store.close();
  }
}

const ROWS = Array.from({ length: 8 }, (_, index) => ({
  requirement: `listing/requirement-${index}`,
  outcome: 'passed' as const,
  evidence: 'found by the last test',
})) as unknown as NewEntry['first']['rows'];
