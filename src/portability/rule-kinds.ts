import {
  isJsonObject,
  type Json,
  jsonPointer,
  jsonText,
  ownProperty,
  ownText,
  shorten,
} from '../json/json.ts';
import type { ProfileRule, RuleTest } from '../model/profile.ts';
import { isExternal, recursiveReferences, referenceIn } from './references.ts';
import {
  acceptsNull,
  isObjectSchema,
  pointerOf,
  propertiesIn,
  requiredIn,
  type SchemaNode,
  type SchemaNodes,
  typesIn,
} from './schema-nodes.ts';

/** A definition as a client receives it, with pointers as the wire of its server names its members. */
export interface Definition {
  readonly name: string;
  readonly description: string | null;
  readonly schemas: readonly {
    /** Its pointer in the definition. */
    readonly at: string;
    readonly isInput: boolean;
    readonly nodes: SchemaNodes;
  }[];
}

/** A place in a definition that breaks a rule. */
export interface Place {
  readonly pointer: string;
  readonly message: string;
  readonly change: string;
}

export type RuleOf<Kind extends RuleTest['kind']> = ProfileRule & { readonly kind: Kind };

/** A place within a schema; `steps` from the node. */
interface InSchema {
  readonly node: SchemaNode;
  readonly steps?: readonly string[];
  readonly message: string;
  readonly change: string;
}

/** The first place where a definition breaks a rule, and how many there are. */
export interface Places {
  readonly first: Place;
  readonly count: number;
}

/** Null if a definition keeps a rule; limits of all functions together are in `fit.ts`. Pure. */
export function placesOf(definition: Definition, rule: ProfileRule): Places | null {
  if (rule.kind === 'name') return onePlace(ofName(definition, rule));
  if (rule.kind === 'description') return onePlace(ofDescription(definition, rule));
  let first: Place | null = null;
  let count = 0;
  for (const { at, nodes } of definition.schemas) {
    const all = inSchema(nodes, rule);
    const [one] = all;
    count += all.length;
    if (first !== null || one === undefined) continue;
    const { node, steps = [], message, change } = one;
    first = { pointer: `${at}${pointerOf(node)}${jsonPointer(steps)}`, message, change };
  }
  return first === null ? null : { first, count };
}

function onePlace(first: Place | null): Places | null {
  return first === null ? null : { first, count: 1 };
}

function ofName({ name }: Definition, rule: RuleOf<'name'>): Place | null {
  const wanted = fittingName(name, rule);
  if (wanted === name) return null;
  const isLong = compiled(rule.pattern).test(name);
  const message = isLong
    ? `the name has ${name.length} characters, and ${rule.maxLength} are accepted`
    : `the name ${JSON.stringify(shorten(name, 60))} has characters that are not accepted`;
  return { pointer: '/name', message, change: `rename it, such as to ${JSON.stringify(wanted)}` };
}

/** The name itself, if it fits. */
export function fittingName(name: string, { pattern, maxLength }: RuleOf<'name' | 'property-names'>): string {
  const fits = (text: string): boolean => text.length <= maxLength && compiled(pattern).test(text);
  if (fits(name)) return name;
  const plain = name.replaceAll(/[^a-zA-Z0-9_]/g, '_').slice(0, maxLength);
  return fits(plain) ? plain : `_${plain}`.slice(0, maxLength);
}

const SETS = new WeakMap<readonly string[], ReadonlySet<string>>();

function setOf(names: readonly string[]): ReadonlySet<string> {
  const known = SETS.get(names) ?? new Set(names);
  SETS.set(names, known);
  return known;
}

const COMPILED = new Map<string, RegExp>();

/** Of the rules, which are few, for names, which are many. */
function compiled(pattern: string): RegExp {
  const known = COMPILED.get(pattern) ?? new RegExp(pattern, 'u');
  COMPILED.set(pattern, known);
  return known;
}

