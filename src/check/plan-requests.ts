import { ownProperty } from '../json/json.ts';
import { requireArguments } from '../model/arguments.ts';
import type { Exchange, SentBody } from '../model/exchange.ts';
import { isFirstAttempt } from '../model/exchange-key.ts';
import type { PlannedMessage, PlannedRequest, Probe, Sampler } from '../model/probe.ts';
import { targetKindOf } from '../model/report.ts';
import { bufferFrom, methodAndPlace, sentBytes, unsentExchange } from '../model/sent.ts';
import type { Step, TargetKind } from '../model/suite.ts';
import { systemClock } from '../probe/system-clock.ts';
import { instancesOf, type Omission, type Restrained, type StepRun } from '../run/state/record.ts';
import { isExploring, isProvoking } from '../run/steps/step-kinds.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { collect } from './check.ts';
import { checkInputOf } from './check-input.ts';
import { CHECK_ARGUMENTS, type CheckOptions } from './check-options.ts';
import { shownTarget } from './mcp-options.ts';
import { prepareRun } from './prepare-run.ts';

/** A plan sends only what it reads, and nothing that no valid input exists for. */
const UNSENT: ReadonlySet<string> = new Set(['not-sent', 'no-valid-input']);

export interface Plan {
  readonly kind: TargetKind;
  readonly targetUrl: string;
  readonly requirements: readonly string[];
  /** Every request that a check would send, in the order of the suites. */
  readonly requests: readonly PlannedLine[];
  /** The timed calls, after one ordinary request each, and their maximum number. */
  readonly timed: readonly TimedLine[];
  /** Maximum number of calls with generated inputs, without those that look for the smallest input of a fault. */
  readonly generated: readonly GeneratedLine[];
  readonly omissions: readonly Omission[];
  /** Functions with limited calls, because they change something or look as if they do. */
  readonly restrained: readonly Restrained[];
  /** Why a read that the plan needs was not answered. */
  readonly unanswered: readonly string[];
  /** Steps that the check could not plan, with the requirement that stops them. */
  readonly blocked: readonly { readonly step: string; readonly by: string }[];
}

export interface PlannedLine {
  readonly step: string;
  readonly title: string;
  readonly key: string;
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
  /** It calls a function, or changes what a directory keeps. */
  readonly mayHaveEffects: boolean;
  /** An invalid or harmful request, which may damage an unprepared server. */
  readonly negative: boolean;
  /** True for the reads that the plan itself needed. */
  readonly sent: boolean;
}

export interface TimedLine extends Pick<PlannedLine, 'key' | 'method' | 'url'> {
  readonly calls: number;
}

export interface GeneratedLine {
  readonly functionName: string;
  readonly calls: number;
}

/**
 * Lists the requests of a check. Sends only the reads that later requests depend on.
 *
 * @throws OptionError and TargetError, as checkServer does
 */
export async function planRequests(url: string, options: CheckOptions = {}): Promise<Plan> {
  requireArguments('planRequests', { url, options }, CHECK_ARGUMENTS);
  const { signal = new AbortController().signal, onUnlikeAnswer } = options;
  // The steps of a run do not expect errors: an answer that ends the plan is never given to them.
  let endPlan: (error: unknown) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    endPlan = reject;
  });
  const { suites: _, ...prepared } = await prepareRun(checkInputOf(url, options), signal, {
    onUnlikeAnswer:
      onUnlikeAnswer &&
      ((exchange) =>
        onUnlikeAnswer(exchange).catch((error: unknown) => {
          endPlan(error);
          return new Promise<never>(() => undefined);
        })),
  });
  const { settings, targetUrl } = prepared;
  const timed: TimedLine[] = [];
  const running = collect({
    ...prepared,
    probe: readsOnly(prepared.probe),
    sampler: countsOnly(timed),
    clock: { ...systemClock, sleep: async () => undefined },
    signal,
    endsAtMs: systemClock.monotonicMs() + settings.deadlineMs,
    planning: true,
  });
  const record = await Promise.race([running, ended]);
  await record.closed;
  const requests = record.steps.flatMap((run) => {
    if (run.kind !== 'ran' || run.step.request === null) return [];
    return run.instances.flatMap(({ exchanges }) => exchanges.map((exchange) => planned(exchange, run.step)));
  });
  return {
    kind: targetKindOf(settings),
    targetUrl: shownTarget(targetUrl, options.mcp),
    requirements: [...prepared.selection.requirements.keys()],
    requests,
    timed,
    generated: generatedIn(record.steps),
    omissions: record.omissions,
    restrained: record.restrained,
    unanswered: record.exchanges.flatMap((exchange) =>
      exchange.kind === 'unanswered' && !UNSENT.has(exchange.reason.code) ? [exchange.reason.message] : [],
    ),
    blocked: record.steps.flatMap((run) =>
      run.kind === 'blocked' ? [{ step: run.step.id, by: run.by }] : [],
    ),
  };
}

function generatedIn(steps: readonly StepRun[]): readonly GeneratedLine[] {
  const instances = steps.filter(({ step }) => isExploring(step)).flatMap(instancesOf);
  return [...groupedBy(instances, ({ functionName }) => functionName ?? '')].map(([functionName, own]) => ({
    functionName,
    calls: own.length,
  }));
}

function planned(
  { request, ...exchange }: Exchange,
  step: Pick<Step, 'id' | 'title' | 'phase'>,
): PlannedLine {
  const { method, place: url } = methodAndPlace(request);
  const body = sentBytes(request);
  return {
    step: step.id,
    title: step.title,
    key: request.key,
    method,
    url,
    body: body === null ? null : describeBody(body),
    mayHaveEffects: 'message' in request ? method === 'tools/call' : method !== 'GET',
    negative: isProvoking(step),
    sent: !(exchange.kind === 'unanswered' && exchange.reason.code === 'not-sent'),
  };
}

function describeBody(body: SentBody): string {
  if ('text' in body) return body.text;
  if ('base64' in body) return `${bufferFrom(body).length} bytes that are not text`;
  return body.parts
    .map((part) => `${describeBody(part)}${part.times === 1 ? '' : ` (${part.times} times)`}`)
    .join('');
}

function readsOnly(live: Probe): Probe {
  return {
    send: async (request) =>
      isRead(request) && request.feedsLaterSteps && isFirstAttempt(request.key)
        ? live.send(request)
        : notSent(request),
    ...(live.open === undefined ? {} : { open: live.open.bind(live) }),
    close: () => live.close(),
  };
}

/** The list of tools is read with a message. */
function isRead(request: PlannedRequest): boolean {
  return 'conversation' in request || request.method === 'GET';
}

function countsOnly(timed: TimedLine[]): Sampler {
  return {
    measure: async ({ key, request, calls }) => {
      const [method, url] =
        'url' in request ? [request.method, request.url] : [methodOf(request), request.conversation];
      timed.push({ key, method, url, calls });
      return null;
    },
  };
}

function methodOf({ sends }: Pick<PlannedMessage, 'sends'>): string {
  return sends.kind === 'message' ? String(ownProperty(sends.message, 'method')) : sends.kind;
}

function notSent(request: PlannedRequest): Exchange {
  return unsentExchange(request, { code: 'not-sent', fault: 'harness', message: 'only planned' }, 0);
}
