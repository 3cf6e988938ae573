import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type TestRequest, visible } from 'probity/model';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import type { JudgeListing } from '../listings/judge-listing.ts';
import { refusalOf } from '../probing/target-access.ts';
import { readCapabilities, validCapabilities } from '../probing/target-client.ts';
import type { Entry } from '../store/entries.ts';
import { readResultBody } from '../store/results.ts';
import { claimRun, isUnderWay } from '../store/runs.ts';
import { conductTest } from './conduct-test.ts';
import { holdRefused } from './hold-refused.ts';
import { LEASE_MS, type Log } from './run-lease.ts';
import { createTestPlaces, stopping } from './test-places.ts';
import { type TestSamples, testSamples } from './test-samples.ts';

export interface TestAnswer {
  /** The test result as JSON: the bytes that are stored. */
  readonly result: Buffer;
  /** The test was already running, perhaps with another input. */
  readonly joined: boolean;
}

/** Who requested a test: a caller who waits for it, or the schedule. */
export type RequestedBy = 'caller' | 'background';

export interface Tester {
  /**
   * Tests an entry's target, or waits for a running test of it in this instance or another.
   *
   * @throws Problem when no test can run: the input matches no function, the target is refused, or the service is busy
   */
  test(entry: Entry, request: TestRequest, requestedBy?: RequestedBy): Promise<TestAnswer>;
  /** Finishes the tests that a caller waits for, interrupts the others, and refuses new ones. */
  stop(): Promise<void>;
}

export interface TesterOptions {
  readonly judgeListing: JudgeListing;
  readonly log: Log;
}

interface LocalRun {
  readonly answer: Promise<TestAnswer>;
  readonly interrupting: AbortController;
  hasCaller: boolean;
}

const POLL_MS = 250;
/** How often a test is claimed again when another test of the same server ends without a result. */
const MAX_CLAIMS = 5;

export function createTester(service: Service, { judgeListing, log }: TesterOptions): Tester {
  const { store, settings } = service;
  const { db } = store;
  const places = createTestPlaces({
    running: settings.limits.runningTests,
    waiting: settings.limits.waitingTests,
    retryAfterSeconds: Math.ceil(settings.testDeadlineMs / 1000),
  });
  const runs = new Map<string, LocalRun>();
  const ending = new AbortController();

  const pollOther = async (entryId: string, runId: string): Promise<Buffer | null> => {
    for (;;) {
      const isRunning = await isUnderWay(db, entryId, runId);
      // The run is read first: a result that is stored as the run ends would otherwise be missed.
      const body = await readResultBody(db, runId);
      if (body !== null || !isRunning) return body;
      await setTimeout(POLL_MS, undefined, { signal: ending.signal }).catch(() => {
        throw stopping();
      });
    }
  };

  const answerTo = async (
    entry: Entry,
    samples: TestSamples,
    requestedBy: RequestedBy,
    interrupt: AbortSignal,
  ): Promise<TestAnswer> => {
    for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
      const runId = randomUUID();
      const claim = await claimRun(db, entry.id, runId, LEASE_MS);
      if (claim.kind === 'no-entry')
        throw new Problem('server-not-found', 'This server was removed from the directory.');
      const isOwn = claim.kind === 'claimed';
      const result = isOwn
        ? await conductTest(
            { service, places, judgeListing, log },
            { entry, samples, runId, requestedBy, interrupt },
          )
        : await pollOther(entry.id, claim.runId);
      if (result !== null) return { result, joined: !isOwn };
    }
    throw new Problem('busy', 'Other tests of this server ended without a result. Retry in 15 s.', {
      headers: { 'retry-after': '15' },
      more: { retryAfterSeconds: 15 },
    });
  };

  const join = async (run: LocalRun, requestedBy: RequestedBy): Promise<TestAnswer> => {
    run.hasCaller ||= requestedBy === 'caller';
    return { ...(await run.answer), joined: true };
  };

  const start = (entry: Entry, samples: TestSamples, requestedBy: RequestedBy): Promise<TestAnswer> => {
    if (ending.signal.aborted) throw stopping();
    const interrupting = new AbortController();
    const answer = answerTo(entry, samples, requestedBy, interrupting.signal).finally(() =>
      runs.delete(entry.id),
    );
    runs.set(entry.id, { answer, interrupting, hasCaller: requestedBy === 'caller' });
    return answer;
  };

  return {
    test: async (entry, request, requestedBy = 'caller') => {
      const refusal = refusalOf(entry, settings);
      if (refusal !== null) {
        const why = `This server cannot be tested: ${visible(refusal.message)}.`;
        await holdRefused(db, entry.id, why);
        throw new Problem('target-refused', why);
      }
      const known = entry.capabilities;
      const samples = known === null ? null : testSamples(entry.listing, known, request);
      const underWay = runs.get(entry.id);
      if (underWay !== undefined) return join(underWay, requestedBy);
      if (samples !== null || (request.input === undefined && request.function === undefined))
        return start(entry, samples ?? testSamples(entry.listing, null, request), requestedBy);
      const { exchange } = await readCapabilities(entry, service);
      const matched = testSamples(entry.listing, validCapabilities(exchange), request);
      const startedMeanwhile = runs.get(entry.id);
      return startedMeanwhile === undefined
        ? start(entry, matched, requestedBy)
        : join(startedMeanwhile, requestedBy);
    },
    stop: async () => {
      ending.abort();
      places.close();
      for (const { hasCaller, interrupting } of runs.values()) if (!hasCaller) interrupting.abort();
      await Promise.allSettled([...runs.values()].map(({ answer }) => answer));
    },
  };
}
