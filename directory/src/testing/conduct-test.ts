import type { CheckOptions } from 'probity';
import { reportPieces } from 'probity/model';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import type { JudgedTest, JudgeListing } from '../listings/judge-listing.ts';
import { targetTokenOf } from '../probing/target-token.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Entry } from '../store/entries.ts';
import { countCall } from '../store/keys.ts';
import { releaseRun } from '../store/runs.ts';
import { checkEntry, type EntryCheckOptions } from './check-entry.ts';
import { keepResult } from './keep-result.ts';
import { keepLease, type Log } from './run-lease.ts';
import { stopping, type TestPlaces } from './test-places.ts';
import type { TestSamples } from './test-samples.ts';

interface TestContext {
  readonly service: Service;
  readonly places: TestPlaces;
  readonly judgeListing: JudgeListing;
  readonly log: Log;
}

interface TestJob {
  readonly entry: Entry;
  readonly samples: TestSamples;
  /** The run must be claimed already. */
  readonly runId: string;
  readonly requestedBy: 'caller' | 'background';
  readonly interrupt: AbortSignal;
}

/**
 * Runs a test whose run is claimed, stores its result, and always releases the run. Null when another instance took
 * over the run.
 */
export async function conductTest(context: TestContext, job: TestJob): Promise<Buffer | null> {
  const { service, log } = context;
  const { entry, runId, interrupt } = job;
  const { db } = service.store;
  const lease = keepLease(db, entry.id, runId, log);
  let leave = (): void => undefined;
  try {
    leave = await placeFor(context, job);
    const signal = AbortSignal.any([interrupt, lease.lost]);
    const { result, judgement } = await checkAndJudge(context, job, signal);
    const body = Buffer.concat([...reportPieces(result)].map((piece) => Buffer.from(piece)));
    leave();
    if (lease.lost.aborted) return null;
    // The undecided requirements of an interrupted test must not count against the target.
    if (interrupt.aborted) throw stopping();
    const kept = await keepResult(service, {
      entry,
      result,
      body,
      judgement,
      callersFunctions: job.samples.callersFunctions,
    });
    return kept === 'lost' ? null : body;
  } finally {
    leave();
    lease.stopRenewing();
    await releaseRun(db, entry.id, runId).catch((error: unknown) =>
      log.warn({ err: error, entryId: entry.id }, 'the lease of a test could not be released'),
    );
  }
}

/** Checks the target's limit before a test is queued. A test that is refused for lack of places does not count. */
async function placeFor(
  { service, places }: TestContext,
  { entry, requestedBy }: TestJob,
): Promise<() => void> {
  const spare = requestedBy === 'background' ? await places.takeSpare() : null;
  if (requestedBy === 'background' && spare === null)
    throw new Problem('busy', 'Callers use all places; scheduled tests wait.');
  try {
    if (requestedBy === 'caller') places.requireRoom();
    const limit = service.settings.limits.targetTests;
    const { used, endsInSeconds } = await countCall(service.store.db, `target:${entry.id}`, limit);
    if (used > limit.calls)
      throw new Problem(
        'rate-limited',
        `A server is tested up to ${limit.calls} times in ${limit.windowSeconds} s, for all callers together; retry in ${endsInSeconds} s.`,
        {
          headers: { 'retry-after': String(endsInSeconds) },
          more: { retryAfterSeconds: endsInSeconds },
        },
      );
    return spare ?? (await places.take());
  } catch (error) {
    spare?.();
    throw error;
  }
}

/** Fetches the documents of the listing while the target is checked, because both must end by the deadline. */
async function checkAndJudge(
  { service, judgeListing, log }: TestContext,
  { entry, samples, runId }: TestJob,
  signal: AbortSignal,
): Promise<JudgedTest> {
  const gathering = judgeListing.gather(entry.listing, signal);
  // Awaited after the check; until then a rejection must not count as unhandled.
  gathering.catch(() => undefined);
  const options = checkOptions(service.settings, entry, samples);
  const checked = await checkEntry(service, entry, { ...options, signal });
  const result = { ...checked, id: runId };
  try {
    return judgeListing.judge(entry.listing, result, await gathering);
  } catch (error) {
    // An error in the listing checks decides nothing about the entry.
    log.error({ err: error, entryId: entry.id }, 'the listing checks failed');
    return { result, judgement: null };
  }
}

function latencyOf({ timedCalls }: ServiceSettings): Pick<CheckOptions, 'latency'> {
  if (timedCalls === null) return {};
  return { latency: timedCalls === 0 ? { off: true } : { samples: timedCalls } };
}

function checkOptions(
  settings: ServiceSettings,
  entry: Entry,
  { samples }: TestSamples,
): Omit<EntryCheckOptions, 'signal'> {
  const token = targetTokenOf(entry, settings.environment);
  const claimed = entry.figures_claimed && entry.decision === 'list' ? entry.response_time_ms : null;
  return {
    publicOnly: settings.publicOnly,
    deadlineMs: settings.testDeadlineMs,
    samples,
    transports: entry.listing.transport,
    ...(token.kind === 'token' ? { bearerToken: token.token } : {}),
    listingGiven: true,
    ...latencyOf(settings),
    ...(claimed === null ? {} : { claimedResponseTimeMs: claimed }),
    ...(settings.ca === null ? {} : { ca: settings.ca }),
  };
}
