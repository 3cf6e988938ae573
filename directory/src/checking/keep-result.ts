import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  contractOf,
  type ListingDecision,
  type ListingJudgement,
  type ResultOutline,
  reportPieces,
  shorten,
  type TestResult,
  type TransportFailure,
} from 'probity/model';
import { hasRow, oneRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { storeCapabilities } from '../entries/capabilities.ts';
import { noteContract } from '../entries/contracts.ts';
import { type Entry, lockEntries } from '../entries/entries.ts';
import { holdByPolicy } from '../entries/operator-decisions.ts';
import { readPolicy } from '../entries/policies.ts';
import { insertResult } from '../entries/results.ts';
import type { Service } from '../http/service.ts';
import { type Attempt, endAttempt, endAttemptWith, lockAttempt } from '../jobs/attempts.ts';
import type { InputOfTest, UnstoredResult } from '../jobs/tests.ts';
import { holdsMsOf } from '../settings/settings.ts';
import { gateOf } from '../targets/target-state.ts';
import { storeObservations } from '../watching/observations.ts';
import { capabilitiesOfTest, healthIn, observationsOfTest } from './observations-of-test.ts';
import { decideAfter, decideRefused } from './store-decision.ts';
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
  /** Not requested by a caller. */
  readonly isPlanned: boolean;
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
    const isKnown = await hasRow(db)`select from entries where id = ${entry.id} for no key update`;
    if (!isKnown || !(await hasListing(db, entry))) {
      const unstored: UnstoredResult = { result: body.toString('base64'), input: test.input };
      await endAttemptWith(db, attempt, unstored);
      return;
    }
    const now = new Date();
    const observations = observationsOfTest(entry.id, result);
    const health = healthIn(result);
    const gate = health === null ? null : gateOf(health, entry, settings);
    await storeObservations(db, entry.id, observations, { now, holdsMs: holdsMsOf(settings), gate });
    await decideAfter(db, test, { at: now, testEveryMs: settings.testEveryMs });
    await noteChanges(db, test);
    const capabilities = capabilitiesOfTest(result);
    if (capabilities !== null) await storeCapabilities(db, entry, capabilities, new Date(result.startedAt));
    const { decision } = await oneRow<{ decision: ListingDecision }>(db)`
      select decision from entries where id = ${entry.id}`;
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

/** Stores the decision on an entry that the directory must not call, unless its listing changed meanwhile. */
export async function keepRefusal(
  { store, settings }: Service,
  entry: Entry,
  refusal: TransportFailure,
): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    // The lock comes first, so that a concurrent approval by the operator is seen.
    await lockEntries(db, [entry.id]);
    if (await hasListing(db, entry))
      await decideRefused(db, entry, refusal, { at: new Date(), testEveryMs: settings.testEveryMs });
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
