import { expect } from 'vitest';
import type {
  Asked,
  Check,
  CheckFinding,
  CheckResult,
  JsonAnswer,
  Measured,
} from '../../src/checks/define-check.ts';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { checks } from '../../src/generated/checks.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import type { ConfiguredSample, PlannedCall } from '../../src/model/call.ts';
import {
  type AnsweredExchange,
  type Bytes,
  type Exchange,
  type Header,
  isAnswer,
  type SentRequest,
  type TlsSession,
  type TransportFailure,
} from '../../src/model/exchange.ts';
import type { Evidence, Finding } from '../../src/model/judgement.ts';
import type { LoadError, PercentileMs } from '../../src/model/load.ts';
import type { Measurement } from '../../src/model/measurement.ts';
import type { Demands } from '../../src/model/report.ts';
import type { HttpExchange } from '../../src/model/sent.ts';
import { bytesFrom } from '../../src/model/sent.ts';
import type { Conversation, Opened, Wire } from '../../src/model/wire.ts';

export const STARTED_AT_MS = Date.parse('2026-01-31T12:00:00Z');

/** The parts of an answer that matter to a check; the rest has defaults. */
export interface AnswerParts {
  readonly key?: string;
  readonly status?: number;
  readonly headers?: readonly Header[];
  readonly value?: Json;
  /** The raw body; by default, the value as JSON. */
  readonly body?: Bytes | Uint8Array;
  readonly startedAtMs?: number;
  readonly durationMs?: number;
  readonly repeatedSecrets?: readonly string[];
  readonly bodyProblem?: TransportFailure;
  readonly oddities?: readonly string[];
  readonly reused?: boolean;
  readonly tls?: TlsSession;
  readonly request?: Partial<SentRequest>;
}

export function answer(parts: AnswerParts = {}): AnsweredExchange {
  const { key = 'step#0', status = 200, value = {}, startedAtMs = STARTED_AT_MS, durationMs = 20 } = parts;
  const body = parts.body ?? { text: JSON.stringify(value) };
  return {
    kind: 'answered',
    request: {
      key,
      method: 'GET',
      url: 'http://target.example/health',
      headers: [],
      body: null,
      ...parts.request,
    },
    response: {
      status,
      headers: parts.headers ?? [['content-type', 'application/json']],
      body: body instanceof Uint8Array ? bytesFrom(body) : body,
      repeatedSecrets: parts.repeatedSecrets ?? [],
      oddities: parts.oddities ?? [],
      ...(parts.bodyProblem === undefined ? {} : { bodyProblem: parts.bodyProblem }),
    },
    connection: { reused: parts.reused ?? false, tls: parts.tls ?? null },
    timing: { startedAtMs, connectMs: 1, firstByteMs: durationMs / 2, durationMs },
  };
}

export function noAnswer(reason: TransportFailure): HttpExchange {
  const { request, timing } = answer();
  return { kind: 'unanswered', request, timing: { ...timing, firstByteMs: null }, reason };
}

export function call(parts: Partial<PlannedCall> = {}): PlannedCall {
  return { form: 'B', functionName: 'add', input: {}, inputSource: 'example', requestId: null, ...parts };
}

export interface MeasurementParts extends Partial<Measurement> {
  /** The number of failures by code; a failure with a status has a code `HTTP_…`. */
  readonly failures?: Readonly<Record<string, number>>;
}

/** A measurement of `count` calls at 10 ms each; parts override the defaults. */
export function measurement({ failures = {}, ...parts }: MeasurementParts = {}): Measurement {
  const errorKinds = Object.entries(failures).map(([code, count]): LoadError => {
    const status = /^HTTP_(\d+)$/.exec(code)?.[1];
    return { code, message: code, count, ...(status === undefined ? {} : { status: Number(status) }) };
  });
  const errors = errorKinds.reduce((sum, { count }) => sum + count, 0);
  const count = parts.count ?? 75;
  return {
    key: 'performance/health',
    operation: 'health',
    count,
    errors,
    samples: count - errors,
    minMs: 10,
    meanMs: 10,
    p50Ms: 10,
    p90Ms: 10,
    p95Ms: 10,
    maxMs: 10,
    intervals: { p50: [9, 11], p90: [9, 11], p95: [9, 12] },
    load: {
      model: { kind: 'open', ratePerSecond: 50, arrivals: 'constant', maxConnections: 4 },
      transport: 'lean',
      planned: count,
      attempts: 1,
      stoppedBy: null,
    },
    throughputPerSecond: 50,
    client: null,
    histogram: null,
    unreliable: [],
    errorKinds,
    ...parts,
  };
}

