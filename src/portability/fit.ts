import type { PortabilityProblem, ProfileFit } from '../model/client-view.ts';
import type { Contract, ContractFunction } from '../model/contract.ts';
import type { Profile, ProfileRule } from '../model/profile.ts';
import type { Wire } from '../model/wire.ts';
import { type Definition, placesOf, type RuleOf } from './rule-kinds.ts';
import {
  isDefinition,
  isObjectSchema,
  propertiesIn,
  requiredIn,
  schemaNodes,
  typesIn,
} from './schema-nodes.ts';

// This folder compares the definitions of a server's functions with what clients and providers accept. The profiles are
// data (suites/portability); what their rules ask is in `rule-kinds.ts`, by the kinds of src/model/profile.ts. `fit.ts`
// finds what a profile does not accept, `rewrite.ts` makes the definition that it would accept. It is pure.

/** A contract whose schemas were read once, for any number of profiles. */
export interface Definitions {
  readonly functions: readonly (Definition & {
    readonly isWhole: boolean;
    /** Without the schema of the result, which a provider is not sent. */
    readonly sent: Definition;
  })[];
}

/** A function breaks a rule, in one place or in several. */
export interface RuleProblem {
  /** Null: all functions together. */
  readonly function: string | null;
  readonly rule: ProfileRule;
  /** The first place. */
  readonly pointer: string;
  readonly message: string;
  readonly change: string;
}

/** What a wire calls the schemas; of form A only names are known, which no client sends as a schema. */
export const SCHEMA_MEMBERS: Readonly<Record<Wire, readonly [input: string, output: string] | null>> = {
  A: null,
  B: ['parameters', 'returns'],
  mcp: ['inputSchema', 'outputSchema'],
};

export function definitionsIn({ wire, functions }: Pick<Contract, 'wire' | 'functions'>): Definitions {
  return { functions: functions.map((one) => definitionOf(one, wire)) };
}

function definitionOf({ name, description, input, output }: ContractFunction, wire: Wire) {
  const members = SCHEMA_MEMBERS[wire] ?? [];
  const schemas = members.flatMap((member, index) => {
    const schema = index === 0 ? input : output;
    return schema === null ? [] : [{ at: `/${member}`, isInput: index === 0, nodes: schemaNodes(schema) }];
  });
  const said = { name, description: description ?? null };
  return {
    ...said,
    schemas,
    sent: { ...said, schemas: schemas.filter(({ isInput }) => isInput) },
    isWhole: schemas.every(({ nodes }) => nodes.isWhole),
  };
}

/** At most so many problems of a profile are listed. */
const MAX_PROBLEMS = 40;

/** How the functions of a contract fit a client or provider. Pure. */
export function fitOf(definitions: Definitions, profile: Profile, isChosen: boolean): ProfileFit {
  const problems = problemsOf(definitions, profile);
  const unfit = new Set(problems.flatMap((one) => one.function ?? []));
  const { functions } = definitions;
  const refused = functions
    .filter(({ name, isWhole }) => !isWhole || unfit.has(name))
    .map(({ name }) => name);
  const more = problems.length - MAX_PROBLEMS;
  return {
    profile: profile.id,
    title: profile.title,
    isChosen,
    functions: functions.length,
    portable: functions.length - refused.length,
    refused,
    problems: problems.slice(0, MAX_PROBLEMS).map(listed),
    ...(more > 0 ? { more } : {}),
  };
}

function listed({ rule, ...problem }: RuleProblem): PortabilityProblem {
  return { ...problem, rule: rule.id };
}

/** One for each function and rule, in their order; those of all functions together first. */
export function problemsOf(definitions: Definitions, profile: Profile): readonly RuleProblem[] {
  const ofAll = profile.rules.flatMap((rule) => (rule.kind === 'limit' ? overLimit(definitions, rule) : []));
  const ofEach = definitions.functions.flatMap((definition) => {
    const judged = profile.output === true ? definition : definition.sent;
    return profile.rules.flatMap((rule) => {
      const places = placesOf(judged, rule);
      if (places === null) return [];
      const { first, count } = places;
      const message = count === 1 ? first.message : `${first.message}${morePlaces(count - 1)}`;
      return [{ function: definition.name, rule, ...first, message }];
    });
  });
  return [...ofAll, ...ofEach];
}

function morePlaces(more: number): string {
  return `; ${more} more ${more === 1 ? 'place' : 'places'} like it`;
}

function overLimit({ functions: all }: Definitions, rule: RuleOf<'limit'>): readonly RuleProblem[] {
  const functions = all.map(({ sent }) => sent);
  const counts: Partial<Record<typeof rule.of, readonly [count: () => number, words: string]>> = {
    functions: [() => functions.length, 'functions'],
    'optional-parameters': [() => sumOf(functions, optionalParameters), 'optional parameters'],
    unions: [() => sumOf(functions, unions), 'parameters of several types'],
  };
  const [countOf, words] = counts[rule.of] ?? [];
  const count = countOf?.() ?? 0;
  if (count <= rule.max) return [];
  const message = `there are ${count} ${words}, and ${rule.max} are accepted`;
  return [{ function: null, rule, pointer: '', message, change: `offer no more than ${rule.max} ${words}` }];
}

function sumOf(functions: readonly Definition[], of: (one: Definition) => number): number {
  return functions.reduce((sum, one) => sum + of(one), 0);
}

function optionalParameters({ schemas }: Definition): number {
  const nodes = schemas.flatMap((one) => one.nodes.all);
  return nodes.reduce((sum, { schema }) => {
    if (!isObjectSchema(schema)) return sum;
    const required = new Set(requiredIn(schema));
    return sum + propertiesIn(schema).filter((name) => !required.has(name)).length;
  }, 0);
}

function unions({ schemas }: Definition): number {
  const nodes = schemas.flatMap((one) => one.nodes.all);
  return nodes.filter((node) => {
    const { schema, steps } = node;
    const isParameter = steps[0] === 'properties' || isDefinition(node);
    return (
      isParameter && (typesIn(schema).length > 1 || Array.isArray((schema as { anyOf?: unknown })?.anyOf))
    );
  }).length;
}
