import {
  abortSignal,
  flag,
  listOf,
  OptionError,
  oneOf,
  orNull,
  positive,
  record,
  requireArguments,
  required,
  text,
} from '../../model/arguments.ts';
import type { CallPhases, PreparedCall, WantedCall } from '../../model/bench.ts';
import type { Kinds } from '../../model/kind.ts';
import type { LoadTransport, TransportOptions } from '../../model/load.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from '../../probe/live-probe.ts';
import { timePhases } from '../../probe/load/fresh-connections.ts';
import { systemClock } from '../../probe/system-clock.ts';
import { isLoopback } from '../../text/loopback.ts';
import { checkInputOf } from '../check-input.ts';
import { CHECK_OPTIONS, type CheckOptions, TARGET_URL } from '../check-options.ts';
import { decidingProbe } from '../deciding-probe.ts';
import { targetUrlOf } from '../run-settings.ts';
import { TargetSchemas } from '../target-schemas.ts';
import { type Bench, ENGINE, LOAD_ORDER, type LoadEngine } from './load-engine.ts';
import { loadPlanOf, prepareCalls } from './prepare-calls.ts';

/** An operation, or with `execute` a function, and its share of the mix. */
type BenchCall = Pick<WantedCall, 'operation' | 'weight'> & Partial<Pick<WantedCall, 'functionName'>>;

const { form, headers, bearerToken, bearerEnv, ca, publicOnly } = CHECK_OPTIONS;
const { samples, requestTimeoutMs, seed, mcp, onUnlikeAnswer } = CHECK_OPTIONS;
const ACCESS = { form, headers, bearerToken, bearerEnv, ca, publicOnly };
const OF_CHECKS = { ...ACCESS, samples, requestTimeoutMs, seed, mcp, onUnlikeAnswer };

/** The calls of a load, and how they are sent; the other options are those of a check. */
export interface BenchOptions extends Pick<CheckOptions, keyof typeof OF_CHECKS> {
  /** A mix of calls; only GET /health when left out. */
  readonly calls?: readonly BenchCall[];
  readonly transport?: LoadTransport['name'];
  /** The target's operator agreed to the load; required for a target on another machine. */
  readonly yesLoad?: boolean;
}

export const BENCH_OPTIONS = {
  ...OF_CHECKS,
  calls: listOf(
    record({
      operation: required(oneOf('health', 'capabilities', 'execute')),
      functionName: orNull(text),
      weight: required(positive),
    }),
  ),
  transport: oneOf('lean', 'undici'),
  yesLoad: flag,
} satisfies Kinds<BenchOptions>;

const PHASE_CALLS = 10;

/**
 * Prepares a load of a target.
 *
 * @throws OptionError when an option is wrong, or `yesLoad` is missing
 * @throws TargetError when the address cannot be a target
 * @throws LoadRefused when the target does not list the function, or its answer cannot be timed
 * @throws TargetRefuses when the target does not answer with a status of 2xx
 * @throws TargetSilent when the target does not answer
 */
export async function prepareBench(
  url: string,
  options: BenchOptions,
  engine: LoadEngine,
  signal: AbortSignal,
): Promise<Bench> {
  requireArguments(
    'prepareBench',
    { url, options, engine, signal },
    {
      url: TARGET_URL,
      options: required(record(BENCH_OPTIONS)),
      engine: ENGINE,
      signal: required(abortSignal),
    },
  );
  requireAgreement(url, options);
  const input = checkInputOf(url, options);
  const { targetUrl, settings, headers: given, secrets, ca, mcp } = input;
  const wanted = (options.calls ?? [{ operation: 'health', weight: 1 }]).map(wantedCall);
  if (mcp !== undefined) {
    const { prepareMcpBench } = await import('./mcp-bench.ts');
    return prepareMcpBench({ ...input, mcp }, wanted, signal);
  }
  const live = createLiveProbe({
    clock: systemClock,
    signal,
    headers: given,
    secrets,
    publicOnly: settings.publicOnly,
    ca,
    bounds: DEFAULT_BOUNDS,
  });
  const probe = decidingProbe(live, targetUrl, options.onUnlikeAnswer);
  const calls = await prepareCalls(wanted, {
    targetUrl,
    settings,
    probe,
    given,
    schemas: new TargetSchemas(settings),
  });
  probe.close();
  const { transport = 'lean' } = options;
  const transportOptions = { ca, publicOnly: settings.publicOnly, timeoutMs: settings.requestTimeoutMs };
  return {
    targetUrl,
    settings,
    calls,
    transport,
    transportOptions,
    phases: await phasesOf(calls, transportOptions, signal),
    run: async (order, watch) => {
      requireArguments('run', { options: order }, { options: required(record(LOAD_ORDER)) });
      const plan = loadPlanOf(order, calls, settings);
      return engine.run({ plan, transport, options: transportOptions }, watch);
    },
    close: async () => undefined,
  };
}

function wantedCall({ operation, functionName = null, weight }: BenchCall, place: number): WantedCall {
  if (operation !== 'execute' || (functionName ?? '') !== '') return { operation, functionName, weight };
  const option = `calls[${place}].functionName`;
  throw new OptionError(option, `prepareBench: \`${option}\` is missing. Give the function to execute.`);
}

/** Returns the target's address. Throws a TargetError, or an OptionError if `yesLoad` is missing. */
export function requireAgreement(
  url: string,
  options: Pick<BenchOptions, 'publicOnly' | 'yesLoad' | 'mcp'>,
): string {
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false, options.mcp);
  if (options.mcp?.command !== undefined) return targetUrl;
  if (options.yesLoad !== true && !isLoopback(new URL(targetUrl).hostname))
    throw new OptionError(
      'yesLoad',
      `${new URL(targetUrl).host} is not this machine, and a load can harm a server and its network. If its operator has agreed, say so with \`yesLoad\`.`,
    );
  return targetUrl;
}

async function phasesOf(
  [first]: readonly PreparedCall[],
  options: TransportOptions,
  signal: AbortSignal,
): Promise<readonly CallPhases[]> {
  const phases: CallPhases[] = [];
  while (first !== undefined && phases.length < PHASE_CALLS && !signal.aborted) {
    // The call was answered before; if it fails now, the load counts an error.
    const one = await timePhases(first.request, options).catch(() => null);
    if (one === null) break;
    phases.push(one);
  }
  return phases;
}
