import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { isJsonObject, type Json, jsonText, shorten } from '../model/json.ts';
import type { ForeignSchema, SchemaEvaluator, SchemaProblem } from '../model/schema-evaluator.ts';
import { decisiveError, explainSchemaError } from './schema-words.ts';

/** Bounds on schemas that targets send; past them a schema is not applied. */
const MAX_SCHEMA_CHARACTERS = 256 * 1024;
const MAX_SCHEMA_VALUES = 20_000;
const MAX_PATTERN_CHARACTERS = 1000;
const MAX_REFERENCES = 200;
/** Most times that parts of a schema are applied to one value: references to references multiply without end. */
const MAX_STEPS = 100_000;

const COMMON: Options = {
  strict: false,
  // Else 1e999, which JSON.parse reads as Infinity, would be a number like any other.
  strictNumbers: true,
  validateFormats: false,
  verbose: true,
  logger: false,
  ownProperties: true,
};

/** Patterns of targets run in time linear in the text, whatever they are. */
function linearTimeRegExp(pattern: string): { test(text: string): boolean } {
  if (!isRegExp(pattern, 'u') && !isRegExp(pattern, '')) throw new BrokenPattern(pattern);
  const compiled = compileLinear(pattern);
  return {
    test: (text) => {
      if (compiled !== null && text.length <= MAX_MATCHED_CHARACTERS) return compiled.matcher(text).find();
      passedOver += 1;
      return true;
    },
  };
}

/** Texts that patterns are tried on are no longer than this: linear time is linear in the pattern’s size as well. */
const MAX_MATCHED_CHARACTERS = 100_000;

/** How many patterns were taken to match because they could not be tried; a value that is otherwise valid is undecided. */
let passedOver = 0;

