import { declaredInputs } from '../../checks/documentation/examples-given.ts';
import { natureOf } from '../../inputs/function-nature.ts';
import { learnedInputs } from '../../inputs/learned-inputs.ts';
import { type ObservedCall, observedCall } from '../../inputs/observed-values.ts';
import { sampleValue } from '../../inputs/sample-value.ts';
import { isJsonObject, type Json, type JsonObject, jsonPathOf, ownProperty } from '../../json/json.ts';
import type { Producer } from '../../model/call.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import { identifies } from '../../text/words.ts';

/** For parameters that identify something, the function that returns such values, by function and parameter. */
export type InferredProducers = ReadonlyMap<string, Readonly<Record<string, Producer>>>;

/** From the descriptors alone, as far as names and declared results show it. Pure. */
export function inferProducers(
  descriptors: readonly JsonObject[],
  schemas: SchemaEvaluator,
): InferredProducers {
  const calls = descriptors.map(declaredCall);
  const inferred = new Map<string, Readonly<Record<string, Producer>>>();
  for (const descriptor of descriptors) {
    const parameters = declaredInputs(descriptor).filter(identifies);
    if (parameters.length === 0) continue;
    const consumer = {
      descriptor,
      refused: Object.fromEntries(parameters.map((name) => [name, null])),
      onlyOwn: natureOf(descriptor) !== 'reads',
      producers: {},
    };
    // The placeholders for other parameters are not valid.
    const [best] = learnedInputs(consumer, calls, acceptingAll(schemas));
    const found = (best?.learned ?? [])
      .filter(({ place }) => place === 'answer')
      .map(({ parameter, from, pointer }) => [parameter, { from, at: jsonPathOf(pointer) }] as const);
    if (found.length > 0) inferred.set(String(ownProperty(descriptor, 'name')), Object.fromEntries(found));
  }
  return inferred;
}

/** A call whose result is what the descriptor declares. */
function declaredCall(descriptor: JsonObject): ObservedCall {
  const returns = ownProperty(descriptor, 'returns');
  const outputs = ownProperty(descriptor, 'outputs');
  const result: Json = Array.isArray(outputs)
    ? Object.fromEntries((outputs as readonly Json[]).map((name) => [String(name), String(name)]))
    : sampleValue(completed(returns ?? {}), '', returns ?? {});
  const isOwn = natureOf(descriptor) !== 'reads';
  return observedCall(String(ownProperty(descriptor, 'name')), null, result, isOwn);
}

/** Results are usually declared without `required`. */
function completed(returns: Json): Json {
  const properties = ownProperty(returns, 'properties');
  return isJsonObject(properties) && isJsonObject(returns)
    ? { ...returns, required: Object.keys(properties) }
    : returns;
}

function acceptingAll(schemas: SchemaEvaluator): SchemaEvaluator {
  return { ...schemas, foreign: () => ({ kind: 'unusable', reason: 'only names are compared' }) };
}
