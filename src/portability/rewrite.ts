import { type Json, sameJson } from '../json/json.ts';
import type { PortabilityProblem } from '../model/client-view.ts';
import type { Contract, ContractFunction } from '../model/contract.ts';
import type { Profile, ProfileRule } from '../model/profile.ts';
import { definitionsIn, problemsOf } from './fit.ts';
import { rewrittenSchema } from './rewrite-schema.ts';
import { fittingName } from './rule-kinds.ts';

/** A definition as a profile needs it. */
export interface Rewritten {
  readonly definition: ContractFunction;
  /** What the new definition no longer says, or says in words only. */
  readonly lost: readonly string[];
  /** What could not be changed so that the profile accepts it. */
  readonly unfit: readonly PortabilityProblem[];
}

/** One change may break another rule: a type that was added is closed then, and its properties required. */
const MAX_ROUNDS = 8;

/** The definition of a function, changed as little as a profile needs. Pure. */
export function rewritten(original: ContractFunction, wire: Contract['wire'], profile: Profile): Rewritten {
  const lost = new Set<string>();
  let definition = original;
  let problems = problemsIn(definition, wire, profile);
  for (let round = 0; round < MAX_ROUNDS && problems.length > 0; round += 1) {
    const before = definition;
    for (const rule of new Set(problems.map((one) => one.rule)))
      definition = applied(definition, rule, profile, lost);
    problems = problemsIn(definition, wire, profile);
    if (sameJson(definition as unknown as Json, before as unknown as Json)) break;
  }
  return {
    definition,
    lost: [...lost],
    unfit: problems.map(({ rule, ...problem }) => ({ ...problem, rule: rule.id })),
  };
}

function problemsIn(one: ContractFunction, wire: Contract['wire'], profile: Profile) {
  return problemsOf(definitionsIn({ wire, functions: [one] }), profile);
}

function applied(
  definition: ContractFunction,
  rule: ProfileRule,
  profile: Profile,
  lost: Set<string>,
): ContractFunction {
  switch (rule.kind) {
    case 'name': {
      const name = fittingName(definition.name, rule);
      lost.add(`the name: the server knows it as ${JSON.stringify(definition.name)}`);
      return { ...definition, name };
    }
    case 'description':
      return described(definition, rule, lost);
    default: {
      const change = (schema: Json): Json =>
        schema === null ? null : rewrittenSchema(schema, rule, profile, lost);
      const { input, output } = definition;
      return {
        ...definition,
        input: change(input),
        output: profile.output === true ? change(output) : output,
      };
    }
  }
}

function described(
  { description = '', ...rest }: ContractFunction,
  rule: ProfileRule & { readonly kind: 'description' },
  lost: Set<string>,
): ContractFunction {
  if (description === '') {
    if (rule.required !== true) return rest;
    lost.add('nothing; the description only repeats the title or the name');
    return { ...rest, description: rest.title ?? rest.name };
  }
  if (rule.maxLength === undefined || description.length <= rule.maxLength) return { ...rest, description };
  lost.add(`the end of the description, ${description.length - rule.maxLength} characters`);
  return { ...rest, description: description.slice(0, rule.maxLength) };
}
