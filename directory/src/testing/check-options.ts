import type { CheckOptions } from 'probity';
import { traceparentOf } from 'probity/service';
import { targetTokenOf } from '../probing/target-token.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Entry } from '../store/entries.ts';
import type { Span } from '../tracing/tracer.ts';
import type { EntryCheckOptions } from './check-entry.ts';
import type { TestSamples } from './test-samples.ts';

/** The options of a check of an entry's target. */
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
