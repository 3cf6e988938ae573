import { isJsonObject, type Json, type JsonObject, ownProperty, ownText } from '../../json/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { descriptorsIn, requiredNames, textsOf } from '../capabilities/descriptor.ts';
import { defineCheck, judgeEach } from '../define-check.ts';

export const examplesGiven = defineCheck(
  'json',
  'examples-given',
  'every function has an example, in its descriptor or in the configuration',
  ({ value, samplesFor }) =>
    judgeEach(descriptorsIn(value), ({ descriptor, pointer, label }) => {
      const name = ownText(descriptor, 'name');
      const isGiven = name !== null && samplesFor(name).length > 0;
      if (isGiven || exampleInputs(descriptor).length > 0) return passed;
      return failed({
        message: `${label} has no example`,
        expected: 'examples in the descriptor, or a sample in the configuration',
        received: 'neither',
        pointer,
      });
    }),
);

/** Keys under which descriptors put the input of an example. */
const INPUT_KEYS = ['input', 'inputs', 'parameters', 'arguments', 'params', 'request'];

/**
 * The inputs of a descriptor's examples. The specification does not define their shape, so the usual ones are
 * recognised: `examples: [{ input | parameters: {…} }]`, `examples: [{…the input itself…}]`, `example: …`, and
 * `examples` inside the schema of the parameters. An empty object is an example of a function that requires nothing.
 */
export function exampleInputs(descriptor: JsonObject): readonly JsonObject[] {
  const own = [...listIn(descriptor, 'examples'), ...listIn(descriptor, 'example')];
  const inSchema = listIn(ownProperty(descriptor, 'parameters'), 'examples').filter(isJsonObject);
  return [...own.flatMap((example) => inputOf(example, descriptor)), ...inSchema];
}

function listIn(holder: Json | undefined, key: string): readonly Json[] {
  const value = ownProperty(holder, key) ?? [];
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

function inputOf(example: Json, descriptor: JsonObject): readonly JsonObject[] {
  if (!isJsonObject(example)) return [];
  const declared = declaredInputs(descriptor);
  for (const key of INPUT_KEYS) {
    const input = ownProperty(example, key);
    if (isJsonObject(input) && !declared.includes(key)) return [input];
  }
  const keys = Object.keys(example);
  if (keys.length === 0) return requiresNothing(descriptor) ? [example] : [];
  return keys.every((key) => declared.includes(key)) ? [example] : [];
}

/** Form A does not say which inputs are optional: only a function without inputs requires none. */
function requiresNothing(descriptor: JsonObject): boolean {
  const inputs = ownProperty(descriptor, 'inputs');
  if (Array.isArray(inputs)) return inputs.length === 0;
  const parameters = ownProperty(descriptor, 'parameters');
  return isJsonObject(parameters) && requiredNames(parameters).length === 0;
}

/** Names of the inputs that a descriptor of either form declares. */
export function declaredInputs(descriptor: JsonObject): readonly string[] {
  const inputs = ownProperty(descriptor, 'inputs');
  if (Array.isArray(inputs)) return textsOf(inputs);
  const properties = ownProperty(ownProperty(descriptor, 'parameters'), 'properties');
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
