import type { ErrorObject } from 'ajv';
import { isJsonObject, type Json, jsonText, showJson } from '../model/json.ts';
import type { SchemaProblem } from '../model/schema-evaluator.ts';

/** Errors of these only repeat the one before them. */
const REPEATING = new Set(['if', 'propertyNames']);

/** The error that says what is wrong: where several schemas would do, it follows those of the ones that were tried. */
export function decisiveError(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors.findLast(({ keyword }) => !REPEATING.has(keyword));
}

/** A schema's error in words that need no knowledge of JSON Schema. */
export function explainSchemaError(error: ErrorObject): SchemaProblem {
  const data = error.data as Json | undefined;
  const params = error.params as Record<string, unknown>;
  const received = showJson(data);
  const at = (expected: string, found = received): SchemaProblem => ({
    pointer: error.instancePath,
    expected,
    received: found,
  });
  switch (error.keyword) {
    case 'required':
      return at(
        `an object with the property "${params.missingProperty}"`,
        `an object without it: ${received}`,
      );
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return at(
        'no further properties',
        `the property "${params.additionalProperty ?? params.unevaluatedProperty}"`,
      );
    case 'uniqueItems':
      return at('no item twice', `items ${params.j} and ${params.i} are the same`);
    case 'contains':
      return at('an item of the right kind', received);
    case 'false schema':
      return at('nothing', received);
    case 'type':
      return at(
        describeSchema(error.parentSchema as Json) ??
          describeSchema({ type: params.type as Json }) ??
          'another type',
      );
    case 'anyOf':
    case 'oneOf':
      return at(choiceWords(error, params.passingSchemas) ?? error.message ?? 'something else');
    default:
      return at(plainWords(error) ?? error.message ?? 'something else');
  }
}

/** Words for the whole schema, if they hold what the value failed on. */
function plainWords({ keyword, parentSchema }: ErrorObject): string | undefined {
  const described = isJsonObject(parentSchema)
    ? describeSchema({ [keyword]: parentSchema[keyword] as Json })
    : undefined;
  return described === undefined ? undefined : describeSchema(parentSchema as Json);
}

/** What would do where one of several schemas is asked for, unless more than one fitted. */
function choiceWords({ schema }: ErrorObject, passing: unknown): string | undefined {
  if (!Array.isArray(schema) || (passing ?? null) !== null) return undefined;
  const words = (schema as readonly Json[]).map(describeSchema);
  return words.every((one) => one !== undefined) ? words.join(', or ') : undefined;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** A schema of a few plain keywords in words, or undefined where words would not be exact. */
export function describeSchema(schema: Json): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (Array.isArray(schema.enum)) return (schema.enum as Json[]).map(jsonText).join(' or ');
  if (schema.const !== undefined) return jsonText(schema.const);
  const types =
    typeof schema.type === 'string' ? [schema.type] : ((schema.type as readonly string[] | undefined) ?? []);
  const base = types.map((type) => TYPE_WORDS[type] ?? type).join(' or ');
  const bounds = boundWords(schema);
  const words = [base, ...bounds].filter((part) => part !== '');
  return words.length > 0 ? words.join(', ') : undefined;
}

function boundWords(schema: { readonly [key: string]: Json }): readonly string[] {
  const bounds: string[] = [];
  const add = (keyword: string, words: (limit: Json) => string): void => {
    const limit = schema[keyword];
    if (limit !== undefined) bounds.push(words(limit));
  };
  add('minimum', (limit) => `${jsonText(limit)} or more`);
  add('maximum', (limit) => `${jsonText(limit)} or less`);
  add('exclusiveMinimum', (limit) => `more than ${jsonText(limit)}`);
  add('exclusiveMaximum', (limit) => `less than ${jsonText(limit)}`);
  add('minLength', (limit) => (limit === 1 ? 'not empty' : `at least ${limit} characters`));
  add('maxLength', (limit) => `at most ${limit} characters`);
  add('pattern', (limit) => `matching ${limit}`);
  add('minItems', (limit) => (limit === 1 ? 'at least 1 item' : `at least ${limit} items`));
  add('maxItems', (limit) => `at most ${limit} items`);
  return bounds;
}
