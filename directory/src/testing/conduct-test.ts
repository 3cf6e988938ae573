import { type CheckOptions, checkServer } from 'probity';
import { reportPieces } from 'probity/model';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import type { JudgedTest, JudgeListing } from '../listings/judge-listing.ts';
import { targetTokenOf } from '../probing/target-token.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Entry } from '../store/entries.ts';
import { countCall } from '../store/keys.ts';
import { releaseRun } from '../store/runs.ts';
import { keepResult } from './keep-result.ts';
import { keepLease, type Log } from './run-lease.ts';
import { stopping, type TestPlaces } from './test-places.ts';
import type { TestSamples } from './test-samples.ts';

interface TestBench {
  readonly service: Service;
  readonly places: TestPlaces;
  readonly judgeListing: JudgeListing;
  readonly log: Log;
}

interface OrderedTest {
  readonly entry: Entry;
  readonly samples: TestSamples;
  /** Claimed already. */
  readonly runId: string;
  readonly askedBy: 'caller' | 'background';
  readonly interrupt: AbortSignal;
}

/**
 * Makes a test whose run is claimed, keeps what came of it, and lets go of the run in any case. Null when the run was
 * taken over by somebody else meanwhile.
 */
export async function conductTest(bench: TestBench, ordered: OrderedTest): Promise<Buffer | null> {
  const { service, log } = bench;
  const { entry, runId, interrupt } = ordered;
  const { db } = service.store;
  const lease = keepLease(db, entry.id, runId, log);
  let leave = (): void => undefined;
  try {
    leave = await placeFor(bench, ordered);
    const signal = AbortSignal.any([interrupt, lease.lost]);
    const { result, judgement } = await checkAndJudge(bench, ordered, signal);
    const body = Buffer.concat([...reportPieces(result)].map((piece) => Buffer.from(piece)));
    leave();
    if (lease.lost.aborted) return null;
    // What an interrupted test leaves undecided would be held against the target.
    if (interrupt.aborted) throw stopping();
    const kept = await keepResult(service, {
      entry,
      result,
      body,
      judgement,
      callersFunctions: ordered.samples.callersFunctions,
    });
    return kept === 'lost' ? null : body;
  } finally {
    leave();
    lease.stopRenewing();
    await releaseRun(db, entry.id, runId).catch((error: unknown) =>
      log.warn({ err: error, entryId: entry.id }, 'the lease of a test could not be let go of'),
    );
  }
}

/** Only tests that are begun count against the target's limit, and none waits that would be refused afterwards. */
async function placeFor(
  { service, places }: TestBench,
  { entry, askedBy }: OrderedTest,
): Promise<() => void> {
  const spare = askedBy === 'background' ? await places.takeSpare() : null;
  if (askedBy === 'background' && spare === null)
    throw new Problem('busy', 'Callers need all places; what is due waits.');
  try {
    if (askedBy === 'caller') places.requireRoom();
    const limit = service.settings.limits.targetTests;
    const { used, endsInSeconds } = await countCall(service.store.db, `target:${entry.id}`, limit);
    if (used > limit.calls)
      throw new Problem(
        'rate-limited',
        `A server is tested ${limit.calls} times in ${limit.windowSeconds} s at most, whoever asks; ask again in ${endsInSeconds} s.`,
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

/** What the listing names is fetched while the target is asked: both have to end by the deadline. */
async function checkAndJudge(
  { service: { settings }, judgeListing, log }: TestBench,
  { entry, samples, runId }: OrderedTest,
  signal: AbortSignal,
): Promise<JudgedTest> {
  const gathering = judgeListing.gather(entry.listing, signal);
  // Looked at when the check is done; until then a failure must not count as unhandled.
  gathering.catch(() => undefined);
  const checked = await checkServer(entry.endpoint, { ...checkOptions(settings, entry, samples), signal });
  const result = { ...checked, id: runId };
  try {
    return judgeListing.judge(entry.listing, result, await gathering);
  } catch (error) {
    // Trouble of the listing checks themselves decides nothing about an entry.
    log.error({ err: error, entryId: entry.id }, 'the listing checks failed');
    return { result, judgement: null };
  }
}

function latencyOf({ timedCalls }: ServiceSettings): Pick<CheckOptions, 'latency'> {
  if (timedCalls === null) return {};
  return { latency: timedCalls === 0 ? { off: true } : { samples: timedCalls } };
}

function checkOptions(settings: ServiceSettings, entry: Entry, { samples }: TestSamples): CheckOptions {
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
