import { jsonBody } from '../checks/json/json-body.ts';
import { type Json, jsonText, ownProperty, ownText, shorten } from '../json/json.ts';
import { estimatePercentiles } from '../latency/percentiles.ts';
import type { InputSource } from '../model/call.ts';
import { type Answer, type Exchange, isAnswer } from '../model/exchange.ts';
import type { Measurement, OperationError, ResponseTimes } from '../model/measurement.ts';
import type { OutputSample } from '../model/report.ts';
import { methodAndPlace } from '../model/sent.ts';
import type { Assertion, Step } from '../model/suite.ts';
import { type InstanceRun, measurementsIn, type RunRecord } from '../run/state/record.ts';
import { type Operation, operationOf } from '../run/steps/operation.ts';
import { words } from '../text/words.ts';
import { isMessage, toolOutcome } from '../wires/mcp/answer.ts';
import { codeOf, meaningOf } from './answer-words.ts';
import { resultIn } from './coverage.ts';
import { summedErrors } from './operations.ts';

const MEANT_TO_WORK: ReadonlySet<InputSource> = new Set([
  'configured',
  'example',
  'none-needed',
  'proven',
  'assembled',
  'learned',
]);

interface TimedExchange {
  readonly operation: Operation;
  readonly functionName: string | null;
  readonly exchange: Exchange;
}

/** Requests that were meant to succeed, sent one by one: they show how the target usually answers. */
function ordinaryExchanges(record: RunRecord, targetUrl: string): readonly TimedExchange[] {
  const seen = new Set<string>();
  return record.steps.flatMap((run) => {
    if (run.kind !== 'ran' || !isOrdinary(run.step)) return [];
    return run.instances
      .filter((one) => isMeantToWork(one) && !one.isAtOnce)
      .flatMap(({ exchanges, call }) =>
        exchanges.flatMap((exchange): readonly TimedExchange[] => {
          if (seen.has(exchange.request.key) || wasNotSent(exchange)) return [];
          seen.add(exchange.request.key);
          const operation = operationOf(exchange, targetUrl);
          return [{ operation, functionName: call?.functionName ?? null, exchange }];
        }),
      );
  });
}

/** Requests that any client would send, one by one, each over a new connection. */
function isOrdinary({ request, experiment, phase, rounds, expect }: Step): boolean {
  const isProvoking = phase === 'negative' || phase === 'finally' || experiment?.name === 'burst';
  if (request === null || request.kind === 'websocket' || isProvoking || rounds.copies > 1) return false;
  if (request.scheme !== null || expect.some(mayBeRefused)) return false;
  return !request.anonymous && !request.keepConnection;
}

/** A request that should be refused is not ordinary. Of several accepted statuses, the first is the intended one. */
function mayBeRefused(assertion: Assertion): boolean {
  if (assertion.kind !== 'status') return false;
  const meant = assertion.is?.[0];
  return meant === '4xx' || (typeof meant === 'number' && meant >= MIN_ERROR);
}

const MIN_ERROR = 400;
/** Operations of a directory on a listed server (specification, section 4.1). */
const CALL_OF_ENTRY = /\/servers\/[^/]+\/(?:test|execute)$/;

function isMeantToWork({ call, exchanges }: InstanceRun): boolean {
  if (call !== null) return MEANT_TO_WORK.has(call.inputSource);
  return exchanges.some(({ request }) => {
    const { method, place } = methodAndPlace(request);
    return READS.has(method) || CALL_OF_ENTRY.test(place);
  });
}

/** Of HTTP and of JSON-RPC. */
const READS: ReadonlySet<string> = new Set(['GET', 'ping', 'server/discover', 'tools/list']);

const NOT_SENT = words(
  'not-sent no-valid-input not-recorded deadline interrupted run-bytes-spent share-used-up aborted-on-purpose',
);

function wasNotSent(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && NOT_SENT.has(exchange.reason.code);
}

/**
 * One entry for each operation and one for each function: the measurement, else the times of the ordinary requests, in
 * milliseconds and including the connection.
 */
export function responseTimes(
  record: RunRecord,
  targetUrl: string,
): readonly (ResponseTimes | Measurement)[] {
  const exchanges = ordinaryExchanges(record, targetUrl);
  const measured = measurementsIn(record);
  const namesOf = [
    ...exchanges.map(({ functionName }) => functionName),
    ...measured.map((one) => one.function ?? null),
  ];
  const timesFor = (operation: Operation, name: string | null): readonly (ResponseTimes | Measurement)[] => {
    const measurements = measured.filter((one) =>
      name === null ? one.operation === operation && one.function === undefined : one.function === name,
    );
    if (measurements.length > 0) return measurements;
    const own = exchanges.filter((timed) =>
      name === null ? timed.operation === operation : timed.functionName === name,
    );
    return own.length === 0 ? [] : [timesOf(operation, name ?? undefined, own)];
  };
  return [
    ...OPERATIONS.flatMap((operation) => timesFor(operation, null)),
    ...[...new Set(namesOf)].flatMap((name) => (name === null ? [] : timesFor('execute', name))),
  ];
}

