import { createSchemaEvaluator } from '../checks/schema-evaluator.ts';
import type { Exchange } from '../model/exchange.ts';
import type { PlannedRequest, Probe } from '../model/probe.ts';
import { unsentExchange } from '../model/unsent-exchange.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from '../probe/live-probe.ts';
import { systemClock } from '../probe/system-clock.ts';
import { loadSuites } from '../suite/load-suites.ts';
import type { CheckOptions } from './check-options.ts';
import type { Omission } from './record.ts';
import { commonHeaders, givenHeaders, settingsOf, targetUrlOf } from './run-settings.ts';
import { runSuites } from './run-suites.ts';
import { selectSteps } from './selection.ts';

export interface Plan {
  readonly targetUrl: string;
  readonly requirements: readonly string[];
  /** Every request that a check would send, in the order of the suites. */
  readonly requests: readonly PlannedLine[];
  readonly omissions: readonly Omission[];
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
  /** True for the reads that the plan itself needed. */
  readonly sent: boolean;
}

/** Lists what a check would send. Only the reads from which later requests are made are really sent. */
export async function planRequests(url: string, options: CheckOptions = {}): Promise<Plan> {
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false);
  const { signal = new AbortController().signal } = options;
  const settings = settingsOf(options);
  const given = givenHeaders(options);
  const live = createLiveProbe({
    clock: systemClock,
    signal,
    headers: given.headers,
    secrets: given.secrets,
    publicOnly: settings.publicOnly,
    ...DEFAULT_BOUNDS,
  });
  const selection = selectSteps(options.suites ?? (await loadSuites()).suites, settings);
  const record = await runSuites({
    selection,
    targetUrl,
    settings,
    probe: readsOnly(live),
    clock: { ...systemClock, sleep: async () => undefined },
    signal,
    schemas: createSchemaEvaluator(),
    commonHeaders: commonHeaders(),
    planning: true,
  });
  const requests = record.steps.flatMap((run) => {
    if (run.kind !== 'ran' || run.step.request === null) return [];
    return run.instances.flatMap(({ exchanges }) => exchanges.map((exchange) => planned(exchange, run.step)));
  });
  return {
    targetUrl,
    requirements: [...selection.requirements.keys()],
    requests,
    omissions: record.omissions,
    unanswered: record.exchanges.flatMap((exchange) =>
      exchange.kind === 'unanswered' && exchange.reason.code !== 'not-sent' ? [exchange.reason.message] : [],
    ),
    blocked: record.steps.flatMap((run) =>
      run.kind === 'blocked' ? [{ step: run.step.id, by: run.by }] : [],
    ),
  };
}

function planned(
  { request, ...exchange }: Exchange,
  step: { readonly id: string; readonly title: string },
): PlannedLine {
  const { key, method, url, body } = request;
  const sent = !(exchange.kind === 'unanswered' && exchange.reason.code === 'not-sent');
  const text =
    body === null
      ? null
      : 'text' in body
        ? body.text
        : `${Buffer.from(body.base64, 'base64').length} bytes that are not text`;
  return { step: step.id, title: step.title, key, method, url, body: text, sent };
}

function readsOnly(live: Probe): Probe {
  return {
    send: async (request) =>
      request.method === 'GET' && request.feedsLaterSteps && request.key.endsWith('#0')
        ? live.send(request)
        : notSent(request),
  };
}

function notSent(request: PlannedRequest): Exchange {
  return unsentExchange(request, { code: 'not-sent', fault: 'harness', message: 'only planned' }, 0);
}
