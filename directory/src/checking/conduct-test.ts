// The folder `checking` runs tests of entries and keeps their results: a caller requests one from `tester.ts`, and a worker,
// perhaps in another process, runs it here.

import { countCall } from '../accounts/keys.ts';
import type { Store } from '../db/open-store.ts';
import { type Entry, readEntry } from '../entries/entries.ts';
import { createGatherer, type JudgedTest, judgeTested } from '../entries/judge-listing.ts';
import type { Service } from '../http/service.ts';
import { type Attempt, endAttempt, endAttemptWith, urgentJobs } from '../jobs/attempts.ts';
import type { JobData } from '../jobs/queues.ts';
import { postponeDue } from '../jobs/schedule-due.ts';
import type { Log } from '../jobs/start-jobs.ts';
import type { WaitingForHost } from '../jobs/tests.ts';
import type { Ending, Handler } from '../jobs/work-queue.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { refusalOf } from '../targets/target-access.ts';
import type { Later } from '../targets/target-limiter.ts';
import type { Traced } from '../telemetry/tracer.ts';
import { checkEntry, checkOptions } from './check-options.ts';
import { keepRefusal, keepResult, reportBytes } from './keep-result.ts';
import { type TestSamples, testSamples } from './test-samples.ts';

/** The time beyond the deadline in which a test is judged and stored. */
const STORING_SECONDS = 15;

/** A caller waits so long when the host of the server asks for it. */
const CALLER_WAITS_MS = 10_000;

/** The tests of a crowded host come one after another. */
const SPREAD_MS = 5 * 60_000;

/** A test that takes longer is given to another worker. */
export function expiryOfTest({ testDeadlineMs }: Pick<ServiceSettings, 'testDeadlineMs'>): number {
  return Math.ceil(testDeadlineMs / 1000) + STORING_SECONDS;
}

/** Runs the tests in the queue `test`, and stores their results. */
export function createTests(service: Service, log: Log): Traced<Handler<'test'>> {
  const { store, settings, limiter } = service;
  const gather = createGatherer(settings);

  /** Fetches the documents of the listing while the target is checked, because both must end by the deadline. */
  const checkAndJudge = async (
    entry: Entry,
    options: ReturnType<typeof checkOptions>,
    id: string,
    signal: AbortSignal,
  ): Promise<JudgedTest> => {
    const gathering = gather(entry.listing, signal);
    // Awaited after the check; until then a rejection must not count as unhandled.
    gathering.catch(() => undefined);
    const result = { ...(await checkEntry(service, entry, { ...options, signal })), id };
    try {
      return await judgeTested(entry.listing, result, await gathering);
    } catch (error) {
      // An error in the listing checks decides nothing about the entry.
      log.error({ err: error, entryId: entry.id }, 'the listing checks failed');
      return { result, judgement: null };
    }
  };

  return async (attempt, signal, spanOfJob) => {
    const { data, jobId } = attempt;
    // Nobody asked for a trace of a planned test.
    const span = data.traceparent === null ? null : spanOfJob;
    const entry = await readEntry(store.db, data.entryId);
    // A test for a caller was allowed when it was requested.
    const isPlanned = data.samples === null;
    if (entry === null || entry.status === 'paused' || !entry.accepts_tests) return 'done';
    const refusal = isPlanned ? refusalOf(entry, settings) : null;
    if (refusal !== null) {
      await keepRefusal(service, entry, refusal);
      return 'done';
    }
    const samples = samplesOf(entry, data);
    const limited = await limiter.test(entry, expiryOfTest(settings) * 1000, async () =>
      // Counted when it has its lease, because a test that is put off sends nothing.
      isPlanned && !(await isWithinRate(service, entry))
        ? null
        : checkAndJudge(entry, checkOptions(settings, entry, samples, span), jobId, signal),
    );
    if (limited.kind === 'later') return later(store, attempt, limited);
    if (limited.value === null) return 'done';
    const { result, judgement } = limited.value;
    await limiter.heed(entry, result);
    // The undecided requirements of an interrupted test must not count against the target.
    if (signal.aborted) return 'interrupted';
    const input = { keyId: samples.callersKeyId, functions: samples.callersFunctions };
    const body = reportBytes(result);
    await keepResult(service, { entry, result, body, judgement, input, isPlanned }, attempt);
    await store.wakeUps.send(store.db, 'test', jobId);
    return 'ended';
  };
}

async function later(
  { db, wakeUps }: Store,
  attempt: Attempt<'test'>,
  { afterMs, because }: Later,
): Promise<Ending> {
  const { jobId, data } = attempt;
  // A caller may have joined the test since a worker took it.
  const isAwaited = (await urgentJobs(db, 'test', [jobId])).has(jobId);
  if (isAwaited && (because === 'crowded' || afterMs <= CALLER_WAITS_MS))
    return { againAfterMs: afterMs, output: { hostBusy: true } satisfies WaitingForHost };
  if (isAwaited) {
    const closedUntil = new Date(Date.now() + afterMs).toISOString();
    await endAttemptWith(db, attempt, { closedUntil } satisfies WaitingForHost);
    await wakeUps.send(db, 'test', jobId);
    return 'put-off';
  }
  // In the queue, the test would take the room of other hosts.
  await postponeDue(db, data.entryId, 'next_test_at', { afterMs, spreadMs: SPREAD_MS });
  await endAttempt(db, attempt);
  return 'put-off';
}

/** Counts a scheduled test. */
async function isWithinRate({ store, settings }: Service, entry: Entry): Promise<boolean> {
  const limit = settings.limits.targetTests;
  const { used } = await countCall(store.db, `target:${entry.id}`, limit);
  return used <= limit.calls;
}

function samplesOf({ listing }: Entry, { samples }: JobData['test']): TestSamples {
  return samples === null ? testSamples(listing, null, {}) : (JSON.parse(samples) as TestSamples);
}
