import { sample } from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import { arbitraryOf } from './arbitrary-of-schema.ts';
import type { Variety } from './making.ts';

const MAX_ATTEMPTS = 100;
/** Each is validated with the whole input. */
const MAX_KEPT = 100;
/** The same schema gives the same input in each run. */
const SEED = 1;

/**
 * The usual input if its schema accepts it, else one that has as much of it as the schema accepts. Null where no input
 * that the schema accepts was found. Pure.
 */
export function generateInput(
  usual: JsonObject,
  parameters: Json,
  schemas: SchemaEvaluator,
): JsonObject | null {
  const schema = schemas.foreign(parameters);
  // Whether a schema that cannot be applied accepts an input is the server's to say.
  if (schema.kind !== 'usable') return usual;
  const verdictOn = (input: Json): string => schema.apply(input).kind;
  if (verdictOn(usual) !== 'invalid') return usual;
  const plain = samplesOf(parameters, 'plain');
  const isValid = (input: Json): boolean => verdictOn(input) === 'valid';
  const found =
    plain.find(isValid) ??
    // Items that must differ may do so only in what is optional.
    samplesOf(parameters, 'any').find(isValid) ??
    plain.find((input) => verdictOn(input) === 'undecided');
  if (found === undefined) return null;
  let input = found;
  for (const [name, value] of Object.entries(usual).slice(0, MAX_KEPT)) {
    const more = { ...input, [name]: value };
    if (verdictOn(more) === 'valid') input = more;
  }
  return input;
}

function samplesOf(parameters: Json, variety: Variety): readonly JsonObject[] {
  const arbitrary = arbitraryOf(parameters, variety);
  return arbitrary === null
    ? []
    : sample(arbitrary, { numRuns: MAX_ATTEMPTS, seed: SEED }).filter(isJsonObject);
}
