// Which load the flags of `probity bench` ask for.

import type { RampBound } from '../../check/bench/bench-runs.ts';
import type { LoadOrder } from '../../check/bench/load-engine.ts';
import { UsageError } from '../../command-line/exit-codes.ts';
import type { WantedCall } from '../../model/bench.ts';
import type { LoadModel } from '../../model/load.ts';
import type { McpTargetFlags } from './mcp-server.ts';
import type { CheckFlags } from './settings.ts';

export interface BenchFlags extends CheckFlags, McpTargetFlags {
  readonly operation?: readonly WantedCall[];
  readonly rate?: number;
  readonly arrivals: 'constant' | 'poisson';
  readonly connections?: number;
  readonly maxConnections: number;
  readonly duration?: number;
  readonly requests?: number;
  readonly warmUp: number;
  readonly ramp?: { readonly lowPerSecond: number; readonly highPerSecond: number };
  readonly maxP99?: number;
  readonly maxErrors: number;
  readonly against?: string;
  readonly runs: number;
  readonly baseline?: string;
  readonly transport: 'lean' | 'undici';
  readonly yesLoad?: boolean;
}

const DEFAULT_RATE_PER_SECOND = 100;
const DEFAULT_SECONDS = { plain: 10, ramp: 3, against: 2 } as const;

export interface AskedLoad {
  readonly order: LoadOrder;
  /** The range and the limits of a ramp; null without one. */
  readonly ramp: RampBound | null;
}

export function askedLoad(flags: BenchFlags): AskedLoad {
  refuseContradictions(flags);
  const { ramp, against, requests, duration, maxP99 } = flags;
  const kind = ramp !== undefined ? 'ramp' : against === undefined ? 'plain' : 'against';
  return {
    order: {
      model: modelOf(flags),
      durationMs:
        requests !== undefined && duration === undefined ? null : 1000 * (duration ?? DEFAULT_SECONDS[kind]),
      maxRequests: requests ?? null,
      warmUpMs: 1000 * flags.warmUp,
    },
    ramp:
      ramp === undefined
        ? null
        : {
            ...ramp,
            maxP99Ms: maxP99 === undefined ? null : 1000 * maxP99,
            maxErrorShare: flags.maxErrors,
            extendsSteps: duration === undefined,
          },
  };
}

/** Refuses flags that would have no effect. */
function refuseContradictions({ rate, ramp, maxP99, against }: BenchFlags): void {
  if (ramp !== undefined && rate !== undefined)
    throw new UsageError('--ramp chooses the rates itself: remove --rate.');
  if (ramp !== undefined && against !== undefined)
    throw new UsageError('--ramp and --against cannot be combined: run one after the other.');
  if (ramp === undefined && maxP99 !== undefined)
    throw new UsageError('--max-p99 is a limit of --ramp: add a range of rates, such as --ramp 100..2000.');
}

function modelOf({ rate, connections, arrivals, maxConnections, ramp }: BenchFlags): LoadModel {
  if (connections !== undefined && (rate !== undefined || ramp !== undefined))
    throw new UsageError(
      '--connections selects a closed loop, which has no rate. Remove one of the two; --max-connections limits the connections of an open loop.',
    );
  if (connections !== undefined) return { kind: 'closed', connections };
  return { kind: 'open', ratePerSecond: rate ?? DEFAULT_RATE_PER_SECOND, arrivals, maxConnections };
}