const OPERATIONS = ['health', 'capabilities', 'search', 'details', 'test', 'execute', 'other'] as const;

function timesOf(
  operation: Operation,
  functionName: string | undefined,
  timed: readonly TimedExchange[],
): ResponseTimes {
  const served = timed.filter(({ exchange }) => isAnswer(exchange) && meaningOf(exchange).isServed);
  const sorted = served.map(({ exchange }) => exchange.timing.durationMs).sort((left, right) => left - right);
  const estimates = estimatePercentiles(sorted);
  const name = functionName === undefined ? {} : { function: functionName };
  const counts = { operation, ...name, count: timed.length, errors: timed.length - served.length };
  if (sorted.length === 0) return { ...counts, intervals: {} };
  const meanMs = sorted.reduce((sum, durationMs) => sum + durationMs, 0) / sorted.length;
  return {
    ...counts,
    minMs: sorted[0] as number,
    // To microseconds.
    meanMs: Math.round(meanMs * 1000) / 1000,
    ...Object.fromEntries(estimates.map(({ percentile, value }) => [`${percentile}Ms`, value])),
    maxMs: sorted.at(-1) as number,
    intervals: Object.fromEntries(estimates.map(({ percentile, interval }) => [percentile, interval])),
  };
}

/** Requests that were meant to succeed and did not, by operation and kind. */
export function operationErrors(record: RunRecord, targetUrl: string): readonly OperationError[] {
  const ofExchanges = ordinaryExchanges(record, targetUrl).flatMap(({ operation, exchange }) => {
    const error = errorOf(exchange);
    return error === null ? [] : [{ operation, ...error, count: 1 }];
  });
  const ofMeasurements = measurementsIn(record).flatMap(({ operation, errorKinds }) =>
    errorKinds.map((error) => ({ operation, ...error })),
  );
  return summedErrors([...ofExchanges, ...ofMeasurements]);
}

function errorOf(exchange: Exchange): Omit<OperationError, 'operation' | 'count'> | null {
  if (exchange.kind === 'unanswered') return { code: exchange.reason.code, message: exchange.reason.message };
  if (isMessage(exchange)) return messageError(exchange);
  if (exchange.kind === 'heard') return null;
  const { status } = exchange.response;
  if (status < MIN_ERROR) return null;
  const error = ownProperty(jsonBody(exchange).value, 'error');
  const code = ownText(error, 'code') ?? `HTTP_${status}`;
  const message = ownText(error, 'message') ?? `status ${status}`;
  return { code: shorten(code), message: shorten(message), status };
}

function messageError(answer: Answer): Omit<OperationError, 'operation' | 'count'> | null {
  const meaning = meaningOf(answer);
  if (meaning.isServed) return null;
  const outcome = toolOutcome(answer);
  if (outcome.kind !== 'refused') return { code: 'NO_ANSWER', message: shorten(meaning.words) };
  return { code: codeOf(outcome), message: shorten(outcome.text) };
}

const MAX_SAMPLES = 50;
const MAX_SAMPLE_CHARACTERS = 4000;

/** The output of the first successful call of each function. */
export function outputSamples(record: RunRecord): readonly OutputSample[] {
  const samples = new Map<string, OutputSample>();
  for (const run of record.steps) {
    if (run.kind !== 'ran' || run.step.rounds.copies > 1) continue;
    for (const { call, exchanges, isAtOnce } of run.instances) {
      if (call === null || isAtOnce || !MEANT_TO_WORK.has(call.inputSource) || samples.has(call.functionName))
        continue;
      const served = exchanges.find((exchange) => resultIn(exchange, call) !== undefined);
      const output = served === undefined ? undefined : resultIn(served, call);
      if (served === undefined || output === undefined || samples.size >= MAX_SAMPLES) continue;
      samples.set(call.functionName, {
        function: call.functionName,
        input: bounded(call.input),
        output: bounded(output),
        durationMs: served.timing.durationMs,
      });
    }
  }
  return [...samples.values()];
}

function bounded(value: Json): Json {
  const text = jsonText(value);
  return text.length > MAX_SAMPLE_CHARACTERS
    ? `${shorten(text, MAX_SAMPLE_CHARACTERS)} (${text.length} characters in total)`
    : value;
}
