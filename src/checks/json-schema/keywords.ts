import type { JsonType } from '../../json/json.ts';
import { type Draft, type DraftRange, isIn } from './drafts.ts';
import * as arrays from './rules-of-arrays.ts';
import * as choices from './rules-of-choices.ts';
import * as references from './rules-of-choices.ts';
import * as objects from './rules-of-objects.ts';
import * as values from './rules-of-values.ts';
import type { MakeRule } from './schema-node.ts';

interface Keyword extends DraftRange {
  readonly name: string;
  readonly make: MakeRule;
  /** The only type of values that the keyword applies to. */
  readonly type?: JsonType;
}

/**
 * In the order in which they are applied, because the first failure is reported: the type, then the value itself, then
 * its parts. `unevaluated…` must come last.
 */
const KEYWORDS: readonly Keyword[] = [
  { name: 'type', make: values.typeRule },
  { name: 'maximum', make: values.maximumRule, type: 'number' },
  { name: 'minimum', make: values.minimumRule, type: 'number' },
  { name: 'exclusiveMaximum', make: values.exclusiveMaximumRule, type: 'number' },
  { name: 'exclusiveMinimum', make: values.exclusiveMinimumRule, type: 'number' },
  { name: 'multipleOf', make: values.multipleOfRule, type: 'number' },
  { name: 'maxLength', make: values.maxLengthRule, type: 'string' },
  { name: 'minLength', make: values.minLengthRule, type: 'string' },
  { name: 'pattern', make: values.patternRule, type: 'string' },
  { name: '$ref', make: references.refRule },
  { name: '$dynamicRef', make: references.dynamicRefRule, since: '2020-12' },
  { name: '$recursiveRef', make: references.recursiveRefRule, since: '2019-09', until: '2019-09' },
  { name: 'const', make: values.constRule },
  { name: 'enum', make: values.enumRule },
  { name: 'not', make: choices.notRule },
  { name: 'anyOf', make: choices.anyOfRule },
  { name: 'oneOf', make: choices.oneOfRule },
  { name: 'allOf', make: choices.allOfRule },
  { name: 'if', make: choices.ifRule, since: 'draft-07' },
  { name: 'maxItems', make: values.maxItemsRule, type: 'array' },
  { name: 'minItems', make: values.minItemsRule, type: 'array' },
  { name: 'uniqueItems', make: values.uniqueItemsRule, type: 'array' },
  { name: 'prefixItems', make: arrays.prefixItemsRule, type: 'array', since: '2020-12' },
  { name: 'additionalItems', make: arrays.additionalItemsRule, type: 'array', until: '2019-09' },
  { name: 'items', make: arrays.itemsRule, type: 'array' },
  { name: 'contains', make: choices.containsRule, type: 'array' },
  { name: 'maxProperties', make: values.maxPropertiesRule, type: 'object' },
  { name: 'minProperties', make: values.minPropertiesRule, type: 'object' },
  { name: 'required', make: objects.requiredRule, type: 'object' },
  { name: 'propertyNames', make: objects.propertyNamesRule, type: 'object' },
  { name: 'additionalProperties', make: objects.additionalPropertiesRule, type: 'object' },
  { name: 'dependencies', make: objects.dependenciesRule, type: 'object' },
  { name: 'properties', make: objects.propertiesRule, type: 'object' },
  { name: 'patternProperties', make: objects.patternPropertiesRule, type: 'object' },
  { name: 'dependentRequired', make: objects.dependentRequiredRule, type: 'object', since: '2019-09' },
  { name: 'dependentSchemas', make: objects.dependentSchemasRule, type: 'object', since: '2019-09' },
  { name: 'unevaluatedItems', make: arrays.unevaluatedItemsRule, type: 'array', since: '2019-09' },
  {
    name: 'unevaluatedProperties',
    make: objects.unevaluatedPropertiesRule,
    type: 'object',
    since: '2019-09',
  },
];

const keywords = new Map<Draft, readonly Keyword[]>();

export function keywordsOf(draft: Draft): readonly Keyword[] {
  const known = keywords.get(draft) ?? KEYWORDS.filter((keyword) => isIn(draft, keyword));
  keywords.set(draft, known);
  return known;
}