function ofDescription({ description }: Definition, rule: RuleOf<'description'>): Place | null {
  const pointer = '/description';
  const length = description?.length ?? 0;
  if (rule.required === true && length === 0)
    return { pointer: '', message: 'it has no description', change: 'add "description"' };
  if (rule.notEmpty === true && description === '')
    return { pointer, message: 'the description is empty', change: 'remove "description", or fill it' };
  if (rule.maxLength === undefined || length <= rule.maxLength) return null;
  return {
    pointer,
    message: `the description has ${length} characters, and ${rule.maxLength} are read`,
    change: `shorten "description" to ${rule.maxLength} characters`,
  };
}

function inSchema(nodes: SchemaNodes, rule: ProfileRule): readonly InSchema[] {
  const { root, all } = nodes;
  switch (rule.kind) {
    case 'name':
    case 'description':
      return [];
    case 'root-object':
      return ownText(root.schema, 'type') === 'object'
        ? []
        : [{ node: root, message: 'the schema is not one of an object', change: 'add "type": "object"' }];
    case 'keywords': {
      const refused = setOf(rule.refused);
      const within = rule.at === 'root' ? [root] : all;
      return keywordsOf(within, (keyword) => refused.has(keyword), rule);
    }
    case 'known-keywords': {
      const known = setOf(rule.known);
      return keywordsOf(all, (keyword) => !known.has(keyword), rule);
    }
    case 'property-names':
      return propertiesIn(root.schema).flatMap((name) => {
        const wanted = fittingName(name, rule);
        const shown = JSON.stringify(shorten(name, 60));
        return wanted === name
          ? []
          : [
              {
                node: root,
                steps: ['properties', name],
                message: `the property name ${shown} is not accepted`,
                change: `rename the property, such as to ${JSON.stringify(wanted)}`,
              },
            ];
      });
    case 'references': {
      const { refused } = rule;
      if (refused !== 'recursive') return breaking(all, (node) => referenceOf(node, refused));
      return recursiveReferences(nodes).map((node) => ({
        node,
        steps: ['$ref'],
        message: `${nameOf(node)} refers to a schema that contains it`,
        change: 'replace the reference by the levels that are needed',
      }));
    }
    case 'limit':
      return overLimit(nodes, rule);
    default:
      return breaking(all, (node) => ofNode(node, rule));
  }
}

/** A schema has thousands of schemas within it, and few that break a rule. */
function breaking(
  nodes: readonly SchemaNode[],
  judge: (node: SchemaNode) => InSchema | null,
): readonly InSchema[] {
  const all: InSchema[] = [];
  for (const node of nodes) {
    const one = judge(node);
    if (one !== null) all.push(one);
  }
  return all;
}

type NodeRule = RuleOf<
  Exclude<
    RuleTest['kind'],
    | 'name'
    | 'description'
    | 'root-object'
    | 'keywords'
    | 'known-keywords'
    | 'property-names'
    | 'references'
    | 'limit'
  >
>;

