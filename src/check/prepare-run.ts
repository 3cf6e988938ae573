import type { Clock, Probe } from '../model/probe.ts';
import { type RunSettings, targetKindOf } from '../model/report.ts';
import type { Suite } from '../model/suite.ts';
import { createLiveProbe, DEFAULT_BOUNDS, type LiveProbeOptions } from '../probe/live-probe.ts';
import { systemClock } from '../probe/system-clock.ts';
import type { RunInput } from '../run/state/run-input.ts';
import { selectSteps } from '../run/steps/selection.ts';
import { createLiveSampler } from '../run/timing/live-sampler.ts';
import { type OfferLoad, offerLoad } from '../run/timing/load-attempt.ts';
import { loadSuites } from '../suite/load-suites.ts';
import { besideConversations } from './beside-conversations.ts';
import type { CheckInput } from './check-input.ts';
import type { OnUnlikeAnswer } from './check-options.ts';
import { decidingProbe } from './deciding-probe.ts';
import { secretsOf } from './mcp-options.ts';
import { createMcpProbe } from './mcp-target.ts';
import { commonHeaders } from './request-headers.ts';
import { TargetSchemas } from './target-schemas.ts';

/** The parts that a run of the suites against a live target needs. */
export interface PreparedRun
  extends Pick<
    RunInput,
    'targetUrl' | 'settings' | 'selection' | 'probe' | 'sampler' | 'schemas' | 'onOpened' | 'commonHeaders'
  > {
  readonly suites: readonly Suite[];
}

export interface RunParts {
  /** The clock for waits and the deadline; time-outs of requests use the system’s clock. */
  readonly clock?: Clock;
  /** Sends the requests; default: a live probe. */
  readonly probe?: Probe;
  /** Sends the load of timed calls; default: the load engine. */
  readonly offerLoad?: OfferLoad;
  readonly onUnlikeAnswer?: OnUnlikeAnswer | undefined;
  /** Makes the probe of a check in a worker from the usual one. */
  readonly probeOf?: (usual: Probe) => Probe;
  /** Called before each use of a schema. */
  readonly onSchema?: () => void;
}

/** Throws an OptionError for an unknown requirement in `only` or `skip`. */
export async function prepareRun(
  input: CheckInput,
  signal: AbortSignal,
  {
    clock = systemClock,
    probe,
    offerLoad: offer = offerLoad,
    probeOf,
    onSchema,
    onUnlikeAnswer,
  }: RunParts = {},
): Promise<PreparedRun> {
  const { targetUrl, settings, headers, secrets, tokens, ca, mcp } = input;
  const common = { signal, headers, secrets, publicOnly: settings.publicOnly, ca };
  const usualProbe =
    probe ??
    (mcp === undefined
      ? createLiveProbe({ ...common, tokens, clock, bounds: DEFAULT_BOUNDS })
      : mcpProbe({ ...input, mcp }, { clock, signal }));
  const schemas = new TargetSchemas(settings, onSchema);
  const suites = input.suites ?? (await loadSuites([], targetKindOf(settings))).suites;
  return {
    targetUrl,
    settings,
    suites,
    selection: selectSteps(suites, settings),
    probe: decidingProbe(probeOf?.(usualProbe) ?? usualProbe, targetUrl, onUnlikeAnswer),
    sampler: createLiveSampler({
      ...common,
      clock,
      offerLoad: offer,
      messages: mcp === undefined ? undefined : usualProbe,
      repeatsMs: repeatsMsOf(settings),
    }),
    schemas,
    onOpened: schemas.speak,
    commonHeaders: commonHeaders(),
  };
}

function mcpProbe(
  input: Parameters<typeof createMcpProbe>[0],
  { clock, signal }: Pick<LiveProbeOptions, 'clock' | 'signal'>,
): Probe {
  const { targetUrl, settings, mcp, headers, ca } = input;
  const messages = createMcpProbe(input, { clock, signal });
  if (mcp.command !== undefined) return messages;
  const secrets = [...input.secrets, ...secretsOf(targetUrl, mcp)];
  const { publicOnly } = settings;
  return besideConversations(messages, targetUrl, { clock, signal, headers, secrets, publicOnly, ca });
}

const MAX_REPEATS_MS = 1500;

/** A configured budget must be decided; other figures are rather marked as unreliable than waited for. */
function repeatsMsOf({ latency }: RunSettings): number {
  return latency.budgets.length > 0 ? Number.POSITIVE_INFINITY : MAX_REPEATS_MS;
}
