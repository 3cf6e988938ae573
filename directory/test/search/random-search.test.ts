import { Pool } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../src/accounts/keys.ts';
import type { Store } from '../../src/db/open-store.ts';
import { removeEntries } from '../../src/entries/entries.ts';
import { type RunningDirectory, serveDirectory } from '../../src/service/serve.ts';
import { DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { describeStores } from '../db/stores.ts';
import { diceOf } from '../seeded.ts';
import { putRandom, randomChange, randomDirectory } from './random-directory.ts';
import { randomQuery } from './random-queries.ts';
import { createOracle, type Expected } from './search-oracle.ts';

/** `npm run searches` sets it to a million. */
const SEARCHES = Number(process.env.PROBITY_SEARCHES ?? 600);
const SEED = Number(process.env.PROBITY_SEED ?? 20_261_122);
const ENTRIES = 500;
/** The directory changes after each round. */
const ROUNDS = Math.max(10, SEARCHES / 2000);
const POPULAR = 30;
const CONNECTIONS = 8;
const MAX_SHOWN = 5;

describeStores('random searches', (stores) => {
  const dice = diceOf(SEED);
  let entries = randomDirectory(dice, ENTRIES);
  let oracle = createOracle(entries);
  let store: Store;
  let running: RunningDirectory;
  let pool: Pool;
  let key: string;
  beforeAll(async () => {
    store = await stores.open();
    const limits = { ...DEFAULT_LIMITS, read: { ...DEFAULT_LIMITS.read, calls: 1e9 } };
    running = await serveDirectory(store, { ...DEFAULT_SETTINGS, port: 0, queues: [], limits });
    ({ key } = await createKey(store.db, { name: 'test', scopes: ['read'], expiresAt: null }));
    await putRandom(store.db, entries);
    pool = new Pool(running.url, { connections: CONNECTIONS });
  });
  afterAll(async () => {
    await pool?.close();
    await running?.stop();
    await stores.close();
  });

  const search = async (query: string): Promise<unknown> => {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `/v1/servers/search?${query}`,
      headers: { authorization: `Bearer ${key}` },
    });
    const answer = (await body.json()) as {
      readonly servers?: readonly { readonly id: string }[];
      readonly pagination?: unknown;
      readonly facets?: unknown;
    };
    return statusCode === 200
      ? {
          status: 200,
          ids: answer.servers?.map(({ id }) => id),
          pagination: answer.pagination,
          facets: answer.facets,
        }
      : { status: statusCode };
  };

  const change = async (number: number): Promise<void> => {
    const { put, removed, after } = randomChange(dice, entries, number);
    await putRandom(store.db, put);
    await removeEntries(store.db, removed);
    entries = after;
    oracle = createOracle(entries);
  };

  it(
    `match the reference implementation, ${SEARCHES / 2} searches`,
    async () => {
      const wrong: { readonly query: string; readonly expected: Expected; readonly answer: unknown }[] = [];
      const found = { 200: 0, 400: 0, hits: 0 };
      const popular = Array.from({ length: POPULAR }, () => randomQuery(dice));
      let left = SEARCHES / 2;
      const started = performance.now();
      const worker = async (min: number): Promise<void> => {
        while (left > min && wrong.length < MAX_SHOWN) {
          left -= 1;
          const query = dice.chance(0.3) ? dice.one(popular) : randomQuery(dice);
          const expected = oracle(query);
          const answer = await search(query);
          found[expected.status] += 1;
          if (expected.status === 200 && expected.ids.length > 0) found.hits += 1;
          if (JSON.stringify(answer) !== JSON.stringify(expected)) wrong.push({ query, expected, answer });
        }
      };
      for (let round = 1; round <= ROUNDS && wrong.length === 0; round += 1) {
        const min = Math.floor((SEARCHES / 2) * (1 - round / ROUNDS));
        await Promise.all(Array.from({ length: CONNECTIONS }, () => worker(min)));
        await change(ENTRIES + round);
      }
      if (SEARCHES > 10_000)
        process.stderr.write(
          `${stores.kind}: ${JSON.stringify(found)}, ${Math.round((1000 * (SEARCHES / 2 - left)) / (performance.now() - started))} a second\n`,
        );
      expect(wrong).toEqual([]);
      expect(found.hits).toBeGreaterThan(SEARCHES / 20);
      expect(found[400]).toBeGreaterThan(SEARCHES / 40);
    },
    60_000 + SEARCHES * 20,
  );
});
