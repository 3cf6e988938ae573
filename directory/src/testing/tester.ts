import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type TestRequest, visible } from 'probity/model';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import type { JudgeListing } from '../listings/judge-listing.ts';
import { goodCapabilities, readCapabilities, refusalOf } from '../probing/target-client.ts';
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
  /** The run was under way already, whatever its input. */
  readonly joined: boolean;
}

/** Who wants a test: a caller waits for it, and nobody does for one that was due. */
export type AskedBy = 'caller' | 'background';

export interface Tester {
  /**
   * Tests an entry's target, or waits for the test of it that is under way here or in another instance.
   *
   * @throws Problem when no test can be made: the input fits nothing, the target may not be asked, too much is under way
   */
  test(entry: Entry, request: TestRequest, askedBy?: AskedBy): Promise<TestAnswer>;
  /** Lets tests end that a caller waits for, interrupts the others, and takes on no more. */
  stop(): Promise<void>;
}

export interface TesterOptions {
  readonly judgeListing: JudgeListing;
  readonly log: Log;
}

interface LocalRun {
  readonly answer: Promise<TestAnswer>;
  readonly interrupting: AbortController;
  isWaitedFor: boolean;
}

const POLL_MS = 250;
/** A run that ends without a result gives its place to the next; so often in a row none can be made. */
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
      // In this order: what is stored in one step with the run's end would else be missed.
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
    askedBy: AskedBy,
    interrupt: AbortSignal,
  ): Promise<TestAnswer> => {
    for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
      const runId = randomUUID();
      const claim = await claimRun(db, entry.id, runId, LEASE_MS);
      if (claim.kind === 'no-entry')
        throw new Problem('server-not-found', 'The directory lists this server no more.');
      const isOwn = claim.kind === 'claimed';
      const result = isOwn
        ? await conductTest(
            { service, places, judgeListing, log },
            { entry, samples, runId, askedBy, interrupt },
          )
        : await pollOther(entry.id, claim.runId);
      if (result !== null) return { result, joined: !isOwn };
    }
    throw new Problem('busy', 'Other tests of this server began and came to nothing. Ask again in 15 s.', {
      headers: { 'retry-after': '15' },
      more: { retryAfterSeconds: 15 },
    });
  };

  const join = async (run: LocalRun, askedBy: AskedBy): Promise<TestAnswer> => {
    run.isWaitedFor ||= askedBy === 'caller';
    return { ...(await run.answer), joined: true };
  };

  const start = (entry: Entry, samples: TestSamples, askedBy: AskedBy): Promise<TestAnswer> => {
    if (ending.signal.aborted) throw stopping();
    const interrupting = new AbortController();
    const answer = answerTo(entry, samples, askedBy, interrupting.signal).finally(() =>
      runs.delete(entry.id),
    );
    runs.set(entry.id, { answer, interrupting, isWaitedFor: askedBy === 'caller' });
    return answer;
  };

  return {
    test: async (entry, request, askedBy = 'caller') => {
      const refusal = refusalOf(entry, settings);
      if (refusal !== null) {
        const why = `This server cannot be tested: ${visible(refusal.message)}.`;
        await holdRefused(db, entry.id, why);
        throw new Problem('target-refused', why);
      }
      const known = entry.capabilities;
      const samples = known === null ? null : testSamples(entry.listing, known, request);
      const underWay = runs.get(entry.id);
      if (underWay !== undefined) return join(underWay, askedBy);
      if (samples !== null || (request.input === undefined && request.function === undefined))
        return start(entry, samples ?? testSamples(entry.listing, null, request), askedBy);
      const { exchange } = await readCapabilities(entry, service);
      const fitted = testSamples(entry.listing, goodCapabilities(exchange), request);
      const begunMeanwhile = runs.get(entry.id);
      return begunMeanwhile === undefined ? start(entry, fitted, askedBy) : join(begunMeanwhile, askedBy);
    },
    stop: async () => {
      ending.abort();
      places.close();
      for (const { isWaitedFor, interrupting } of runs.values()) if (!isWaitedFor) interrupting.abort();
      await Promise.allSettled([...runs.values()].map(({ answer }) => answer));
    },
  };
}