/** What one schema breaks, whatever is around it. */
function ofNode(node: SchemaNode, rule: NodeRule): InSchema | null {
  const { schema } = node;
  const found = (message: string, change: string, steps: readonly string[] = []): InSchema => {
    return { node, steps, message, change };
  };
  const name = () => nameOf(node);
  switch (rule.kind) {
    case 'keyword-values': {
      const value = ownProperty(schema, rule.keyword);
      const isAsked = rule.type === undefined || typesIn(schema).includes(rule.type);
      if (value === undefined || !isAsked || rule.accepted.some((one) => one === value)) return null;
      const shown = `"${rule.keyword}": ${shown40(value)}`;
      return found(`${shown} of ${name()} is not accepted`, `remove "${rule.keyword}"`, [rule.keyword]);
    }
    case 'dialect': {
      const dialect = ownText(schema, '$schema');
      if (dialect === null || !rule.refused.some((one) => dialect.includes(one))) return null;
      return found(`"$schema" is ${shown40(dialect)}`, 'remove "$schema"', ['$schema']);
    }
    case 'regexp': {
      if (!isRefusedPattern(ownText(schema, 'pattern'), rule)) return null;
      return found(`the pattern of ${name()} is not accepted`, 'simplify or remove "pattern"', ['pattern']);
    }
    case 'closed-objects': {
      const open = ownProperty(schema, 'additionalProperties');
      if (!isObjectSchema(schema) || open === false) return null;
      return open === undefined
        ? found(`${name()} may have undeclared properties`, 'add "additionalProperties": false')
        : found(`${name()} may have undeclared properties`, 'set "additionalProperties" to false', [
            'additionalProperties',
          ]);
    }
    case 'all-required': {
      if (!isObjectSchema(schema)) return null;
      const required = new Set(requiredIn(schema));
      const optional = propertiesIn(schema).filter((one) => !required.has(one));
      if (optional.length === 0) return null;
      const names = namesInLine(optional);
      const isOne = optional.length === 1;
      const properties = ownProperty(schema, 'properties');
      const areNullable = optional.every((one) => acceptsNull(ownProperty(properties, one) ?? {}));
      const instead = `where ${isOne ? 'it' : 'one'} may be left out, accept null: "type": ["string", "null"]`;
      return found(
        `${names} of ${name()} ${isOne ? 'is' : 'are'} not required`,
        `add ${names} to "required"${areNullable ? '' : `; ${instead}`}`,
      );
    }
    case 'required-declared': {
      if (!isObjectSchema(schema)) return null;
      const declared = new Set(propertiesIn(schema));
      const missing = requiredIn(schema).filter((one) => !declared.has(one));
      return missing.length === 0
        ? null
        : found(
            `${name()} requires ${namesInLine(missing)}, which it does not declare`,
            `add ${namesInLine(missing)} to "properties", or remove from "required"`,
            ['required'],
          );
    }
    case 'items-given':
      return typesIn(schema).includes('array') && ownProperty(schema, 'items') === undefined
        ? found(`${name()} is an array without "items"`, 'add "items", such as { "type": "string" }')
        : null;
    case 'items-single':
      return Array.isArray(ownProperty(schema, 'items'))
        ? found(`"items" of ${name()} is a list`, 'write one schema in "items", such as { "anyOf": […] }', [
            'items',
          ])
        : null;
    case 'single-type':
      return Array.isArray(ownProperty(schema, 'type'))
        ? found(`"type" of ${name()} is a list`, 'write one type, with "nullable": true if null is one', [
            'type',
          ])
        : null;
    case 'typed': {
      // What no value fits has no type.
      const isTyped =
        schema === false || ['type', ...rule.except].some((one) => ownProperty(schema, one) !== undefined);
      return isTyped || !describesValue(node)
        ? null
        : found(`${name()} does not say its type`, 'add "type", such as "string"');
    }
    case 'enum-types': {
      const values = ownProperty(schema, 'enum');
      const fits = (value: Json): boolean =>
        typeof value === 'string' || (rule.types.includes('primitive') && !isStructure(value));
      if (!Array.isArray(values) || values.every(fits)) return null;
      const wanted = rule.types.includes('primitive') ? 'strings, numbers, true, false or null' : 'strings';
      return found(`the enum of ${name()} has values that are not accepted`, `list only ${wanted}`, ['enum']);
    }
  }
}

/** Whether a pattern has what a rule refuses: not among the characters of a class, and not as a character of its own. */
export function isRefusedPattern(pattern: string | null, { refused }: RuleOf<'regexp'>): boolean {
  const syntax = pattern?.replaceAll(/\\[^A-Za-z0-9]|\[(?:\\.|[^\]\\])*\]/gsu, ' ');
  return syntax !== undefined && refused.some((one) => compiled(one).test(syntax));
}

function isStructure(value: Json): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

/**
 * Whether a client generates a value for it, other than to find out whether another schema applies. Of undeclared
 * properties, other rules say that there must be none.
 */
function describesValue({ steps: [keyword] }: SchemaNode): boolean {
  return keyword !== undefined && DESCRIBING.has(keyword);
}

