import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import type { ListingDecision, ListingJudgement, TestResult } from 'probity/model';
import type { Service } from '../http/service.ts';
import { holdsMsOf } from '../settings/service-settings.ts';
import { storeCapabilities } from '../store/capabilities.ts';
import { type Entry, storeJudgement } from '../store/entries.ts';
import { storeObservations } from '../store/observations.ts';
import type { Db } from '../store/open-store.ts';
import { outlineOf } from '../store/result-outline.ts';
import { insertResult } from '../store/results.ts';
import { releaseRun } from '../store/runs.ts';
import { shownClaims } from '../store/shown-claims.ts';
import { capabilitiesOfTest, observationsOfTest, showsOwnTroubleOnly } from './observations-of-test.ts';

export interface FinishedTest {
  /** As it was when the test was begun. */
  readonly entry: Entry;
  /** Its id is the run's. */
  readonly result: TestResult;
  readonly body: Buffer;
  /** Null when the listing checks themselves failed: the decision stays as it is. */
  readonly judgement: ListingJudgement | null;
  readonly callersFunctions: readonly string[];
}

export type Kept =
  | 'kept'
  /** The lease ran out, and another instance tests the target. */
  | 'lost'
  /** The entry was removed, or has got another listing since, which nothing was decided of. */
  | 'outdated';

const zip = promisify(gzip);

/** Stores a result with all that follows from it, and ends the run: all of it or nothing. */
export async function keepResult({ store, settings }: Service, test: FinishedTest): Promise<Kept> {
  const { entry, result } = test;
  const body = await zip(test.body);
  const outline = JSON.stringify(outlineOf(result));
  return store.db.transaction().execute(async (db) => {
    // Not `for update`: that would wait for every observation that refers to the entry.
    const current = await db
      .selectFrom('entries')
      .select('decision')
      .where('id', '=', entry.id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!(await releaseRun(db, entry.id, result.id))) return current === undefined ? 'outdated' : 'lost';
    if (current === undefined || !(await hasListing(db, entry))) return 'outdated';
    const now = new Date();
    await storeObservations(db, entry.id, observationsOfTest(entry.id, result), {
      now,
      holdsMs: holdsMsOf(settings),
    });
    const decided = await decide(db, test, current);
    const afterMs = decided === null ? (isUndecided(test) ? RETRY_MS : 0) : settings.testEveryMs;
    if (decided !== null)
      await storeJudgement(db, entry.id, decided, shownClaims(entry.listing, decided.rows, result));
    await db
      .updateTable('entry_details')
      .set({ next_test_at: nextTestAt(now, afterMs) })
      .where('entry_id', '=', entry.id)
      .execute();
    const capabilities = capabilitiesOfTest(result);
    if (capabilities !== null) await storeCapabilities(db, entry, capabilities, new Date(result.startedAt));
    await insertResult(db, {
      id: result.id,
      entry_id: entry.id,
      started_at: new Date(result.startedAt),
      duration_ms: result.durationMs,
      verdict: result.verdict,
      reachable: result.reachable,
      summary: JSON.stringify(result.summary),
      decision: decided?.decision ?? current.decision,
      body,
      outline,
    });
    return 'kept';
  });
}

/**
 * Whether an entry has the listing still that it was tested with: a new one must not be shown as the old one was judged.
 * Asked once the entry is locked, as a statement that waits for the lock reads other tables as they were before.
 */
async function hasListing(db: Db, { id, listing }: Entry): Promise<boolean> {
  const details = await db
    .selectFrom('entry_details')
    .select('listing')
    .where('entry_id', '=', id)
    .executeTakeFirst();
  return details?.listing === JSON.stringify(listing);
}

/** What the listing checks decided, if it is to count; null: the decision stays as it is. */
async function decide(
  db: Db,
  test: FinishedTest,
  current: { readonly decision: ListingDecision },
): Promise<ListingJudgement | null> {
  const { entry, result, judgement, callersFunctions } = test;
  if (judgement === null || isUndecided(test)) return null;
  const isWorse = STANDING[judgement.decision] < STANDING[current.decision];
  if (isWorse && restsOnCallersInput(result, callersFunctions)) return null;
  if (judgement.decision !== 'list') return judgement;
  const { uptime, response_time_ms } = await db
    .selectFrom('entries')
    .select(['uptime', 'response_time_ms'])
    .where('id', '=', entry.id)
    .executeTakeFirstOrThrow();
  // A record shows both figures (specification, section 2.1), so that there must be some.
  if (uptime !== null && response_time_ms !== null) return judgement;
  return { ...judgement, decision: 'hold' };
}

/** Through no fault of the target's. */
function isUndecided({ judgement, result }: FinishedTest): boolean {
  return judgement === null || showsOwnTroubleOnly(result);
}

/** Nothing was learned, and a whole interval is long to wait. */
export const RETRY_MS = 10 * 60_000;

const STANDING: Readonly<Record<ListingDecision, number>> = { reject: 0, hold: 1, list: 2 };

/**
 * Nothing speaks against the target but what it made of an input that a caller chose: anybody with a key could have an
 * entry taken out of the directory by sending nonsense.
 */
function restsOnCallersInput(result: TestResult, callersFunctions: readonly string[]): boolean {
  if (callersFunctions.length === 0 || result.verdict === 'pass') return false;
  return result.findings
    .filter(({ id, level, outcome }) => level === 'MUST' && outcome === 'failed' && !FOLLOWS.has(id))
    .every(({ where }) => where.function !== undefined && callersFunctions.includes(where.function));
}

/** It fails because others do. */
const FOLLOWS: ReadonlySet<string> = new Set(['listing/mcp-support']);

const JITTER = 0.1;

/** Spread, so that entries that were added together are not tested together for ever. */
function nextTestAt(now: Date, afterMs: number) {
  return sql<Date>`${now}::timestamptz + ${afterMs}::double precision * (1 + ${JITTER}::double precision * (2 * random() - 1)) * interval '1 millisecond'`;
}
