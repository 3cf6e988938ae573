import { isJsonObject, itemsOf, type Json, type JsonObject } from '../../json/json.ts';
import { applyNode, applyToOther, applyWithin } from './apply.ts';
import { allValid, both, invalid, type Outcome, undecided, VALID } from './outcome.ts';
import type { Pattern, PatternMatch } from './patterns.ts';
import type { MakeRule, Rule, Run, SchemaNode } from './schema-node.ts';
import { hasProperty } from './seen.ts';

export const requiredRule: MakeRule = (operand, { schema }) =>
  Array.isArray(operand) ? requiring('required', schema, null, operand) : null;

function requiring(keyword: string, schema: Json, because: string | null, required: Json): Rule {
  const names = itemsOf(required).filter((name) => typeof name === 'string');
  return (value, run) => {
    run.spend(names.length);
    const property = names.find((name) => !Object.hasOwn(value as JsonObject, name));
    if (property === undefined) return VALID;
    return invalid(keyword, schema, value, { kind: 'missing', property, because });
  };
}

/** Judges each property until one is invalid. */
function eachProperty(value: JsonObject, run: Run, judge: (name: string, part: Json) => Outcome): Outcome {
  const names = Object.keys(value);
  run.spend(names.length);
  return allValid(names, (name) => judge(name, value[name] as Json));
}

export const propertiesRule: MakeRule = (operand, { child }) => {
  if (!isJsonObject(operand)) return null;
  const nodes = new Map(Object.entries(operand).map(([name, schema]) => [name, child(schema)]));
  return (value, run, seen) =>
    eachProperty(value as JsonObject, run, (name, part) => {
      const node = nodes.get(name);
      if (node === undefined) return VALID;
      seen?.certain.properties.add(name);
      return applyWithin(name, node, part, run);
    });
};

export const patternPropertiesRule: MakeRule = (operand, { child, pattern }) => {
  if (!isJsonObject(operand)) return null;
  const parts = Object.entries(operand).map(([source, schema]) => ({
    matched: pattern(source),
    node: child(schema),
  }));
  return (value, run, seen) =>
    eachProperty(value as JsonObject, run, (name, part) => {
      let outcome = VALID;
      for (const { matched, node } of parts) {
        const found = matchName(matched, name, run);
        if (found.kind === 'no match') continue;
        const one = applyWithin(name, node, part, run);
        if (found.kind === 'match') {
          seen?.certain.properties.add(name);
          outcome = both(outcome, one);
          continue;
        }
        seen?.doubtful.properties.add(name);
        if (seen !== null) seen.doubt = found.reason;
        if (one.kind !== 'valid') outcome = both(outcome, undecided(found.reason));
      }
      return outcome;
    });
};

export const additionalPropertiesRule: MakeRule = (operand, { schema, child, own, pattern }) => {
  const node = child(operand);
  const declared = new Set(Object.keys(own('properties') ?? {}));
  const patterns = Object.keys(own('patternProperties') ?? {}).map(pattern);
  return (value, run, seen) => {
    if (seen !== null) seen.certain.allProperties = true;
    return eachProperty(value as JsonObject, run, (name, part) => {
      if (declared.has(name)) return VALID;
      const matches = patterns.map((one) => matchName(one, name, run));
      if (matches.some(({ kind }) => kind === 'match')) return VALID;
      const outcome = applyWithin(name, node, part, run);
      const doubt = matches.find((match) => match.kind === 'undecided');
      if (outcome.kind === 'valid') return outcome;
      if (doubt !== undefined) return undecided(doubt.reason);
      if (outcome.kind === 'undecided' || operand !== false) return outcome;
      return invalid('additionalProperties', schema, value, { kind: 'extra', what: 'property', at: name });
    });
  };
};

/** Matches each name once per evaluation, because the objects of a list usually have the same names. */
function matchName(pattern: Pattern, name: string, run: Run): PatternMatch {
  run.spend(1);
  const known = run.matchedNames.get(pattern) ?? new Map<string, PatternMatch>();
  const remembered = known.get(name);
  if (remembered !== undefined) return remembered;
  const found = pattern.match(name, run.spend);
  run.matchedNames.set(pattern, known.set(name, found));
  return found;
}

export const propertyNamesRule: MakeRule = (operand, { child }) => {
  const node = child(operand);
  return (value, run) => eachProperty(value as JsonObject, run, (name) => applyToOther(node, name, run));
};

export const dependentRequiredRule: MakeRule = (operand, { schema }) => {
  if (!isJsonObject(operand)) return null;
  return allDependencies(operand, (name, required) => requiring('dependentRequired', schema, name, required));
};

export const dependentSchemasRule: MakeRule = (operand, { child }) => {
  if (!isJsonObject(operand)) return null;
  return allDependencies(operand, (_, dependent) => applying(child(dependent)));
};

function applying(node: SchemaNode): Rule {
  return (value, run, seen) => applyNode(node, value, run, seen);
}

/** Drafts 06 and 07, of either kind. Later drafts reserve the keyword, and some validators still apply it. */
export const dependenciesRule: MakeRule = (operand, { schema, child, since }) => {
  if (!isJsonObject(operand)) return null;
  const rule = allDependencies(operand, (name, dependent) =>
    Array.isArray(dependent)
      ? requiring('dependencies', schema, name, dependent)
      : applying(child(dependent)),
  );
  if (!since('2019-09')) return rule;
  return (value, run) =>
    rule(value, run, null).kind === 'valid'
      ? VALID
      : undecided('it uses "dependencies", which its draft no longer has');
};

function allDependencies(operand: JsonObject, make: (name: string, dependent: Json) => Rule): Rule {
  const rules = Object.entries(operand).map(([name, dependent]) => ({ name, rule: make(name, dependent) }));
  return (value, run, seen) => {
    run.spend(rules.length);
    return allValid(rules, ({ name, rule }) =>
      Object.hasOwn(value as JsonObject, name) ? rule(value, run, seen) : VALID,
    );
  };
}

export const unevaluatedPropertiesRule: MakeRule = (operand, { schema, child }) => {
  const node = child(operand);
  return (value, run, seen) => {
    if (seen === null) return VALID;
    const outcome = eachProperty(value as JsonObject, run, (name, part) => {
      if (hasProperty(seen.certain, name)) return VALID;
      const one = applyWithin(name, node, part, run);
      if (one.kind !== 'invalid') return one;
      if (hasProperty(seen.doubtful, name)) return undecided(seen.doubt);
      if (operand !== false) return one;
      return invalid('unevaluatedProperties', schema, value, { kind: 'extra', what: 'property', at: name });
    });
    seen.certain.allProperties = true;
    return outcome;
  };
};
