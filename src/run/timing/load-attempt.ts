// One attempt of the load engine at a planned measurement, and what it measured.
import { availableParallelism } from 'node:os';
import type { LoadHooks, LoadPlan } from '../../latency/load-plan.ts';
import { runLoad } from '../../latency/run-load.ts';
import type {
  LoadModel,
  LoadRequest,
  LoadResult,
  LoadTransport,
  TransportOptions,
} from '../../model/load.ts';
import type { Measurement } from '../../model/measurement.ts';
import type { Probe, SamplingPlan } from '../../model/probe.ts';
import { TOO_MANY_REQUESTS } from '../../model/rate-limit.ts';
import { bytesOf } from '../../model/sent.ts';
import { type GivenHeader, withGiven } from '../../probe/given-headers.ts';
import type { LiveProbeOptions } from '../../probe/live-probe.ts';
import { createLeanTransport } from '../../probe/load/lean-transport.ts';
import { measurementOf as loadMeasurement, type MeasuredLoad } from './measurement-of.ts';
import { createMessageTransport } from './message-transport.ts';
import { threadTime } from './thread-time.ts';

export type OfferLoad = (
  plan: LoadPlan,
  options: TransportOptions,
  signal: AbortSignal,
  stall?: LoadHooks['stall'],
) => Promise<LoadResult>;

/** Runs the engine in the calling thread, which does nothing else meanwhile. */
export const offerLoad: OfferLoad = (plan, options, signal, stall) =>
  offerTo(createLeanTransport(options))(plan, options, signal, stall);

function offerTo(transport: LoadTransport): OfferLoad {
  return (plan, _options, signal, stall) =>
    runLoad(plan, transport, {
      signal,
      cores: availableParallelism(),
      threadTime,
      ...(stall === undefined ? {} : { stall }),
    });
}

export interface LoadSettings extends Pick<LiveProbeOptions, 'headers' | 'publicOnly' | 'ca' | 'signal'> {
  readonly offerLoad: OfferLoad;
  /** Sends timed messages; only for a server of the Model Context Protocol. */
  readonly messages?: Probe | undefined;
}

/** Much longer than a call before the timed ones took, from which the rate follows; calls that wait end an attempt first. */
const STALL_CALLS = 10;
const MIN_STALL_MS = 1000;

function stallMs({ ratePerSecond, timeoutMs }: SamplingPlan): number {
  return Math.min(timeoutMs, Math.max(MIN_STALL_MS, (STALL_CALLS * 1000) / ratePerSecond));
}

export type Attempt = LoadResult | { readonly defect: string };

export async function attemptOnce(
  plan: SamplingPlan,
  maxWaiting: number | null,
  leftMs: number,
  options: LoadSettings,
  onStall?: () => void,
): Promise<Attempt> {
  const ending = new AbortController();
  const timer = Number.isFinite(leftMs) ? setTimeout(() => ending.abort(), leftMs) : undefined;
  try {
    const { request, key, timeoutMs } = plan;
    const { messages } = options;
    const offer =
      'sends' in request && messages !== undefined
        ? offerTo(createMessageTransport(messages, [request], { key, timeoutMs }))
        : options.offerLoad;
    const result = await offer(
      { ...loadPlanOf(plan, leftMs, options.headers), maxWaiting },
      { ca: options.ca, publicOnly: options.publicOnly, timeoutMs: plan.timeoutMs },
      AbortSignal.any([options.signal, ending.signal]),
      onStall === undefined ? undefined : { afterMs: stallMs(plan), onStall },
    );
    const ranOut = ending.signal.aborted && !options.signal.aborted;
    return ranOut ? { ...result, stoppedBy: 'there was no time left' } : result;
  } catch (error) {
    return { defect: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

function loadPlanOf(
  plan: SamplingPlan,
  leftMs: number,
  given: readonly GivenHeader[],
): Omit<LoadPlan, 'maxWaiting'> {
  return {
    requests: [loadRequestOf(plan, given)],
    model: modelOf(plan),
    maxRequests: plan.calls,
    durationMs: leftMs,
    // The call before has warmed up the target; more warm-up calls would exceed the requested number.
    warmUpMs: 0,
    requestTimeoutMs: plan.timeoutMs,
    seed: plan.seed,
    stopOnStatuses: [TOO_MANY_REQUESTS],
  };
}

function loadRequestOf({ request }: SamplingPlan, given: readonly GivenHeader[]): LoadRequest {
  if (!('url' in request)) return { method: 'POST', url: '', headers: [], body: null, weight: 1 };
  const { method, url, headers, body, anonymous } = request;
  return {
    method,
    url,
    headers: withGiven(headers, anonymous ? [] : given),
    body: body === null ? null : bytesOf(body),
    weight: 1,
  };
}

/** The measurement of an attempt, with secrets removed from all texts. */
export function measurementOf(
  plan: SamplingPlan,
  result: Attempt,
  attempt: number,
  redact: (text: string) => string,
): Measurement {
  const { operation, functionName, key, calls } = plan;
  const made = loadMeasurement(
    { key, operation, functionName, planned: calls },
    'defect' in result ? nothingMeasured(plan, result.defect) : result,
    0,
    redact,
  );
  return { ...made, load: { ...made.load, attempts: attempt } };
}

function nothingMeasured(plan: SamplingPlan, defect: string): MeasuredLoad {
  return {
    model: modelOf(plan),
    transport: 'sends' in plan.request ? 'message' : 'lean',
    series: [],
    throughputPerSecond: 0,
    client: null,
    stoppedBy: null,
    doubts: [`the harness could not measure: ${defect}`],
  };
}

function modelOf({ ratePerSecond, connections }: SamplingPlan): LoadModel {
  return { kind: 'open', ratePerSecond, arrivals: 'constant', maxConnections: connections };
}
