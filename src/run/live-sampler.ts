import { availableParallelism } from 'node:os';
import type { LoadHooks, LoadPlan } from '../latency/load-plan.ts';
import { runLoad } from '../latency/run-load.ts';
import type { LoadModel, LoadRequest, LoadResult, LoadTransport, TransportOptions } from '../model/load.ts';
import type { Measurement } from '../model/measurement.ts';
import type { Probe, Sampler, SamplingPlan, Secret } from '../model/probe.ts';
import { TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
import { bytesOf } from '../model/sent.ts';
import { type GivenHeader, withGiven } from '../probe/given-headers.ts';
import { createLeanTransport } from '../probe/load/lean-transport.ts';
import { createRedactor } from '../probe/redactor.ts';
import { systemClock } from '../probe/system-clock.ts';
import { loadBuiltInServer } from './built-in-load.ts';
import { measurementOf as loadMeasurement } from './measurement-of.ts';
import { createMessageTransport } from './message-transport.ts';
import { threadTime } from './thread-time.ts';

/** Runs a load and returns its result. */
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

export interface LiveSamplerOptions {
  /** Sent with every request that is not anonymous; they replace a step's headers of the same name. */
  readonly headers: readonly GivenHeader[];
  readonly secrets: readonly Secret[];
  readonly publicOnly: boolean;
  /** Trusted certificate authorities as PEM; null for those that Node.js trusts. */
  readonly ca: string | null;
  readonly signal: AbortSignal;
  readonly offerLoad: OfferLoad;
  /** Sends timed messages; only for a server of the Model Context Protocol. */
  readonly messages?: Probe | undefined;
  /** For all repeated measurements together. */
  readonly repeatsMs: number;
}

/** Maximum number of attempts at an unreliable measurement. */
const MAX_ATTEMPTS = 3;

/** Times requests at a constant rate over connections that stay open. */
export function createLiveSampler(options: LiveSamplerOptions): Sampler {
  const redactor = createRedactor(options.secrets);
  let { repeatsMs: repeatsLeftMs } = options;
  const warmUp = async (): Promise<void> => {
    if (warmed.has(options.offerLoad)) return;
    await warmUpEngine(options);
    if (!options.signal.aborted) warmed.add(options.offerLoad);
  };
  return {
    warmUp,
    measure: async (first, onStall) => {
      await warmUp();
      const startMs = performance.now();
      const endsAtMs = startMs + first.withinMs;
      let plan = first;
      let hasStalled = false;
      const giveWay = (): void => {
        hasStalled = true;
        onStall?.();
      };
      let measurement: Measurement | null = null;
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const attemptMs = performance.now();
        const leftMs = endsAtMs - attemptMs;
        if (options.signal.aborted || leftMs <= 0 || hasStalled) break;
        const isLast = attempt === MAX_ATTEMPTS;
        const result = await attemptOnce(
          plan,
          isLast ? null : MAX_WAITING,
          leftMs,
          options,
          onStall && giveWay,
        );
        const nowMs = performance.now();
        const tookMs = nowMs - attemptMs;
        if (attempt > 1) repeatsLeftMs -= tookMs;
        const made = measurementOf(plan, result, attempt, redactor.text);
        const fellBehind = !('defect' in result) && result.fellBehind;
        // An attempt without a single completed call must not replace an earlier one.
        if (measurement === null || made.count > 0) measurement = made;
        if (isLast || isFinal(made, fellBehind)) break;
        if (fellBehind) {
          plan = slower(plan, result, Math.min(endsAtMs - nowMs, repeatsLeftMs));
          continue;
        }
        if (nowMs + tookMs - startMs > plan.repeatWithinMs) break;
        const restMs = attempt * REST_MS;
        if (restMs + tookMs > repeatsLeftMs) break;
        repeatsLeftMs -= restMs;
        await systemClock.sleep(restMs, options.signal);
      }
      return measurement === null || measurement.count + measurement.unreliable.length === 0
        ? null
        : measurement;
    },
  };
}

