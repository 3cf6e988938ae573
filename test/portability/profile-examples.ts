import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { CONTRACT_SCHEMA_ID, type Contract, type ContractFunction } from '../../src/model/contract.ts';

interface Example {
  readonly name?: string;
  readonly description?: string | null;
  readonly input?: JsonObject;
  readonly many?: Readonly<Record<string, number>>;
}

export interface RuleExample {
  readonly profile: string;
  readonly rule: string;
  readonly breaks: Contract;
  readonly keeps: Contract;
}

/** The examples of suites/portability, for each rule a contract that breaks it and one that breaks no rule. */
export function ruleExamples(): readonly RuleExample[] {
  return readdirSync('suites/portability').flatMap((file) => {
    const profile = parse(readFileSync(`suites/portability/${file}`, 'utf8')) as {
      id: string;
      rules: { id: string; examples: { breaks: Example; keeps: Example } }[];
    };
    return profile.rules.map(({ id, examples }) => ({
      profile: profile.id,
      rule: id,
      breaks: contractOf(profile.id, examples.breaks),
      keeps: contractOf(profile.id, examples.keeps),
    }));
  });
}

export function contractWith(
  functions: readonly ContractFunction[],
  wire: Contract['wire'] = 'mcp',
): Contract {
  return {
    schema: CONTRACT_SCHEMA_ID,
    wire,
    server: {},
    functions,
    prompts: [],
    resources: [],
    resourceTemplates: [],
    unread: [],
  };
}

export function functionWith(input: Json, more: Partial<ContractFunction> = {}): ContractFunction {
  return { name: 'get_weather', description: 'The weather of a city.', input, output: null, ...more };
}

function contractOf(profile: string, { name, description, input, many }: Example): Contract {
  const closed = profile === 'gemini-openapi' ? {} : { additionalProperties: false };
  const plain = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], ...closed };
  if (many !== undefined) return contractWith(manyOf(many));
  const { description: usual, ...one } = functionWith(input ?? plain, name === undefined ? {} : { name });
  return contractWith([
    { ...one, ...(description === null ? {} : { description: description ?? usual ?? '' }) },
  ]);
}

function manyOf(many: Readonly<Record<string, number>>): readonly ContractFunction[] {
  const [[what, count]] = Object.entries(many) as [[string, number]];
  const numbers = Array.from({ length: count }, (_, index) => index);
  const objectOf = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  const named = (schema: Json): JsonObject =>
    Object.fromEntries(numbers.map((number) => [`p${number}`, schema]));
  switch (what) {
    case 'nesting':
      return [functionWith(numbers.slice(1).reduce((inner) => objectOf({ inner }), objectOf({})))];
    case 'properties':
      return [functionWith(objectOf(named({ type: 'string' })))];
    case 'enum-values':
      return [functionWith(objectOf({ word: { type: 'string', enum: numbers.map(String) } }))];
    case 'functions':
      return numbers.map((number) => functionWith(objectOf({}), { name: `get_${number}` }));
    case 'optional-parameters':
      return [functionWith(objectOf(named({ type: 'string' }), []))];
    case 'unions':
      return [functionWith(objectOf(named({ type: ['string', 'null'] })))];
    case 'description':
      return [functionWith(objectOf({}), { description: 'x'.repeat(count) })];
    default:
      throw new Error(`unknown: ${what}`);
  }
}
