import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { TestRequest, TestResult } from 'probity/model';
import { traceparentOf } from 'probity/service';
import { countCall } from '../accounts/keys.ts';
import type { Db } from '../db/tables.ts';
import { type Entry, readTarget } from '../entries/entries.ts';
import { Problem, pausedProblem, retryProblem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { CALLER_PRIORITY } from '../jobs/queues.ts';
import type { Jobs } from '../jobs/start-jobs.ts';
import { countTests, type InputOfTest, joinTest, type TestState, testState } from '../jobs/tests.ts';
import { refusalOf } from '../targets/target-access.ts';
import { readCapabilities, validCapabilities } from '../targets/target-client.ts';
import type { Span } from '../telemetry/tracer.ts';
import { expiryOfTest } from './conduct-test.ts';
import { reportBytes } from './keep-result.ts';
import { refusedWords } from './look.ts';
import { type TestSamples, testSamples } from './test-samples.ts';
import { withoutCallersInput } from './without-callers-input.ts';

/** Without a wake-up, such as when a worker died, the test is read again after this time. */
const REREAD_MS = 2000;
/** How often a test is requested again when another one of the same server ends meanwhile. */
const MAX_REQUESTS = 5;

/** How many deadlines of a test a caller waits for a worker to take it. */
const WAITING_DEADLINES = 3;

const unzip = promisify(gunzip);

/** Requests tests for callers. Workers run them: in this process, or in others. */
export class Tester {
  readonly #service: Service;
  readonly #db: Db;
  readonly #jobs: Jobs;
  readonly #ending = new AbortController();

  constructor(service: Service, jobs: Jobs) {
    this.#service = service;
    this.#db = service.store.db;
    this.#jobs = jobs;
  }

  /**
   * Waits for a test of an entry's target: a new one at the front of the queue, or one that waits or runs already.
   *
   * @returns the test result as JSON, without the input of another caller; `joined`: the test was already waiting or running,
   *   perhaps with another input
   * @throws Problem when no test can run: the input matches no function, the target is refused, or the service is busy
   */
  async test(
    entry: Entry,
    request: TestRequest,
    { keyId, span }: Readonly<{ keyId: string; span: Span | null }>,
  ): Promise<{ readonly result: Buffer; readonly joined: boolean }> {
    if (entry.status === 'paused')
      throw pausedProblem({ until: entry.paused_until, reason: entry.pause_reason }, Date.now());
    if (!entry.accepts_tests)
      throw new Problem('target-refused', 'The author of this server refuses tests by directories.');
    const refusal = refusalOf(entry, this.#service.settings);
    if (refusal !== null) throw new Problem('target-refused', refusedWords(refusal));
    const samples = await this.#samplesFor(entry, request, keyId);
    const { id, joined } = await this.#request(entry, samples, span);
    const outcome = await this.#outcomeOf(id);
    switch (outcome.kind) {
      case 'stored':
      case 'unstored':
        return { result: shownTo(keyId, await unzip(outcome.body), outcome.input), joined };
      case 'closed':
        throw closed(outcome.until);
      case 'failed':
        throw new Error(`all attempts at the test ${id} failed`);
      default:
        if ((await readTarget(this.#db, entry.id)) === null)
          throw new Problem('server-not-found', 'This server was removed from the directory.');
        throw busy('The test ended without a result', RETRY_SECONDS);
    }
  }

  /** Refuses requests whose test has not started. The others wait for their results. */
  stop(): void {
    this.#ending.abort();
  }

  async #samplesFor(entry: Entry, request: TestRequest, keyId: string): Promise<TestSamples> {
    const known = entry.capabilities;
    if (known !== null || (request.input === undefined && request.function === undefined))
      return testSamples(entry.listing, known, request, keyId);
    const exchange = await readCapabilities(entry, this.#service);
    await this.#service.limiter.heed(entry, { exchanges: [exchange], errors: [] });
    return testSamples(entry.listing, validCapabilities(exchange), request, keyId);
  }

  /** The job of a test that waits or runs, or of a new one. */
  async #request(
    entry: Entry,
    samples: TestSamples,
    span: Span | null,
  ): Promise<{ id: string; joined: boolean }> {
    const asked = {
      samples: JSON.stringify(samples),
      traceparent: span === null ? null : traceparentOf(span.context),
    };
    for (let requests = 0; requests < MAX_REQUESTS; requests += 1) {
      const joined = await joinTest(this.#db, entry.id, {
        traceparent: asked.traceparent,
        hasInput: samples.callersFunctions.length > 0,
      });
      if (joined !== null) {
        // It may have waited behind others, and a reserved slot may be free.
        await this.#jobs.wake(this.#db, 'test');
        return { id: joined, joined: true };
      }
      await this.#requireRoom();
      await this.#requireRate(entry);
      const id = await this.#jobs.send('test', {
        key: entry.id,
        data: { entryId: entry.id, ...asked },
        priority: CALLER_PRIORITY,
        expireInSeconds: expiryOfTest(this.#service.settings),
      });
      if (id !== null) return { id, joined: false };
    }
    throw busy('Other tests of this server end meanwhile', RETRY_SECONDS);
  }

  async #requireRoom(): Promise<void> {
    if (this.#ending.signal.aborted) throw stopping();
    const { limits, testDeadlineMs } = this.#service.settings;
    const { runningTests, waitingTests } = limits;
    const { running, waiting } = await countTests(this.#db);
    if (waiting < waitingTests || running + waiting < runningTests + waitingTests) return;
    throw busy(`${running} tests are running and ${waiting} are queued`, Math.ceil(testDeadlineMs / 1000));
  }

  /** Checked before a test is queued. A test that is refused for lack of slots does not count. */
  async #requireRate(entry: Entry): Promise<void> {
    const limit = this.#service.settings.limits.targetTests;
    const { used, endsInSeconds } = await countCall(this.#db, `target:${entry.id}`, limit);
    if (used <= limit.calls) return;
    throw retryProblem(
      'rate-limited',
      `A server is tested up to ${limit.calls} times in ${limit.windowSeconds} s, for all callers together; retry in ${endsInSeconds} s.`,
      endsInSeconds,
    );
  }

  async #outcomeOf(jobId: string): Promise<TestState> {
    const { store, ending, settings } = this.#service;
    let waking = new AbortController();
    const wake = (): void => waking.abort();
    const unsubscribe = store.wakeUps.on('test', (ended) => {
      if (ended === null || ended === jobId) wake();
    });
    const endings = [this.#ending.signal, ending];
    for (const signal of endings) signal.addEventListener('abort', wake);
    const patienceMs = WAITING_DEADLINES * settings.testDeadlineMs;
    let giveUpAtMs = performance.now() + patienceMs;
    try {
      for (;;) {
        const state = await testState(this.#db, jobId);
        // A worker has taken it. If that one dies, the test waits anew for another.
        if (state.kind === 'running') giveUpAtMs = performance.now() + patienceMs;
        if (state.kind === 'waiting' && this.#ending.signal.aborted) throw stopping();
        if (state.kind === 'waiting' && performance.now() > giveUpAtMs)
          throw untaken(settings.testDeadlineMs, state.isHostBusy);
        if (state.kind !== 'waiting' && state.kind !== 'running') return state;
        if (ending.aborted) throw stopping();
        await setTimeout(REREAD_MS, undefined, { signal: waking.signal }).catch(() => undefined);
        if (waking.signal.aborted) waking = new AbortController();
      }
    } finally {
      unsubscribe();
      for (const signal of endings) signal.removeEventListener('abort', wake);
    }
  }
}

function shownTo(keyId: string, body: Buffer, input: InputOfTest): Buffer {
  if (input.functions.length === 0 || input.keyId === keyId) return body;
  const result = JSON.parse(body.toString()) as TestResult;
  return reportBytes(withoutCallersInput(result, input.functions));
}

const RETRY_SECONDS = 15;

function busy(why: string, retryAfterSeconds: number): Problem {
  return retryProblem('busy', `${why}; retry in ${retryAfterSeconds} s.`, retryAfterSeconds);
}

function untaken(testDeadlineMs: number, isHostBusy: boolean): Problem {
  const seconds = Math.ceil((WAITING_DEADLINES * testDeadlineMs) / 1000);
  const why = isHostBusy
    ? `Other requests of this directory to the host of the server left no room for the test within ${seconds} s`
    : `No worker took the test within ${seconds} s`;
  return new Problem('unavailable', `${why}. It stays in the queue; retry to wait for it again.`, {
    headers: { 'retry-after': '60' },
  });
}

/** Like the answer of the gateway to a call of such a server. */
function closed(until: Date): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1000));
  return retryProblem(
    'rate-limited',
    `This server, or others of its host, asked the directory not to send requests until ${until.toISOString()}; retry in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  );
}

function stopping(): Problem {
  return new Problem('unavailable', 'This instance of the directory is stopping. Retry the request.', {
    headers: { 'retry-after': '5' },
  });
}
