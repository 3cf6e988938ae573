import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createKey } from '../../src/accounts/keys.ts';
import type { Db } from '../../src/db/tables.ts';
import { putEntries } from '../../src/entries/put-entries.ts';
import type { NewEntry } from '../../src/entries/put-row.ts';
import { storeObservations } from '../../src/watching/observations.ts';
import type { Observation } from '../../src/watching/observed-time.ts';

/** All writes that the store has acknowledged. */
export interface Ledger {
  readonly keys: string[];
  /** The last acknowledged version of each batch of entries. */
  readonly batches: Map<number, number>;
  readonly results: Set<number>;
  /** Ids of the results of tests that were requested over HTTP. */
  readonly tests: string[];
  /** The next unused number. */
  next: number;
}

export function newLedger(): Ledger {
  return { keys: [], batches: new Map(), results: new Set(), tests: [], next: 1 };
}

export const BATCH_SIZE = 100;
const BATCHES = 20;
export const OBSERVATIONS = 8;
export const START = Date.UTC(2026, 0, 1);

/** Stores one test result as the service does. */
export type StoreWrites = (db: Db, number: number, entryId: string) => Promise<void>;

/** Stores a result and its observations in one transaction. */
export const storeWrites: StoreWrites = async (db, number, entryId) => {
  const at = (index: number): Date => new Date(START + number * 1000 + index);
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('results')
      .values({
        id: resultId(number),
        entry_id: entryId,
        started_at: at(0),
        duration_ms: number,
        verdict: 'pass',
        reachable: true,
        summary: JSON.stringify({ number }),
        decision: 'list',
        body: gzipSync(bodyOf(number)),
      })
      .execute();
    const observations = Array.from({ length: OBSERVATIONS }, (_, index): Observation => {
      return {
        entry_id: entryId,
        at: at(index),
        up: true,
        operation: 'health',
        duration_ms: number,
        source: 'test',
      };
    });
    await storeObservations(transaction, entryId, observations, { now: at(OBSERVATIONS), holdsMs: 1000 });
  });
};

/** Writes all kinds of data concurrently, without a pause, until the store ends or the signal aborts. */
export async function writeUntilGone(
  db: Db,
  ledger: Ledger,
  signal: AbortSignal,
  store: StoreWrites = storeWrites,
): Promise<void> {
  const repeat = async (write: () => Promise<void>): Promise<void> => {
    while (!signal.aborted)
      try {
        await write();
      } catch (error) {
        if (isGone(error)) return;
        throw error;
      }
  };
  const putBatch = async (): Promise<void> => {
    const version = ledger.next++;
    await putEntries(db, batchOf(version % BATCHES, version), new Date());
    ledger.batches.set(version % BATCHES, version);
  };
  await repeat(async () => {
    if (ledger.batches.size === 0) await putBatch();
    await Promise.all([
      repeat(async () => {
        const { key } = await createKey(db, { name: 'kept', scopes: ['read'], expiresAt: null });
        ledger.keys.push(key);
      }),
      repeat(putBatch),
      repeat(async () => {
        const [batch] = [...ledger.batches.keys()];
        const number = ledger.next++;
        await store(db, number, `e-${batch}-0`);
        ledger.results.add(number);
      }),
    ]);
    // The writers above end only when the store has ended.
    throw Object.assign(new Error('gone'), { code: 'EGONE' });
  });
}

/** Requests tests of an entry until the service no longer answers. */
export async function testUntilGone(
  url: string,
  key: string,
  entryId: string,
  ledger: Ledger,
): Promise<void> {
  for (;;)
    try {
      const answer = await fetch(`${url}/v1/servers/${entryId}/test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      });
      const body = (await answer.json()) as { readonly id?: string; readonly code?: string };
      if (body.code === 'no-such-path') return;
      if (answer.status === 200 && body.id !== undefined) ledger.tests.push(body.id);
      else await setTimeout(100);
    } catch {
      return;
    }
}

/** Whether an error means that the connection ended, or that PostgreSQL is stopping or starting. */
function isGone(error: unknown): boolean {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  return (
    /^E[A-Z]+$|^57P0|^08/.test(code) ||
    /terminated|timeout|closed|ended|destroyed|not queryable/i.test(message)
  );
}

function resultId(number: number): string {
  return `r-${number}`;
}

/** A different body for each number, longer than one page of the database. */
export function bodyOf(number: number): string {
  const noise = Array.from({ length: 4000 }, (_, index) =>
    ((number * 7919 + index * 104_729) % 1_000_003).toString(36),
  );
  return JSON.stringify({ number, noise });
}

function batchOf(batch: number, version: number): readonly NewEntry[] {
  return Array.from({ length: BATCH_SIZE }, (_, index) => ({
    listing: {
      id: `e-${batch}-${index}`,
      name: `Kept ${batch} ${index}`,
      description: `What was written is kept ${'x'.repeat(index)}`,
      category: 'Kept',
      tags: ['kept', `tag-${index % 7}`],
      transport: ['http'],
      audited: index % 2 === 0,
      openSource: true,
      endpoint: 'https://kept.example',
      uptime: index,
      responseTime: version,
      version: String(version).padStart(9, '0'),
    },
    first: { decision: 'list', decidedBy: 'operator', rows: [] },
  }));
}
