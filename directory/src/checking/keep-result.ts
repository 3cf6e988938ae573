import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import {
  contractOf,
  type ListingDecision,
  type ListingJudgement,
  type ResultOutline,
  reportPieces,
  shorten,
  type TestResult,
} from 'probity/model';
import { firstRow, hasRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { storeCapabilities } from '../entries/capabilities.ts';
import { noteContract } from '../entries/contracts.ts';
import { type Entry, storeJudgement } from '../entries/entries.ts';
import { holdByPolicy } from '../entries/operator-decisions.ts';
import { readPolicy } from '../entries/policies.ts';
import { insertResult } from '../entries/results.ts';
import { shownClaims } from '../entries/shown-claims.ts';
import type { Service } from '../http/service.ts';
import { type Attempt, endAttempt, endAttemptWith, lockAttempt } from '../jobs/attempts.ts';
import type { InputOfTest, UnstoredResult } from '../jobs/tests.ts';
import { holdsMsOf } from '../settings/settings.ts';
import { storeObservations } from '../watching/observations.ts';
import { capabilitiesOfTest, failedOnOurSide, observationsOfTest } from './observations-of-test.ts';
import { withoutCallersInput } from './without-callers-input.ts';

export interface FinishedTest {
  /** The entry as it was when the test started. */
  readonly entry: Entry;
  /** Has the id of the job. */
  readonly result: TestResult;
  readonly body: Buffer;
  /** Null when the listing checks themselves failed: the decision stays as it is. */
  readonly judgement: ListingJudgement | null;
  readonly input: InputOfTest;
}

const zip = promisify(gzip);

/**
 * Stores a result with its observations and its decision, and ends the attempt, in one transaction: nothing when another
 * worker has taken over. If the entry was removed, or its listing changed during the test, only the caller gets it.
 */
export async function keepResult(
  { store, settings, metrics }: Service,
  test: FinishedTest,
  attempt: Attempt<'test'>,
): Promise<void> {
  const { entry, result } = test;
  const body = await zip(test.body);
  const { keyId, functions } = test.input;
  const outline = JSON.stringify(outlineOf(withoutCallersInput(result, functions)));
  await store.db.transaction().execute(async (db) => {
    if (!(await lockAttempt(db, attempt))) return;
    // Not `for update`, which would wait for every insert of an observation of this entry.
    const current = await firstRow<{ decision: ListingDecision }>(db)`
      select decision from entries where id = ${entry.id} for no key update`;
    if (current === null || !(await hasListing(db, entry))) {
      const unstored: UnstoredResult = { result: body.toString('base64'), input: test.input };
      await endAttemptWith(db, attempt, unstored);
      return;
    }
    const now = new Date();
    const observations = observationsOfTest(entry.id, result);
    await storeObservations(db, entry.id, observations, { now, holdsMs: holdsMsOf(settings) });
    const decided = await decide(db, test, current);
    const afterMs = decided === null ? (isUndecided(test) ? RETRY_MS : 0) : settings.testEveryMs;
    if (decided !== null)
      await storeJudgement(db, entry.id, decided, shownClaims(entry.listing, decided.rows, result));
    await run(db)`
      update entry_details set next_test_at = ${nextTestAt(now, afterMs)} where entry_id = ${entry.id}`;
    await noteChanges(db, test);
    const capabilities = capabilitiesOfTest(result);
    if (capabilities !== null) await storeCapabilities(db, entry, capabilities, new Date(result.startedAt));
    const decision = decided?.decision ?? current.decision;
    const row = {
      id: result.id,
      entry_id: entry.id,
      started_at: new Date(result.startedAt),
      duration_ms: result.durationMs,
      verdict: result.verdict,
      reachable: result.reachable,
      summary: JSON.stringify(result.summary),
      decision,
      body,
      outline,
      content: contentOf(result),
      input_key_id: keyId,
      input_functions: [...functions],
    };
    await insertResult(db, row, result.coverage ?? null);
    await endAttempt(db, attempt);
    const { verdict, reachable, durationMs } = result;
    metrics.noteTest({ verdict, reachable, decision, durationMs });
  });
}

/**
 * Whether an entry still has the listing that was tested; the decision must not apply to a newer one. Called after the
 * entry is locked, because a statement that waits for the lock reads older versions of other tables.
 */
function hasListing(db: Db, { id, listing }: Entry): Promise<boolean> {
  return hasRow(db)`
    select from entry_details where entry_id = ${id} and listing = ${JSON.stringify(listing)}`;
}

/** The decision of the listing checks; null: the decision stays as it is. */
async function decide(
  db: Db,
  test: FinishedTest,
  current: { readonly decision: ListingDecision },
): Promise<ListingJudgement | null> {
  const { entry, result, judgement, input } = test;
  if (judgement === null || isUndecided(test)) return null;
  const isWorse = RANK[judgement.decision] < RANK[current.decision];
  if (isWorse && restsOnCallersInput(result, input.functions)) return null;
  if (judgement.decision !== 'list') return judgement;
  // A record must show both figures (specification, section 2.1).
  const hasFigures = await hasRow(db)`
    select from entries where id = ${entry.id} and uptime is not null and response_time_ms is not null`;
  return hasFigures ? judgement : { ...judgement, decision: 'hold' };
}

/**
 * Notes what the server offers, and puts the entry on hold if the operator wants that for what changed. `release` makes
 * the new contract the one that later tests are compared with.
 */
async function noteChanges(db: Db, { entry, result }: FinishedTest): Promise<void> {
  const contract = contractOf(result);
  if (contract === null) return;
  const { holdOn } = await readPolicy(db);
  const changes = await noteContract(db, entry.id, contract, new Date(result.startedAt));
  const holding = changes.filter(
    ({ kind, isSuspicious }) =>
      (holdOn.includes('breaking') && kind === 'breaking') ||
      (holdOn.includes('suspicious') && isSuspicious === true),
  );
  const [first] = holding;
  if (first === undefined) return;
  const more = holding.length === 1 ? '' : ` (and ${holding.length - 1} more)`;
  const name = first.name === null ? '' : `${first.name}: `;
  await holdByPolicy(
    db,
    entry.id,
    shorten(`its contract changed: ${name}${first.message}${more}`, MAX_REASON),
  );
}

const MAX_REASON = 400;

/** Whether the test decides nothing, for a reason that is not the target's fault. */
function isUndecided({ judgement, result }: FinishedTest): boolean {
  return judgement === null || failedOnOurSide(result);
}

/** The delay before an undecided test is repeated. */
export const RETRY_MS = 10 * 60_000;

const RANK: Readonly<Record<ListingDecision, number>> = { reject: 0, hold: 1, list: 2 };

/**
 * Whether the target failed only with the caller's input. Such a failure does not count: otherwise anybody with a key
 * could remove an entry from the directory by sending nonsense.
 */
function restsOnCallersInput(result: TestResult, callersFunctions: readonly string[]): boolean {
  if (callersFunctions.length === 0 || result.verdict === 'pass') return false;
  return result.findings
    .filter(({ id, level, outcome }) => level === 'MUST' && outcome === 'failed' && !FOLLOWS.has(id))
    .every(({ where }) => where.function !== undefined && callersFunctions.includes(where.function));
}

/** Requirements that fail only because others fail. */
const FOLLOWS: ReadonlySet<string> = new Set(['listing/mcp-support']);

const JITTER = 0.1;

/** Adds jitter, so that entries that were added together are not always tested together. */
function nextTestAt(now: Date, afterMs: number) {
  return sql<Date>`${now}::timestamptz + ${afterMs}::double precision * (1 + ${JITTER}::double precision * (2 * random() - 1)) * interval '1 millisecond'`;
}

/** A result as JSON. Pure. */
export function reportBytes(result: TestResult): Buffer {
  return Buffer.concat([...reportPieces(result)].map((piece) => Buffer.from(piece)));
}

/** The part of a result that the details operation shows besides its summary. Pure. */
export function outlineOf(result: TestResult): ResultOutline {
  const { coverage, clientView, results, findings, responseTimes, errors, samples, facts, harness } = result;
  const covered = coverage === undefined ? {} : { coverage };
  const seen = clientView === undefined ? {} : { clientView };
  return { ...covered, ...seen, results, findings, responseTimes, errors, samples, facts, harness };
}

/**
 * A digest of what a result says about its target, equal for two results that say the same: the outcome of every
 * requirement, with its findings and errors, from the same suites, of the same version of the target. Times, measured
 * values and texts of answers are not part of it, because they differ in each run. Pure.
 */
export function contentOf(result: TestResult): Buffer {
  const { harness, suites, verdict, reachable, results, findings, errors } = result;
  const { form, name, version } = result.target;
  const content = {
    harness,
    suites,
    target: { form, name, version },
    verdict,
    reachable,
    results: results.map(({ id, level, outcome }) => [id, level, outcome]),
    findings: findings.map(({ fingerprint, outcome, level }) => [fingerprint, outcome, level]),
    errors: errors.map(({ operation, code, status }) => [operation, code, status]),
  };
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