/** Before the next attempt, because an overload of the client is often short. */
const REST_MS = 300;

/** Refusals and failures of the target are a result, even if the client was overloaded. */
function isFinal({ unreliable, errorKinds, load }: Measurement, fellBehind: boolean): boolean {
  if (fellBehind) return false;
  return (
    unreliable.length === 0 ||
    load.stoppedBy !== null ||
    errorKinds.some(({ status }) => status !== undefined)
  );
}

/** Reduces the rate if calls waited for each other: their times then show the rate, not the server. */
const SLOWER = 0.5;
const MAX_WAITING = 5;
/** A percentile needs this many calls. */
const MIN_CALLS = 6;

function slower(plan: SamplingPlan, { throughputPerSecond }: LoadResult, leftMs: number): SamplingPlan {
  const carried = throughputPerSecond > 0 ? throughputPerSecond : plan.ratePerSecond * SLOWER;
  const ratePerSecond = SLOWER * Math.min(carried, plan.ratePerSecond);
  const possible = Math.floor((Math.min(leftMs, plan.repeatWithinMs) / 1000) * ratePerSecond);
  return { ...plan, ratePerSecond, calls: Math.min(plan.calls, Math.max(MIN_CALLS, possible)) };
}

/** Much longer than a call before the timed ones took, from which the rate follows; calls that wait end an attempt first. */
const STALL_CALLS = 10;
const MIN_STALL_MS = 1000;

function stallMs({ ratePerSecond, timeoutMs }: SamplingPlan): number {
  return Math.min(timeoutMs, Math.max(MIN_STALL_MS, (STALL_CALLS * 1000) / ratePerSecond));
}

type Attempt = LoadResult | { readonly defect: string };

async function attemptOnce(
  plan: SamplingPlan,
  maxWaiting: number | null,
  leftMs: number,
  options: LiveSamplerOptions,
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

const WARM_UP_CALLS = 300;
const MAX_WARM_UP_MS = 500;

/** Engines that were warmed up in this thread. */
const warmed = new WeakSet<OfferLoad>();

/** Compiling the engine slows down the first calls of a thread, and must not count as the target's time. */
async function warmUpEngine({ offerLoad: offer, signal }: LiveSamplerOptions): Promise<void> {
  try {
    await loadBuiltInServer(
      {
        maxRequests: WARM_UP_CALLS,
        durationMs: MAX_WARM_UP_MS,
        warmUpMs: 0,
        requestTimeoutMs: MAX_WARM_UP_MS,
      },
      (plan) => offer(plan, { ca: null, publicOnly: false, timeoutMs: MAX_WARM_UP_MS }, signal),
    );
  } catch {
    // Where nothing may listen, the first figures are merely a little less exact.
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

/** A message is written by its conversation. */
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
function measurementOf(
  plan: SamplingPlan,
  result: Attempt,
  attempt: number,
  redact: (text: string) => string,
): Measurement {
  const { operation, functionName, key, calls } = plan;
  if (!('defect' in result)) {
    const made = loadMeasurement({ key, operation, functionName, planned: calls }, result, 0, redact);
    return { ...made, load: { ...made.load, attempts: attempt } };
  }
  return {
    key,
    operation,
    ...(functionName === null ? {} : { function: functionName }),
    count: 0,
    errors: 0,
    samples: 0,
    intervals: {},
    load: {
      model: modelOf(plan),
      transport: 'sends' in plan.request ? 'message' : 'lean',
      planned: calls,
      attempts: attempt,
      stoppedBy: null,
    },
    throughputPerSecond: 0,
    client: null,
    histogram: null,
    unreliable: [redact(`the harness could not measure: ${result.defect}`)],
    errorKinds: [],
  };
}

function modelOf({ ratePerSecond, connections }: SamplingPlan): LoadModel {
  return { kind: 'open', ratePerSecond, arrivals: 'constant', maxConnections: connections };
}
