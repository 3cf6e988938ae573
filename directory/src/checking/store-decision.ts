import { sql } from 'kysely';
import type { ListingDecision, ListingJudgement, TransportFailure } from 'probity/model';
import { oneRow, run } from '../db/rows.ts';
import type { Db, Doubt } from '../db/tables.ts';
import { type Entry, storeJudgement } from '../entries/entries.ts';
import { readPolicy } from '../entries/policies.ts';
import { shownClaims } from '../entries/shown-claims.ts';
import { missingOf, withPolicy } from './apply-policy.ts';
import { type Consequence, decide, type Standing } from './decide.ts';
import type { FinishedTest } from './keep-result.ts';
import { judgementOfRefused, lookOf } from './look.ts';

/** Decides about an entry after a test, and plans the next one, in the transaction `db`, after the entry is locked. */
export async function decideAfter(
  db: Db,
  { entry, result, judgement, isPlanned }: Omit<FinishedTest, 'body' | 'input'>,
  { at, testEveryMs }: { readonly at: Date; readonly testEveryMs: number },
): Promise<void> {
  const rules = await readPolicy(db);
  const judged = judgement === null ? null : withPolicy(judgement, result, rules);
  const look = lookOf(result, judged, { at, isPlanned });
  const standing = await readStanding(db, entry.id);
  const after = decide(standing, look, { testEveryMs: standing.testEveryMs ?? testEveryMs });
  await storeConsequence(db, entry.id, after, isPlanned);
  if (!isPlanned) return;
  const { decided } = after;
  // Before the first decision, what was seen says why there is none.
  const explains = standing.decidedAt === null && standing.decision !== 'list' && judged !== null;
  if (decided !== null && look.judgement !== null)
    await keepJudgement(db, { ...look.judgement, decision: decided }, { entry, result });
  else if (explains) await keepJudgement(db, { ...judged, decision: standing.decision }, { entry, result });
  // A test that only raises a doubt, or that a key is wanted for, says nothing of what is known.
  if (judged !== null && (decided !== null || explains))
    await storeMissing(db, entry.id, missingOf(result, judged), { hasDecided: decided !== null });
}

/**
 * Decides about an entry that the directory must not call: it is on hold at once, unless the operator approved it. In the
 * transaction `db`, after the entry is locked.
 */
export async function decideRefused(
  db: Db,
  entry: Entry,
  refusal: TransportFailure,
  { at, testEveryMs }: { readonly at: Date; readonly testEveryMs: number },
): Promise<void> {
  const judgement = judgementOfRefused(entry.id, refusal);
  const standing = await readStanding(db, entry.id);
  const look = { at, judgement, reason: '', isPlanned: true, sawOutage: false, isCertain: true };
  const pace = { testEveryMs: standing.testEveryMs ?? testEveryMs };
  await storeConsequence(db, entry.id, decide(standing, look, pace), true);
  const { audited, open_source: openSource, transport } = entry;
  // No test looked at its claims.
  await storeJudgement(db, entry.id, judgement, { audited, openSource, transport });
  await storeMissing(db, entry.id, missingOf(null, judgement), { hasDecided: true });
}

async function storeMissing(
  db: Db,
  entryId: string,
  missing: readonly string[],
  { hasDecided }: { readonly hasDecided: boolean },
): Promise<void> {
  await run(db)`update entry_details set missing = ${JSON.stringify(missing)} where entry_id = ${entryId}`;
  await run(db)`
    update entries set is_undecided = ${missing.length > 0}, is_stale = is_stale and ${!hasDecided}
    where id = ${entryId}`;
}

function keepJudgement(
  db: Db,
  judgement: ListingJudgement,
  { entry, result }: Pick<FinishedTest, 'entry' | 'result'>,
): Promise<void> {
  return storeJudgement(db, entry.id, judgement, shownClaims(entry.listing, judgement.rows, result));
}

/** What is decided about an entry so far. */
async function readStanding(
  db: Db,
  entryId: string,
): Promise<Standing & { readonly testEveryMs: number | null }> {
  const row = await oneRow<{
    decision: ListingDecision;
    doubt: string | null;
    early_tests: number;
    tested_at: Date | null;
    decided_at: Date | null;
    test_every_ms: number | null;
  }>(db)`
    select checks_decision as decision, doubt, early_tests, tested_at, decided_at, test_every_ms
    from entries join entry_details on entry_id = id where id = ${entryId}`;
  return {
    decision: row.decision,
    doubt: row.doubt === null ? null : (JSON.parse(row.doubt) as Doubt),
    earlyTests: row.early_tests,
    testedAt: row.tested_at,
    decidedAt: row.decided_at,
    testEveryMs: row.test_every_ms,
  };
}

/** So that entries that were added together are not always tested together. */
const JITTER = 0.1;

async function storeConsequence(
  db: Db,
  entryId: string,
  { doubt, earlyTests, testedAt, decidedAt, nextTestBy, isOpen }: Consequence,
  isPlanned: boolean,
): Promise<void> {
  const next = sql<Date>`now() + (${nextTestBy}::timestamptz - now()) * (1 - ${JITTER}::double precision * random())`;
  if (!isPlanned) {
    await run(db)`
      update entry_details set next_test_at = least(next_test_at, ${next}) where entry_id = ${entryId}`;
    return;
  }
  await run(db)`
    update entry_details set doubt = ${doubt === null ? null : JSON.stringify(doubt)}, early_tests = ${earlyTests},
      tested_at = ${testedAt}, decided_at = ${decidedAt}, is_test_open = ${isOpen}, next_test_at = ${next}
    where entry_id = ${entryId}`;
}
