import { sample } from 'fast-check';
import { descriptorForm, requiredNames, typesOf } from '../checks/capabilities/descriptor.ts';
import { declaredInputs, exampleInputs } from '../checks/documentation/examples-given.ts';
import { isJsonObject, itemsOf, type Json, type JsonObject, ownProperty, sameJson } from '../json/json.ts';
import type { ConfiguredSample, InputSource } from '../model/call.ts';
import type { NamedArguments } from '../model/request-template.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import { arbitraryOf } from './arbitrary-of-schema.ts';
import { sampleBudget, sampleValue } from './sample-value.ts';
import type { Variety } from './scalar-arbitraries.ts';
import { briefly } from './short-waits.ts';
import { withUnlikelyIds } from './unlikely-ids.ts';
import { randomFrom, variedInput } from './vary-input.ts';

export interface CallInput {
  /** Null: the call carries no input at all. */
  readonly input: JsonObject | null;
  readonly source: InputSource;
}

const MAX_CONFIGURED = 10;

/** An input that the function accepted before in this run, with parameters that must keep their values. */
interface AcceptedInput {
  readonly input: JsonObject;
  readonly fixed: readonly string[];
}

export interface Generation {
  readonly schemas: SchemaEvaluator;
  readonly accepted?: AcceptedInput | undefined;
  /** For the values of a distinct input. */
  readonly seed?: string;
}

/**
 * The inputs to call a function with. Empty if this kind of call is impossible, for example because the function
 * requires no parameter that could be left out.
 */
export function callInputs(
  kind: NamedArguments,
  descriptor: JsonObject,
  samples: readonly ConfiguredSample[],
  generation: Generation,
): readonly CallInput[] {
  switch (kind) {
    case 'failing':
      return samples
        .filter(({ fails }) => fails)
        .slice(0, MAX_CONFIGURED)
        .map(({ input }) => ({ input, source: 'failing' }));
    case 'omitted':
      return [{ input: null, source: 'none-needed' }];
    default:
      return fromValid(kind, validInputs(descriptor, samples, generation), descriptor, generation);
  }
}

function fromValid(
  kind: Exclude<NamedArguments, 'failing' | 'omitted'>,
  found: readonly CallInput[],
  descriptor: JsonObject,
  generation: Generation,
): readonly CallInput[] {
  if (kind === 'sample') return found;
  if (kind === 'generated') return found.slice(0, 1);
  const first = found.find(({ source }) => source !== 'none-valid');
  if (first === undefined) return [];
  if (kind === 'distinct') return [distinctInput(first, descriptor, generation)];
  if (first.input === null) return [];
  return kind === 'missing-required'
    ? withoutRequired(first.input, descriptor)
    : withWrongType(first.input, descriptor, generation);
}

/** The configured samples, else an accepted input, else the descriptor's first example, else a generated one. */
function validInputs(
  descriptor: JsonObject,
  samples: readonly ConfiguredSample[],
  { schemas, accepted }: Generation,
): readonly CallInput[] {
  const configured = samples.filter(({ fails }) => !fails).slice(0, MAX_CONFIGURED);
  if (configured.length > 0) return configured.map(({ input }) => ({ input, source: 'configured' }));
  if (accepted !== undefined) return [{ input: accepted.input, source: 'learned' }];
  const [example] = exampleInputs(descriptor);
  if (example !== undefined) return [{ input: example, source: 'example' }];
  const { of, usual, generated } = shortInput(descriptor, neededNames, schemas);
  if (generated === null) return [{ input: usual, source: 'none-valid' }];
  const input = withUnlikelyIds(generated, of, schemas, randomFrom);
  return [{ input, source: Object.keys(input).length === 0 ? 'none-needed' : 'assembled' }];
}

interface GeneratedInput {
  readonly schemas: SchemaEvaluator;
  readonly usual: JsonObject;
  readonly generated: JsonObject | null;
}

/** By its names: all kinds of calls begin with the same input, and to generate one may take a second. */
const generatedBefore = new WeakMap<JsonObject, Map<string, GeneratedInput>>();

function generatedInput(descriptor: JsonObject, names: readonly string[], schemas: SchemaEvaluator) {
  const before = generatedBefore.get(descriptor) ?? new Map<string, GeneratedInput>();
  generatedBefore.set(descriptor, before);
  const known = before.get(names.join('\n'));
  if (known?.schemas === schemas) return known;
  const parameters = ownProperty(descriptor, 'parameters') ?? {};
  const sampleOf = (name: string): Json =>
    sampleValue(propertySchema(descriptor, name), name, parameters, 0, sampleBudget(names.length));
  const usual = Object.fromEntries(names.map((name) => [name, sampleOf(name)]));
  const made = { schemas, usual, generated: generateInput(usual, parameters, schemas) };
  before.set(names.join('\n'), made);
  return made;
}

