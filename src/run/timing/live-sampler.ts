import type { LoadResult } from '../../model/load.ts';
import type { Measurement } from '../../model/measurement.ts';
import type { Clock, Sampler, SamplingPlan, Secret } from '../../model/probe.ts';
import { createRedactor } from '../../probe/redactor.ts';
import { loadBuiltInServer } from './built-in-load.ts';
import { attemptOnce, type LoadSettings, measurementOf, type OfferLoad } from './load-attempt.ts';

export interface LiveSamplerOptions extends LoadSettings {
  readonly clock: Clock;
  readonly secrets: readonly Secret[];
  /** For all repeated measurements together. */
  readonly repeatsMs: number;
}

const MAX_ATTEMPTS = 3;

/** Times requests at a constant rate over connections that stay open. */
export function createLiveSampler(options: LiveSamplerOptions): Sampler {
  const redactor = createRedactor(options.secrets);
  const { clock } = options;
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
      const startMs = clock.monotonicMs();
      const endsAtMs = startMs + first.withinMs;
      let plan = first;
      let hasStalled = false;
      const giveWay = (): void => {
        hasStalled = true;
        onStall?.();
      };
      let measurement: Measurement | null = null;
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const attemptMs = clock.monotonicMs();
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
        const nowMs = clock.monotonicMs();
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
        await clock.sleep(restMs, options.signal);
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
