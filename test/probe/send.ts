import type { Exchange } from '../../src/model/exchange.ts';
import type { PlannedRequest } from '../../src/model/probe.ts';
import { createLiveProbe, DEFAULT_BOUNDS, type LiveProbeOptions } from '../../src/probe/live-probe.ts';
import { systemClock } from '../../src/probe/system-clock.ts';

export function plan(url: string, more: Partial<PlannedRequest> = {}): PlannedRequest {
  return {
    key: 'test/step#0',
    method: more.body === undefined ? 'GET' : 'POST',
    url,
    headers: [],
    body: null,
    abortAfterBytes: null,
    timeoutMs: 10_000,
    feedsLaterSteps: false,
    ...more,
  };
}

export function probeWith(options: Partial<LiveProbeOptions> = {}) {
  return createLiveProbe({
    clock: systemClock,
    headers: [],
    secrets: [],
    signal: new AbortController().signal,
    ...DEFAULT_BOUNDS,
    ...options,
  });
}

export function send(
  url: string,
  more: Partial<PlannedRequest> = {},
  options: Partial<LiveProbeOptions> = {},
): Promise<Exchange> {
  return probeWith(options).send(plan(url, more));
}

export type Unanswered = Extract<Exchange, { kind: 'unanswered' }>;
export type Answered = Extract<Exchange, { kind: 'answered' }>;

export function answered(exchange: Exchange): Answered {
  if (exchange.kind === 'answered') return exchange;
  throw new Error(`not answered: ${JSON.stringify(exchange.reason)}`);
}

export function unanswered(exchange: Exchange): Unanswered {
  if (exchange.kind === 'unanswered') return exchange;
  throw new Error(`answered: ${JSON.stringify(exchange.response)}`);
}