const DESCRIBING: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  '$defs',
  'definitions',
]);

function keywordsOf(
  nodes: readonly SchemaNode[],
  isRefused: (keyword: string) => boolean,
  { instead = {} }: { readonly instead?: Readonly<Record<string, string>> },
): readonly InSchema[] {
  const all: InSchema[] = [];
  for (const node of nodes) {
    if (!isJsonObject(node.schema)) continue;
    for (const keyword of Object.keys(node.schema)) {
      if (!isRefused(keyword)) continue;
      const shown = JSON.stringify(shorten(keyword, 40));
      const other = Object.hasOwn(instead, keyword) ? instead[keyword] : undefined;
      const message = `${shown} of ${nameOf(node)} is not accepted`;
      const change = other === undefined ? removal(keyword, shown) : `write "${other}" instead of ${shown}`;
      all.push({ node, steps: [keyword], message, change });
    }
  }
  return all;
}

function removal(keyword: string, shown: string): string {
  if (keyword === '$ref') return `replace ${shown} by the schema that it refers to`;
  if (keyword === 'prefixItems') return 'write one schema for all items in "items" instead of "prefixItems"';
  return ['anyOf', 'oneOf', 'allOf'].includes(keyword)
    ? `remove ${shown}, and declare the properties of all alternatives`
    : `remove ${shown}`;
}

function referenceOf(node: SchemaNode, refused: 'external' | 'beside-keywords'): InSchema | null {
  const reference = referenceIn(node.schema);
  if (reference === null || !isJsonObject(node.schema)) return null;
  const steps = ['$ref'];
  if (refused === 'external') {
    if (!isExternal(reference)) return null;
    const change = 'replace the reference by the schema that it refers to';
    return { node, steps, message: `${nameOf(node)} refers to another document`, change };
  }
  const beside = Object.keys(node.schema).filter((keyword) => !MAY_STAND_BESIDE.has(keyword));
  if (beside.length === 0) return null;
  const message = `${nameOf(node)} has ${namesInLine(beside)} beside "$ref"`;
  return { node, steps, message, change: 'write what the reference stands for in its place' };
}

/** They restrict no value. */
export const MAY_STAND_BESIDE: ReadonlySet<string> = new Set([
  '$ref',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

function overLimit({ root, all }: SchemaNodes, { of, max }: RuleOf<'limit'>): readonly InSchema[] {
  switch (of) {
    case 'nesting': {
      const node = all.find(({ objects }) => objects > max);
      if (node === undefined) return [];
      const message = `objects are nested more than ${max} levels deep`;
      return [{ node, message, change: 'move the properties of inner objects up' }];
    }
    case 'properties': {
      const count = all.reduce((sum, { schema }) => sum + propertiesIn(schema).length, 0);
      const message = `the schema has ${count} properties, and ${max} are accepted`;
      return count <= max ? [] : [{ node: root, message, change: 'split the function, or group its inputs' }];
    }
    case 'enum-values': {
      const count = all.reduce((sum, { schema }) => {
        const values = ownProperty(schema, 'enum');
        return sum + (Array.isArray(values) ? values.length : 0);
      }, 0);
      const message = `the enums have ${count} values, and ${max} are accepted`;
      return count <= max
        ? []
        : [{ node: root, message, change: 'accept a text, and list the values elsewhere' }];
    }
    case 'functions':
    case 'optional-parameters':
    case 'unions':
      return [];
  }
}

/** Such as `"unit"` for the schema of a property, and words for what has no name. */
function nameOf({ named, parent, ...node }: SchemaNode): string {
  if (named === null) return parent === null ? 'the schema' : 'a schema within it';
  const name = JSON.stringify(shorten(named.steps[1] ?? '', 40));
  return named.steps === node.steps ? name : `a schema in ${name}`;
}

const NAMES_SHOWN = 3;

function namesInLine(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => JSON.stringify(shorten(name, 40)));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function shown40(value: Json): string {
  return shorten(jsonText(value), 40);
}
