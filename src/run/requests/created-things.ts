import { exactPayloadOf, leavesOf } from '../../checks/execute/answer-essence.ts';
import { isServed } from '../../checks/json/answers.ts';
import { type ObservedCall, observedCall } from '../../inputs/observed-values.ts';
import { doubleOf } from '../../json/exact-number.ts';
import { canonicalJson, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import { sentCall } from '../../model/sent.ts';
import { markIn } from '../../text/mark.ts';
import type { RunState } from '../calls/run-state.ts';

// What the calls of a run created: values that a changing function returned, and that nobody sent or received before.

interface Call extends ObservedCall {
  /** Of its exchange. */
  readonly key: string;
  readonly input: JsonObject;
}

/** Calls that were answered with a result, in their order. */
export function callsIn(exchanges: readonly Exchange[]): readonly Call[] {
  return exchanges
    .toSorted((one, other) => one.timing.startedAtMs - other.timing.startedAtMs)
    .flatMap((exchange): readonly Call[] => {
      const sent = sentCall(exchange.request);
      if (sent === null || exchange.kind === 'unanswered' || !isServed(exchange)) return [];
      const result = exactPayloadOf(exchange);
      if (result === undefined) return [];
      const input = sent.input ?? {};
      return [{ ...observedCall(sent.functionName, input, result, true), input, key: exchange.request.key }];
    });
}

export interface Thing {
  readonly call: Call;
  /** Whether no earlier call sent or received the value, and no call of the function with another input received it. */
  readonly isNew: (value: Json) => boolean;
}

/** Calls of changing functions with values that were not seen before. */
export function createdIn(
  calls: readonly Call[],
  { restraint, learned, settings }: RunState,
): readonly Thing[] {
  const functions = learned.saved.get('functions');
  const listed = Array.isArray(functions) ? (functions as readonly Json[]) : [];
  const changing = new Set(
    listed.filter((one) => restraint.mayChange(one)).map((one) => ownProperty(one, 'name')),
  );
  const seen = new Set<Json>();
  const inputsByValue = new Map<string, string[]>();
  const timesByInput = new Map<string, number>();
  const keyOf = ({ functionName }: Call, value: Json): string => canonicalJson([functionName, value]);
  for (const call of calls.filter(({ functionName }) => changing.has(functionName))) {
    const input = keyOf(call, call.input);
    timesByInput.set(input, (timesByInput.get(input) ?? 0) + 1);
    for (const value of new Set(leavesOf(call.result).map((leaf) => leaf.value))) {
      const inputs = inputsByValue.get(keyOf(call, value)) ?? [];
      inputs.push(input);
      inputsByValue.set(keyOf(call, value), inputs);
    }
  }
  return calls.flatMap((call): readonly Thing[] => {
    for (const { value } of leavesOf(call.input)) seen.add(value);
    const news = new Set<Json>();
    const isOwn = settings.mutating.default === 'allow' || markIn(call.input) !== null;
    const isRepeated = (timesByInput.get(keyOf(call, call.input)) ?? 0) > 1;
    for (const { value } of leavesOf(call.result)) {
      const inputs = inputsByValue.get(keyOf(call, value)) ?? [];
      const isOfInput = isOwn ? new Set(inputs).size === 1 : isRepeated && inputs.length === 1;
      if (!seen.has(value) && isOfInput) news.add(value);
    }
    for (const { value } of leavesOf(call.result)) seen.add(value);
    return changing.has(call.functionName) && news.size > 0
      ? [{ call, isNew: (value) => news.has(doubleOf(value) ?? value) }]
      : [];
  });
}
