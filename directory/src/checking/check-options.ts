import type { CheckOptions } from 'probity';
import type { TestResult } from 'probity/model';
import { type CheckPool, createCheckPool, traceparentOf } from 'probity/service';
import type { Entry } from '../entries/entries.ts';
import type { Service } from '../http/service.ts';
import { QUEUES } from '../jobs/queues.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { START_TIMEOUT_MS } from '../targets/bridges.ts';
import { targetTokenOf } from '../targets/target-access.ts';
import type { Span } from '../telemetry/tracer.ts';
import type { TestSamples } from './test-samples.ts';

export function checkOptions(
  settings: ServiceSettings,
  entry: Entry,
  { samples }: TestSamples,
  span: Span | null = null,
): Omit<EntryCheckOptions, 'signal'> {
  const token = targetTokenOf(entry, settings.environment);
  const claimed = entry.figures_claimed && entry.decision === 'list' ? entry.response_time_ms : null;
  return {
    publicOnly: settings.publicOnly,
    deadlineMs: settings.testDeadlineMs,
    samples,
    transports: entry.listing.transport,
    // Without tracestate: its values could not be distinguished from other text in an answer.
    ...(span === null ? {} : { headers: { traceparent: traceparentOf(span.context) } }),
    ...(token.kind === 'token' ? { bearerToken: token.token } : {}),
    listingGiven: true,
    ...latencyOf(settings),
    ...(claimed === null ? {} : { claimedResponseTimeMs: claimed }),
    ...(settings.ca === null ? {} : { ca: settings.ca }),
  };
}

function latencyOf({ timedCalls }: ServiceSettings): Pick<CheckOptions, 'latency'> {
  if (timedCalls === null) return {};
  return { latency: timedCalls === 0 ? { off: true } : { samples: timedCalls } };
}

type EntryCheckOptions = CheckOptions & Required<Pick<CheckOptions, 'deadlineMs' | 'publicOnly' | 'signal'>>;

/** Checks mostly wait for the pace of their targets. More in a thread would wait for each other. */
const [MIN_IN_THREAD, MAX_IN_THREAD] = [16, 64];
/** Only one check at a time times its target, and a dedicated thread takes much memory. */
const MAX_OWN_THREADS = 8;

/** The threads of the tests of one process, for as many as it may run at once. */
export function createChecks({ limits, concurrency, packageCommands }: ServiceSettings): CheckPool {
  const { checkThreads: threads, runningTests } = limits;
  const atOnce = concurrency ?? Math.max(runningTests, QUEUES.audit.concurrency);
  return createCheckPool({
    threads,
    // One more for the check of a package, which tests must not wait for.
    ownThreads:
      Math.min(concurrency ?? runningTests, MAX_OWN_THREADS) +
      (Object.keys(packageCommands).length > 0 ? 1 : 0),
    checksPerThread: Math.min(Math.max(Math.ceil(atOnce / threads), MIN_IN_THREAD), MAX_IN_THREAD),
  });
}

/** Checks the target of an entry, in the protocol that it speaks. */
export function checkEntry(
  { checks }: Service,
  { endpoint, listing }: Entry,
  options: EntryCheckOptions,
): Promise<TestResult> {
  return checks.check(
    endpoint,
    listing.protocol === 'mcp' ? { ...options, mcp: { startTimeoutMs: START_TIMEOUT_MS } } : options,
  );
}