export function jsonAnswer(parts: AnswerParts, planned: PlannedCall | null = null): JsonAnswer {
  return { exchange: answer(parts), value: parts.value ?? {}, call: planned };
}

/** The input of a check; omitted parts are those of an ordinary answer. */
export interface Given {
  readonly exchange?: Exchange;
  readonly value?: Json;
  readonly options?: JsonObject;
  readonly form?: Wire | null;
  readonly opened?: Opened;
  readonly formForced?: boolean;
  readonly call?: PlannedCall;
  readonly item?: Json;
  readonly answers?: readonly JsonAnswer[];
  readonly asked?: readonly Asked[];
  /** Everything that was sent; without it, what belongs to the step. */
  readonly exchanges?: readonly Exchange[];
  readonly conversations?: readonly Conversation[];
  readonly used?: Readonly<Record<string, readonly JsonAnswer[]>>;
  readonly samples?: Readonly<Record<string, readonly ConfiguredSample[]>>;
  readonly targetUrl?: string;
  readonly givenHeaders?: readonly string[];
  readonly claimedResponseTimeMs?: number;
  readonly demands?: Demands;
  readonly measured?: readonly Measured[];
  readonly median?: PercentileMs;
}

/** One example of a check: its input and the expected findings. */
export interface Example {
  readonly check: string;
  readonly what: string;
  readonly given: Given;
  readonly finds: readonly Partial<CheckFinding>[];
}

const schemas = createSchemaEvaluator();

export function judgeExample(name: string, given: Given): readonly CheckFinding[] {
  const check = checks.get(name);
  if (check === undefined) throw new Error(`Unknown check "${name}".`);
  return [judge(check, given)].flat();
}

function judge(check: Check, given: Given): CheckResult {
  const common = {
    options: given.options ?? {},
    form: given.form ?? null,
    opened: given.opened ?? null,
    formForced: given.formForced ?? false,
    schemas,
    used: given.used ?? {},
    samplesFor: (name: string) => given.samples?.[name] ?? [],
    targetUrl: given.targetUrl ?? 'http://target.example',
    givenHeaders: given.givenHeaders ?? [],
    claimedResponseTimeMs: given.claimedResponseTimeMs ?? null,
    demands: given.demands ?? {},
    rateLimitAdvice: 'Allow more requests.',
  };
  const value = given.value ?? {};
  const exchange = given.exchange ?? answer({ value });
  const asked = { ...common, call: given.call ?? null, item: given.item };
  switch (check.sees) {
    case 'exchange':
      return check.judge({ ...asked, exchange });
    case 'answer':
      return check.judge({ ...asked, exchange: answeredOnly(exchange) });
    case 'json':
      if (!isAnswer(exchange)) throw new Error('This check judges answers only.');
      return check.judge({ ...asked, exchange, value });
    case 'repetitions':
      return check.judge({ ...common, answers: given.answers ?? [] });
    case 'step':
      return check.judge({
        ...common,
        asked: given.asked ?? [],
        exchanges: given.exchanges ?? (given.asked ?? []).map(({ exchange }) => exchange),
        conversations: given.conversations ?? [],
      });
    case 'measurements':
      return check.judge({ ...common, measured: given.measured ?? [], median: given.median ?? null });
  }
}

function answeredOnly(exchange: Exchange): AnsweredExchange {
  if (exchange.kind !== 'answered') throw new Error('This check judges answers over HTTP only.');
  return exchange;
}

/** Matches a string that contains a part. */
export function containing(part: string): string {
  return expect.stringContaining(part) as unknown as string;
}

export const passes = [{ outcome: 'passed' }] as const;

export function fails(...parts: readonly Partial<Evidence>[]): readonly Partial<Finding>[] {
  return parts.map((part) => ({ outcome: 'failed', fault: 'server', ...part }));
}

export function undecided(part: Partial<Evidence>): readonly Partial<Finding>[] {
  return [{ outcome: 'undecided', ...part }];
}

export function notApplicable(message: string): readonly Partial<Finding>[] {
  return [{ outcome: 'inapplicable', message }];
}

export function cannotJudge(reason: string): readonly Partial<CheckFinding>[] {
  return [{ outcome: 'cannot-judge', reason }];
}
