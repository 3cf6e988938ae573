import type { PlannedCall } from '../model/call.ts';
import type { AnsweredExchange } from '../model/exchange.ts';
import { isJsonObject, type Json, ownProperty, sameJson, showJson } from '../model/json.ts';
import { blocked, type Finding, failed, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import { type Asked, defineCheck, type JsonAnswer } from './define-check.ts';
import { jsonBody } from './json-body.ts';

const OK = 200;

export const ownAnswers = defineCheck(
  'step',
  'own-answers',
  'concurrent calls each get their own answer',
  ({ asked, used }) => {
    const calls = asked.flatMap(servedCall);
    if (calls.length < 2) {
      if (asked.length === 0) return blocked('execute/status-200');
      if (asked.some(isUnreadable)) return blocked('execute/json-object');
      const received = `${calls.length} of ${asked.length} concurrent calls were served`;
      return inconclusive({
        message: 'too few concurrent calls were served to compare their answers',
        expected: 'all of them',
        received,
        fault: asked.some(isOurs) ? 'harness' : 'server',
      });
    }
    const findings = calls.flatMap((call) => strayAnswer(call, calls, used.alone ?? []));
    if (findings.length > 0) return findings;
    if (calls.some((call) => calls.some((other) => distinguishable(call, other)))) return passed;
    const [
      {
        call: { form },
      },
    ] = calls as [ServedCall];
    if (!calls.every(({ payload }) => isJsonObject(payload)))
      return blocked(form === 'A' ? 'execute/output-object' : 'execute/result-object');
    return inapplicable(
      'the calls cannot be told apart: no requestId, and only one function without a free text input',
    );
  },
);

interface ServedCall {
  readonly call: PlannedCall;
  readonly exchange: AnsweredExchange;
  readonly value: Json;
  readonly payload: Json | undefined;
  readonly markers: readonly string[];
}

function servedCall({ exchange, call }: Asked): readonly ServedCall[] {
  if (exchange.kind !== 'answered' || exchange.response.status !== OK || call === null) return [];
  const { value } = jsonBody(exchange);
  if (!isJsonObject(value)) return [];
  const payload = ownProperty(value, call.form === 'A' ? 'output' : 'result');
  return [{ call, exchange, value, payload, markers: markersIn(call.input) }];
}

/** Not answered because of what the harness takes, not of what the server gave. */
function isOurs({ exchange }: Asked): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.fault === 'harness';
}

function isUnreadable({ exchange }: Asked): boolean {
  return (
    exchange.kind === 'answered' && exchange.response.status === OK && !isJsonObject(jsonBody(exchange).value)
  );
}

/** Texts that `arguments: distinct` put into this call alone. */
const MARKER = /probity-mark-[0-9a-z]+-\d+/g;

function markersIn(value: Json): readonly string[] {
  return JSON.stringify(value)?.match(MARKER) ?? [];
}

function strayAnswer(
  own: ServedCall,
  calls: readonly ServedCall[],
  alone: readonly JsonAnswer[],
): readonly Finding[] {
  const { exchange, value, call } = own;
  const at = { exchangeKey: exchange.request.key };
  const requestId = ownProperty(value, 'requestId');
  const idOwner = calls.find(
    (other) => other !== own && other.call.requestId !== null && other.call.requestId === requestId,
  );
  if (idOwner !== undefined && requestId !== call.requestId) {
    return [
      failed({
        message: 'a concurrent call got the requestId of another',
        expected: showJson(call.requestId),
        received: showJson(requestId),
        pointer: '/requestId',
        ...at,
      }),
    ];
  }
  // An answer may well say back the marker that came with its own call.
  const seen = markersIn(value).filter((marker) => !own.markers.includes(marker));
  const markOwner = calls.find(
    (other) => other !== own && other.markers.some((marker) => seen.includes(marker)),
  );
  if (markOwner !== undefined) {
    const stray = markOwner.markers.find((marker) => seen.includes(marker));
    return [
      failed({
        message: 'a concurrent call got an answer made from the input of another',
        expected: `nothing of "${stray}"`,
        received: showJson(own.payload),
        ...at,
      }),
    ];
  }
  const other = calls.find(
    (candidate) =>
      candidate.call.functionName !== call.functionName && looksLikeAnswerOf(own, candidate, alone),
  );
  if (other === undefined) return [];
  return [
    failed({
      message: `a concurrent call of "${call.functionName}" got an answer of "${other.call.functionName}"`,
      expected: `an answer of "${call.functionName}"`,
      received: showJson(own.payload),
      ...at,
    }),
  ];
}

/** The answer has the keys that the other function answers with when called alone, and not those of its own. */
function looksLikeAnswerOf(own: ServedCall, other: ServedCall, alone: readonly JsonAnswer[]): boolean {
  const keysAlone = (functionName: string): Json | undefined => {
    const answer = alone.find(({ call }) => call?.functionName === functionName);
    return answer === undefined ? undefined : keysOf(payloadOf(answer.value));
  };
  const received = keysOf(own.payload);
  const expected = keysAlone(own.call.functionName);
  const foreign = keysAlone(other.call.functionName);
  if (received === undefined || expected === undefined || foreign === undefined) return false;
  return !sameJson(received, expected) && sameJson(received, foreign);
}

function payloadOf(value: Json): Json | undefined {
  return ownProperty(value, 'output') ?? ownProperty(value, 'result');
}

function keysOf(payload: Json | undefined): Json | undefined {
  return isJsonObject(payload) ? Object.keys(payload).sort() : undefined;
}

function distinguishable(left: ServedCall, right: ServedCall): boolean {
  if (left === right) return false;
  const echoed = [left, right].every(({ value }) => ownProperty(value, 'requestId') !== undefined);
  if (echoed && left.call.requestId !== right.call.requestId) return true;
  if (left.markers.some((marker) => markersIn(left.value).includes(marker))) return true;
  return (
    left.call.functionName !== right.call.functionName &&
    !sameJson(keysOf(left.payload) ?? null, keysOf(right.payload) ?? null)
  );
}