/** A generated input with the parameters that may be left out too; null if there are none. */
export function inputWithOptional(descriptor: JsonObject, schemas: SchemaEvaluator): JsonObject | null {
  const { of, generated } = shortInput(descriptor, declaredInputs, schemas);
  return generated === null || Object.keys(generated).length === 0
    ? null
    : withUnlikelyIds(generated, of, schemas, randomFrom);
}

/** A generated input that asks for no long wait, if there is one: other parts of the schema may demand a long one. */
function shortInput(descriptor: JsonObject, namesOf: typeof neededNames, schemas: SchemaEvaluator) {
  const brief = briefly(descriptor);
  const made = generatedInput(brief, namesOf(brief), schemas);
  if (made.generated !== null || brief === descriptor) return { of: brief, ...made };
  return { of: descriptor, ...generatedInput(descriptor, namesOf(descriptor), schemas) };
}

/** Form A does not distinguish required keys, so all are included; form B lists the required ones. */
function neededNames(descriptor: JsonObject): readonly string[] {
  return descriptorForm(descriptor) === 'B'
    ? requiredNames(ownProperty(descriptor, 'parameters'))
    : declaredInputs(descriptor);
}

function propertySchema(descriptor: JsonObject, name: string): Json {
  return ownProperty(ownProperty(ownProperty(descriptor, 'parameters'), 'properties'), name) ?? {};
}

function distinctInput(
  { input, source }: CallInput,
  descriptor: JsonObject,
  { seed = '', schemas, accepted }: Generation,
): CallInput {
  if (input === null || Object.keys(input).length === 0) return { input, source };
  const varied = variedInput(input, descriptor, seed, schemas, accepted?.fixed);
  // A variation of a valid input may be invalid.
  return { input: varied, source: sameJson(varied, input) ? source : 'assembled' };
}

function withoutRequired(input: JsonObject, descriptor: JsonObject): readonly CallInput[] {
  const required = requiredNames(ownProperty(descriptor, 'parameters'));
  // Only a name that the valid input contains can be left out.
  const left = required.find((name) => Object.hasOwn(input, name));
  if (left === undefined) return [];
  const others = Object.entries(input).filter(([name]) => name !== left);
  return [{ input: Object.fromEntries(others), source: 'made-wrong' }];
}

/** For each type, a value that even a lenient parser does not convert to it. */
const WRONG_VALUES: Readonly<Record<string, Json>> = {
  string: [{ probity: 'not a string' }],
  number: 'not a number',
  integer: 'not an integer',
  boolean: 'not true or false',
  object: 'not an object',
  array: 'not an array',
  null: 'not null',
};

function withWrongType(
  input: JsonObject,
  descriptor: JsonObject,
  { schemas }: Generation,
): readonly CallInput[] {
  const schema = schemas.foreign(ownProperty(descriptor, 'parameters') ?? {});
  const required = requiredNames(ownProperty(descriptor, 'parameters'));
  const names = [...required, ...declaredInputs(descriptor).filter((name) => !required.includes(name))];
  for (const name of names) {
    const [type, ...others] = typesOf(propertySchema(descriptor, name)) ?? [];
    const wrong = type === undefined ? undefined : WRONG_VALUES[type];
    // A parameter of several types may accept the wrong value.
    if (wrong === undefined || others.length > 0) continue;
    const made = { ...input, [name]: wrong };
    // An alternative that is a $ref shows no type, and may accept it too.
    if (schema.kind === 'usable' && schema.apply(made).kind === 'valid') continue;
    return [{ input: made, source: 'made-wrong' }];
  }
  return [];
}

/** The descriptor of a listed function, or an empty one for a name that is not listed. */
export function descriptorNamed(functions: Json | undefined, name: string): JsonObject | undefined {
  return itemsOf(functions)
    .filter(isJsonObject)
    .find((entry) => ownProperty(entry, 'name') === name);
}

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
  const verdicts = new Map<JsonObject, string>();
  const validIn = (inputs: readonly JsonObject[]): JsonObject | undefined =>
    inputs.find((input) => {
      const verdict = verdictOn(input);
      verdicts.set(input, verdict);
      return verdict === 'valid';
    });
  const plain = samplesOf(parameters, 'plain');
  const found =
    validIn(plain) ??
    // Items that must differ may do so only in what is optional.
    validIn(samplesOf(parameters, 'any')) ??
    plain.find((input) => verdicts.get(input) === 'undecided');
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
