import type { Exchange } from '../../src/model/exchange.ts';
import type { PlannedHttp } from '../../src/model/probe.ts';
import { type HttpExchange, isOverHttp, overHttp, wholeBody } from '../../src/model/sent.ts';
import {
  createLiveProbe,
  DEFAULT_BOUNDS,
  type LiveProbeOptions,
  type ProbeBounds,
} from '../../src/probe/live-probe.ts';
import { systemClock } from '../../src/probe/system-clock.ts';

/** The request options of a test; the body is given as bytes. */
export type RequestParts = Partial<Omit<PlannedHttp, 'body'>> & { readonly body?: Uint8Array | null };

export function plan(url: string, { body, ...more }: RequestParts = {}): PlannedHttp {
  return {
    key: 'test/step#0',
    method: body === undefined || body === null ? 'GET' : 'POST',
    url,
    headers: [],
    body: body === undefined || body === null ? null : wholeBody(body),
    abortAfterBytes: null,
    timeoutMs: 300_000,
    feedsLaterSteps: false,
    anonymous: false,
    connection: null,
    upgrade: null,
    ...more,
  };
}

/** The probe options of a test, with the bounds as direct members. */
export type ProbeParts = Partial<Omit<LiveProbeOptions, 'bounds'>> & Partial<ProbeBounds>;

export function probeWith(options: ProbeParts = {}) {
  return createLiveProbe({
    clock: systemClock,
    headers: [],
    secrets: [],
    signal: new AbortController().signal,
    publicOnly: false,
    ca: null,
    bounds: { ...DEFAULT_BOUNDS, ...options },
    ...options,
  });
}

export function send(url: string, more: RequestParts = {}, options: ProbeParts = {}): Promise<HttpExchange> {
  return probeWith(options).send(plan(url, more)).then(overHttp);
}

export type Unanswered = Extract<HttpExchange, { kind: 'unanswered' }>;
export type Answered = Extract<HttpExchange, { kind: 'answered' }>;

export function answered(exchange: Exchange): Answered {
  if (exchange.kind === 'answered') return exchange;
  throw new Error(`not answered: ${JSON.stringify(exchange)}`);
}

export function unanswered(exchange: Exchange): Unanswered {
  if (exchange.kind === 'unanswered' && isOverHttp(exchange)) return exchange;
  throw new Error(`answered: ${JSON.stringify(exchange)}`);
}