/** Lookahead and back references are legal and cannot be had in linear time. */
function compileLinear(pattern: string): ReturnType<typeof RE2JS.compile> | null {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
linearTimeRegExp.code = 'linearTimeRegExp';

/** A pattern that no engine would take; one that only ours does not take is no fault of the schema. */
class BrokenPattern extends Error {}

/** Compiles the pattern without ever applying it. */
function isRegExp(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Each of these schemas is compiled by an Ajv of its own, which must know it for `$ref: "#"` to be resolved. */
const FOREIGN: Options = { ...COMMON, addUsedSchema: true, code: { regExp: linearTimeRegExp as never } };

/** Keywords that name or fetch other schemas, or make evaluation asynchronous: never honoured. */
const DROPPED_KEYWORDS = new Set([
  '$id',
  'id',
  '$schema',
  '$async',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$vocabulary',
  // OpenAPI's, not JSON Schema's, though Ajv would honour it.
  'nullable',
]);

export function createSchemaEvaluator(): SchemaEvaluator {
  const trusted = new Ajv2020(COMMON);
  const compiled = new Map<Json, ValidateFunction>();
  return {
    problemOf: (schema, value) => {
      const known = compiled.get(schema);
      const validate = known ?? trusted.compile(schema as object);
      compiled.set(schema, validate);
      return firstProblem(validate, value);
    },
    foreign: rememberedForeign(),
  };
}

/** Most different schemas of one target that are compiled: each takes milliseconds. */
const MAX_FOREIGN_SCHEMAS = 2000;

/** The same schema, read twice or used by several functions, is compiled once. */
function rememberedForeign(): SchemaEvaluator['foreign'] {
  const known = new Map<string, ForeignSchema>();
  return (schema) => {
    const text = jsonText(schema);
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    if (known.size >= MAX_FOREIGN_SCHEMAS)
      return {
        kind: 'unusable',
        reason: `the target sends more than ${MAX_FOREIGN_SCHEMAS} different schemas`,
      };
    const made = usableOrNot(schema);
    known.set(text, made);
    return made;
  };
}

function firstProblem(validate: ValidateFunction, value: Json): SchemaProblem | null {
  if (validate(value)) return null;
  const error = decisiveError(validate.errors ?? []);
  return error === undefined ? null : explainSchemaError(error);
}

type Draft = '2020-12' | 'draft-07';

const metaValidators = new Map<Draft, Ajv | Ajv2020>();

function ajvFor(draft: Draft): Ajv | Ajv2020 {
  const known = metaValidators.get(draft);
  if (known !== undefined) return known;
  const ajv = draft === '2020-12' ? new Ajv2020(COMMON) : new Ajv(COMMON);
  metaValidators.set(draft, ajv);
  return ajv;
}

function usableOrNot(schema: Json): ForeignSchema {
  try {
    return foreignSchema(schema);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return {
      kind: 'unusable',
      reason: 'it compares objects with a key such as valueOf, which cannot be done here',
    };
  }
}

/**
 * Of objects with such a key the compiler's comparison calls what the key holds, or takes two that are equal for
 * different ones.
 */
const INCOMPARABLE_KEY = /"(?:constructor|toString|valueOf)":/;

function foreignSchema(schema: Json): ForeignSchema {
  if (!isJsonObject(schema) && typeof schema !== 'boolean') {
    return {
      kind: 'invalid',
      problem: { pointer: '', expected: 'a schema: an object', received: typeof schema },
    };
  }
  const survey = surveySchema(schema);
  if (survey.tooBig !== null) return { kind: 'unusable', reason: survey.tooBig };
  const drafts = draftsOf(schema);
  if (drafts === null)
    return { kind: 'unusable', reason: 'its $schema is a draft that the harness does not know' };
  const verdicts = drafts.map((draft) => ({ draft, problem: metaProblem(draft, schema) }));
  const valid = verdicts.find(({ problem }) => problem === null);
  if (valid === undefined) return { kind: 'invalid', problem: verdicts[0]?.problem as SchemaProblem };
  if (survey.remoteReference !== null) {
    return {
      kind: 'unusable',
      reason: `it refers to ${survey.remoteReference}, and the harness fetches nothing that a target names`,
    };
  }
  return compileForeign(valid.draft, schema);
}

function metaProblem(draft: Draft, schema: Json): SchemaProblem | null {
  const ajv = ajvFor(draft);
  const valid = ajv.validateSchema(withoutDropped(schema) as object);
  if (valid === true) return null;
  const [error] = ajv.errors ?? [];
  return error === undefined
    ? { pointer: '', expected: 'a JSON Schema', received: 'something else' }
    : explainSchemaError(error);
}

/** Comparing every item with every other takes time with the square of their number. */
const MAX_COMPARED_CHARACTERS = 50_000;

class TooManySteps extends Error {}

/** Every reference is a call of a function that the compiler generates; each calls `countStep` of its compiler first. */
const COUNTED: Options = {
  ...FOREIGN,
  meta: false,
  validateSchema: false,
  code: {
    ...FOREIGN.code,
    process: (code) => code.replace(/function validate\d+\(data, \{.*?\}=\{\}\)\{/, '$&self.countStep();'),
  },
};

function compileForeign(draft: Draft, schema: Json): ForeignSchema {
  const ajv = draft === '2020-12' ? new Ajv2020(COUNTED) : new Ajv(COUNTED);
  const schemaText = JSON.stringify(schema);
  const comparesItems = schemaText.includes('"uniqueItems"');
  const compares = comparesItems || /"(?:const|enum)":/.test(schemaText);
  let steps = 0;
  const countStep = (): void => {
    steps += 1;
    if (steps > MAX_STEPS) throw new TooManySteps();
  };
  Object.assign(ajv, { countStep });
  try {
    const validate = ajv.compile(withoutDropped(schema) as object);
    const problemOf = (value: Json): SchemaProblem | 'undecided' | null => {
      steps = 0;
      passedOver = 0;
      const valueText = compares ? JSON.stringify(value) : '';
      if (comparesItems && valueText.length > MAX_COMPARED_CHARACTERS) return 'undecided';
      if (INCOMPARABLE_KEY.test(valueText)) return 'undecided';
      try {
        return firstProblem(validate, value) ?? (passedOver > 0 ? 'undecided' : null);
      } catch (error) {
        // A schema that refers to itself without going deeper into the value ends on the stack.
        if (error instanceof TooManySteps || error instanceof RangeError) return 'undecided';
        if (error instanceof TypeError && compares) return 'undecided';
        throw error;
      }
    };
    return { kind: 'usable', problemOf };
  } catch (error) {
    if (error instanceof BrokenPattern) {
      const received = JSON.stringify(shorten(error.message));
      return {
        kind: 'invalid',
        problem: { pointer: '', expected: 'every pattern to be a regular expression', received },
      };
    }
    const message = error instanceof Error ? error.message : String(error);
    const missing = /can't resolve reference (\S+)/.exec(message);
    if (missing?.[1]?.startsWith('#/') === false)
      return {
        kind: 'unusable',
        reason: `it refers to the anchor ${missing[1]}, which the harness does not follow`,
      };
    if (missing !== null) {
      return {
        kind: 'invalid',
        problem: {
          pointer: '',
          expected: 'every $ref to lead somewhere',
          received: `$ref ${missing[1]}, which leads nowhere`,
        },
      };
    }
    return { kind: 'unusable', reason: `it cannot be compiled: ${message}` };
  }
}

/** Without $schema both current drafts will do: the specification names none. */
function draftsOf(schema: Json): readonly Draft[] | null {
  const declared = isJsonObject(schema) ? schema.$schema : undefined;
  if (typeof declared !== 'string') return ['2020-12', 'draft-07'];
  if (/draft\/20(20-12|19-09)\//.test(declared)) return ['2020-12'];
  if (/draft-0[67]\//.test(declared)) return ['draft-07'];
  return /json-schema\.org\/schema#?$/.test(declared) ? ['2020-12', 'draft-07'] : null;
}

/** What a part of a schema is: one itself, a map of names to some, or data, whatever it looks like. */
type Place = 'schema' | 'names' | 'data';

interface Surveyed {
  readonly value: Json;
  readonly place: Place;
}

function placeUnder(keyword: string, place: Place): Place {
  if (place === 'names') return 'schema';
  if (place === 'data') return 'data';
  if (NAME_MAPS.has(keyword)) return 'names';
  return APPLICATORS.has(keyword) ? 'schema' : 'data';
}

interface SchemaSurvey {
  readonly tooBig: string | null;
  readonly remoteReference: string | null;
}

function surveySchema(schema: Json): SchemaSurvey {
  let remoteReference: string | null = null;
  let values = 0;
  let references = 0;
  const pending: Surveyed[] = [{ value: schema, place: 'schema' }];
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS) {
    return { tooBig: `it is longer than ${MAX_SCHEMA_CHARACTERS} characters`, remoteReference };
  }
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, place } = next;
    values += 1;
    if (values > MAX_SCHEMA_VALUES)
      return { tooBig: `it holds more than ${MAX_SCHEMA_VALUES} values`, remoteReference };
    // One by one: as arguments of one call, a long list would be too much for the stack.
    if (Array.isArray(value))
      for (const item of value as readonly Json[]) pending.push({ value: item, place });
    if (!isJsonObject(value)) continue;
    for (const [keyword, operand] of Object.entries(value)) {
      pending.push({ value: operand, place: placeUnder(keyword, place) });
      if (typeof operand !== 'string') continue;
      if (keyword === 'pattern' && operand.length > MAX_PATTERN_CHARACTERS) {
        return { tooBig: `a pattern is longer than ${MAX_PATTERN_CHARACTERS} characters`, remoteReference };
      }
      if (keyword !== '$ref' && keyword !== '$dynamicRef' && keyword !== '$recursiveRef') continue;
      references += 1;
      if (references > MAX_REFERENCES)
        return { tooBig: `it holds more than ${MAX_REFERENCES} references`, remoteReference };
      if (!operand.startsWith('#') && place === 'schema') remoteReference ??= operand;
    }
  }
  return { tooBig: null, remoteReference };
}

/** Names under `properties` are data, so a parameter may well be called "id". */
const NAME_MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
/** Keywords that hold a schema, or a list of them. */
const APPLICATORS = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
  'if',
  'then',
  'else',
  'not',
  'allOf',
  'anyOf',
  'oneOf',
]);
const PLAIN_DATA = new Set(['enum', 'const', 'default', 'examples', 'example']);

function withoutDropped(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutDropped);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !DROPPED_KEYWORDS.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]): [string, Json] => {
      if (PLAIN_DATA.has(keyword)) return [keyword, value];
      if (NAME_MAPS.has(keyword) && isJsonObject(value)) {
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutDropped(inner)])),
        ];
      }
      return [keyword, withoutDropped(value)];
    }),
  );
}
