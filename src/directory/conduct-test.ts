import type { ListingJudgement } from '../model/listing.ts';
import type { TestResult } from '../model/report.ts';
import { reportPieces } from '../report/serialise-report.ts';
import type { CheckOptions } from '../run/check-options.ts';
import { checkServer } from '../run/check-server.ts';
import type { JudgeListing } from './judge-listing.ts';
import { keepResult } from './keep-result.ts';
import { Problem } from './problem.ts';
import { keepLease, type Log } from './run-lease.ts';
import type { Service } from './service.ts';
import type { ServiceSettings } from './service-settings.ts';
import type { Entry } from './store/entries.ts';
import { countCall } from './store/keys.ts';
import { releaseRun } from './store/runs.ts';
import { targetKeyOf } from './target-key.ts';
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
    const { result, body } = await check(service.settings, ordered, AbortSignal.any([interrupt, lease.lost]));
    leave();
    if (lease.lost.aborted) return null;
    // What an interrupted test leaves undecided would be held against the target.
    if (interrupt.aborted) throw stopping();
    const judgement = await judged(bench, entry, result);
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
  const spare = askedBy === 'background' ? places.takeSpare() : null;
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

async function check(
  settings: ServiceSettings,
  { entry, samples, runId }: OrderedTest,
  signal: AbortSignal,
): Promise<{ readonly result: TestResult; readonly body: Buffer }> {
  const checked = await checkServer(entry.endpoint, { ...checkOptions(settings, entry, samples), signal });
  const result = { ...checked, id: runId };
  return { result, body: Buffer.concat([...reportPieces(result)].map((piece) => Buffer.from(piece))) };
}

function checkOptions(settings: ServiceSettings, entry: Entry, { samples }: TestSamples): CheckOptions {
  const bearerToken = targetKeyOf(entry, settings);
  const claimed = entry.figures_claimed && entry.decision === 'list' ? entry.response_time_ms : null;
  return {
    publicOnly: settings.publicOnly,
    deadlineMs: settings.testDeadlineMs,
    samples,
    transports: entry.transport,
    ...(bearerToken === null ? {} : { bearerToken }),
    ...(claimed === null ? {} : { claimedResponseTimeMs: claimed }),
    ...(settings.ca === null ? {} : { ca: settings.ca }),
  };
}

/** Trouble of the listing checks themselves decides nothing about an entry. */
async function judged(
  { judgeListing, log }: TestBench,
  { id, listing }: Entry,
  result: TestResult,
): Promise<ListingJudgement | null> {
  try {
    return await judgeListing(listing, result);
  } catch (error) {
    log.error({ err: error, entryId: id }, 'the listing checks failed');
    return null;
  }
}
