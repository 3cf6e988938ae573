import { isJsonObject, type Json, jsonPointer, jsonText, ownProperty, showJson } from '../../json/json.ts';
import type { SchemaProblem } from '../../model/schema-evaluator.ts';
import type { Failure } from '../json-schema/outcome.ts';

/** Describes a failure without terms of JSON Schema. */
export function explainFailure(failure: Failure): SchemaProblem {
  const { detail, path, schema, value } = failure;
  const inner = detail.kind === 'none fits' ? onlyCandidate(detail.failures) : null;
  if (inner !== null) return explainFailure({ ...inner, path: [...inner.path, ...path] });
  const received = showJson(value);
  const alternatives = detail.kind === 'none fits' ? detail.failures : [];
  const saysNullable = [failure, ...alternatives].some((one) => one.saysNullable);
  const at = (expected: string, found = received): SchemaProblem => ({
    pointer: jsonPointer(path.toReversed()),
    expected,
    received: found,
    ...(saysNullable && { advice: nullableAdvice(schema) }),
  });
  switch (detail.kind) {
    case 'missing': {
      const since = detail.because === null ? '' : `, because it has "${detail.because}"`;
      return at(
        `an object with the property "${detail.property}"${since}`,
        `an object without it: ${received}`,
      );
    }
    case 'extra':
      return detail.what === 'property'
        ? at('no further properties', `the property "${detail.at}"`)
        : at('no further items', `item ${detail.at}`);
    case 'same items':
      return at('no item twice', `items ${detail.first} and ${detail.second} are the same`);
    case 'several fit':
      return at(
        'a value valid against exactly one schema in oneOf',
        `${received}, valid against schemas ${detail.first} and ${detail.second}`,
      );
    case 'none fits':
      return at(choiceWords(detail.failures) ?? `a value valid against a schema in ${failure.keyword}`);
    case 'plain':
      return at(plainWords(failure.keyword, schema) ?? `a value valid against ${failure.keyword}`);
  }
}

function nullableAdvice(schema: Json): string {
  const type = ownProperty(schema, 'type');
  return `Declare null as JSON Schema does, such as "type": [${typeof type === 'string' ? JSON.stringify(type) : '"string"'}, "null"], and among the values of an enum, or do not send it: "nullable" is a word of OpenAPI 3.0, which JSON Schema ignores.`;
}

/** Keywords whose description fully explains a failure at the value itself. */
const PLAIN_KEYWORDS = new Set([
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
]);

function failsByItself({ path, keyword }: Failure): boolean {
  return path.length === 0 && PLAIN_KEYWORDS.has(keyword);
}

/** The failure of the only alternative for values of this type, if it says more than the list of alternatives. */
function onlyCandidate(failures: readonly Failure[]): Failure | null {
  const [only, ...others] = failures.filter(({ path, keyword }) => path.length > 0 || keyword !== 'type');
  return only === undefined || others.length > 0 || failsByItself(only) ? null : only;
}

/** All accepted values, if each alternative fails at the value itself. */
function choiceWords(failures: readonly Failure[]): string | undefined {
  if (!failures.every(failsByItself)) return undefined;
  const words = failures.map(({ keyword, schema }) => plainWords(keyword, schema));
  return words.every((one) => one !== undefined) ? [...new Set(words)].join(', or ') : undefined;
}

function plainWords(keyword: string, schema: Json): string | undefined {
  if (keyword === 'false schema') return 'nothing';
  if (!isJsonObject(schema)) return undefined;
  const operand = schema[keyword] as Json;
  switch (keyword) {
    case 'not': {
      const words = describeSchema(operand);
      return words === undefined ? 'a value not valid against the schema in not' : `anything but ${words}`;
    }
    case 'contains': {
      const minContains = schema.minContains ?? 1;
      return minContains === 1
        ? 'an item of the right kind'
        : `at least ${jsonText(minContains)} items of the right kind`;
    }
    case 'maxContains':
      return `at most ${counted(operand, 'item')} of the right kind`;
    case 'enum':
    case 'const':
      return describeSchema({ [keyword]: operand });
    default: {
      // Listed values do not explain why another keyword fails.
      const { enum: _values, const: _value, ...others } = schema;
      return describeSchema(others);
    }
  }
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

/** Describes a schema of a few plain keywords; undefined if words would not be exact. */
export function describeSchema(schema: Json): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (Array.isArray(schema.enum)) return (schema.enum as Json[]).map(jsonText).join(' or ');
  if (schema.const !== undefined) return jsonText(schema.const);
  const types =
    typeof schema.type === 'string' ? [schema.type] : ((schema.type as readonly string[] | undefined) ?? []);
  const base = types.map((type) => TYPE_WORDS[type] ?? type).join(' or ');
  const bounds = Object.entries(BOUND_WORDS).flatMap(([keyword, wordsFor]) => {
    const limit = schema[keyword];
    return limit === undefined ? [] : [wordsFor(limit)];
  });
  const words = [base, ...bounds].filter((part) => part !== '');
  return words.length > 0 ? words.join(', ') : undefined;
}

const BOUND_WORDS: Readonly<Record<string, (limit: Json) => string>> = {
  minimum: (limit) => `${jsonText(limit)} or more`,
  maximum: (limit) => `${jsonText(limit)} or less`,
  exclusiveMinimum: (limit) => `more than ${jsonText(limit)}`,
  exclusiveMaximum: (limit) => `less than ${jsonText(limit)}`,
  multipleOf: (step) => `a multiple of ${jsonText(step)}`,
  minLength: (limit) => (limit === 1 ? 'not empty' : `at least ${counted(limit, 'character')}`),
  maxLength: (limit) => `at most ${counted(limit, 'character')}`,
  pattern: (limit) => `matching ${limit}`,
  minItems: (limit) => `at least ${counted(limit, 'item')}`,
  maxItems: (limit) => `at most ${counted(limit, 'item')}`,
  minProperties: (limit) => `at least ${counted(limit, 'property')}`,
  maxProperties: (limit) => `at most ${counted(limit, 'property')}`,
};

function counted(count: Json, what: string): string {
  if (count === 1) return `1 ${what}`;
  return `${jsonText(count)} ${what.replace(/y$/, 'ie')}s`;
}
