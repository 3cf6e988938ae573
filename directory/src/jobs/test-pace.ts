import { firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';

/** How often a server is tested. */
export interface Pace {
  /** The usual time between two tests. */
  readonly testEveryMs: number;
}

/** The tests of an entry so far. */
interface Tested {
  /** Planned tests in a row that came before their usual time. */
  readonly earlyTests: number;
  /** The last planned test; null: there was none. */
  readonly testedAt: Date | null;
}

const FIRST_PAUSE_MS = 5 * 60_000;
const SOON_MS = 60_000;
/** Of the usual time, for directories that test more often. */
const [FIRST_SHARE, SOON_SHARE] = [1 / 12, 1 / 60];

/** The pause before the next early test: it doubles, up to the usual time. Pure. */
export function pauseMs(earlyTests: number, { testEveryMs }: Pace): number {
  return Math.min(testEveryMs, Math.min(FIRST_PAUSE_MS, testEveryMs * FIRST_SHARE) * 2 ** earlyTests);
}

/**
 * When a test may come before its usual time: soon after the last one, and later after each further one, so that a server
 * that goes up and down costs few tests. Pure.
 */
export function earlyTestAt({ earlyTests, testedAt }: Tested, now: Date, pace: Pace): Date {
  const soonMs = now.getTime() + Math.min(SOON_MS, pace.testEveryMs * SOON_SHARE);
  // A time in the future is of a clock that was set back since.
  if (testedAt === null || earlyTests === 0 || testedAt > now) return new Date(soonMs);
  return new Date(Math.max(soonMs, testedAt.getTime() + pauseMs(earlyTests - 1, pace)));
}

/** Makes the next test of an entry due as early as its pace allows, in the transaction `db`. */
export async function testEarly(db: Db, entryId: string, now: Date, usual: Pace): Promise<void> {
  const row = await firstRow<Tested & { readonly testEveryMs: number }>(db)`
    select early_tests as "earlyTests", tested_at as "testedAt",
      coalesce(test_every_ms, ${usual.testEveryMs}::double precision) as "testEveryMs"
    from entry_details where entry_id = ${entryId}`;
  if (row === null) return;
  await run(db)`
    update entry_details set next_test_at = least(next_test_at, ${earlyTestAt(row, now, row)}::timestamptz)
    where entry_id = ${entryId}`;
}
