import { reportPieces } from 'probity/model';
import type { Service } from '../http/service.ts';
import type { Attempt } from '../jobs/attempts.ts';
import type { Log } from '../jobs/start-jobs.ts';
import type { Handler } from '../jobs/work-queue.ts';
import type { JudgedTest, JudgeListing } from '../listings/judge-listing.ts';
import type { PoliteTurns } from '../probing/polite-turns.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { postponeDue } from '../store/due.ts';
import { type Entry, readEntry } from '../store/entries.ts';
import { countCall } from '../store/keys.ts';
import { checkEntry } from './check-entry.ts';
import { checkOptions } from './check-options.ts';
import { whyRefused } from './hold-refused.ts';
import { keepResult } from './keep-result.ts';
import { type TestSamples, testSamples } from './test-samples.ts';

/** The time beyond the deadline in which a test is judged and stored. */
const STORING_SECONDS = 15;

/** The tests of a crowded host come one after another. */
const SPREAD_MS = 5 * 60_000;

/** A test that takes longer is given to another worker. */
export function expiryOfTest({ testDeadlineMs }: Pick<ServiceSettings, 'testDeadlineMs'>): number {
  return Math.ceil(testDeadlineMs / 1000) + STORING_SECONDS;
}

/** Runs the tests in the queue `test`, and stores their results. */
export function createTestWork(
  service: Service,
  turns: PoliteTurns,
  judgeListing: JudgeListing,
  log: Log,
): Handler<'test'> {
  const { db, wakeUps } = service.store;
  return async (attempt, signal) => {
    const entry = await readEntry(db, attempt.data.entryId);
    // A test for a caller was allowed when it was requested.
    const isScheduled = attempt.data.samples === null;
    if (entry === null || (isScheduled && (await whyRefused(service, entry)) !== null)) return 'done';
    const samples = samplesOf(entry, attempt);
    const turn = await turns.test(entry, expiryOfTest(service.settings) * 1000, async () =>
      // Counted when it has its turn, because a test that is put off sends nothing.
      isScheduled && !(await isWithinRate(service, entry))
        ? null
        : checkAndJudge({ service, judgeListing, log }, entry, { samples, id: attempt.jobId, signal }),
    );
    if (turn.kind === 'later') {
      // A caller waits for the job. The others would take the room of other hosts in the queue.
      if (attempt.priority > 0) return { againAfterMs: turn.afterMs };
      await postponeDue(db, entry.id, 'next_test_at', { afterMs: turn.afterMs, spreadMs: SPREAD_MS });
      return 'done';
    }
    if (turn.value === null) return 'done';
    const { result, judgement } = turn.value;
    // The undecided requirements of an interrupted test must not count against the target.
    if (signal.aborted) return 'interrupted';
    const body = Buffer.concat([...reportPieces(result)].map((piece) => Buffer.from(piece)));
    const input = { keyId: samples.callersKeyId, functions: samples.callersFunctions };
    await keepResult(service, { entry, result, body, judgement, input }, attempt);
    await wakeUps.send(db, 'test', attempt.jobId);
    return 'ended';
  };
}

/** Counts a scheduled test. */
async function isWithinRate(service: Service, entry: Entry): Promise<boolean> {
  const limit = service.settings.limits.targetTests;
  const { used } = await countCall(service.store.db, `target:${entry.id}`, limit);
  return used <= limit.calls;
}

function samplesOf({ listing }: Entry, { data: { samples } }: Attempt<'test'>): TestSamples {
  return samples === null ? testSamples(listing, null, {}) : (JSON.parse(samples) as TestSamples);
}

/** Fetches the documents of the listing while the target is checked, because both must end by the deadline. */
async function checkAndJudge(
  {
    service,
    judgeListing,
    log,
  }: { readonly service: Service; readonly judgeListing: JudgeListing; readonly log: Log },
  entry: Entry,
  {
    samples,
    id,
    signal,
  }: { readonly samples: TestSamples; readonly id: string; readonly signal: AbortSignal },
): Promise<JudgedTest> {
  const gathering = judgeListing.gather(entry.listing, signal);
  // Awaited after the check; until then a rejection must not count as unhandled.
  gathering.catch(() => undefined);
  const options = checkOptions(service.settings, entry, samples);
  const checked = await checkEntry(service, entry, { ...options, signal });
  const result = { ...checked, id };
  try {
    return judgeListing.judge(entry.listing, result, await gathering);
  } catch (error) {
    // An error in the listing checks decides nothing about the entry.
    log.error({ err: error, entryId: entry.id }, 'the listing checks failed');
    return { result, judgement: null };
  }
}
