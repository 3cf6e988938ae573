import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonPointer,
  MAX_JSON_DEPTH,
  ownProperty,
  pointerSteps,
} from '../json/json.ts';

/** A schema within a schema, with all that rules ask of its place. */
export interface SchemaNode {
  /** Also true and false are schemas, and what a server sends in the place of one. */
  readonly schema: Json;
  readonly parent: SchemaNode | null;
  /** The steps from its parent: `properties`, `unit`. */
  readonly steps: readonly string[];
  /** Itself or the nearest one around it that is a property or a definition, which has a name. */
  readonly named: SchemaNode | null;
  readonly depth: number;
  /** Schemas of objects around it, itself included. */
  readonly objects: number;
}

export interface SchemaNodes {
  readonly root: SchemaNode;
  /** The root first. */
  readonly all: readonly SchemaNode[];
  /** False: the schema has more than were read. */
  readonly isWhole: boolean;
}

/** Of schemas that generators write, the largest have some thousands. */
const MAX_NODES = 20_000;

const SINGLE = [
  'items',
  'additionalProperties',
  'additionalItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** All schemas within a schema, read without recursion: a server may nest them as deeply as it likes. Pure. */
export function schemaNodes(schema: Json): SchemaNodes {
  const root = nodeOf(schema, null, []);
  const all = [root];
  let isWhole = true;
  for (let index = 0; index < all.length; index += 1) {
    const node = all[index] as SchemaNode;
    for (const [steps, child] of childrenOf(node.schema)) {
      if (all.length < MAX_NODES && node.depth < MAX_JSON_DEPTH) all.push(nodeOf(child, node, steps));
      else isWhole = false;
    }
  }
  return { root, all, isWhole };
}

function nodeOf(schema: Json, parent: SchemaNode | null, steps: readonly string[]): SchemaNode {
  const objects = (parent?.objects ?? 0) + (isObjectSchema(schema) ? 1 : 0);
  const depth = (parent?.depth ?? 0) + 1;
  const node = { schema, parent, steps, named: parent?.named ?? null, depth, objects };
  if (NAMED.has(steps[0] ?? '')) node.named = node;
  return node;
}

const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/** The schemas directly below one, with their steps; not what is no schema, such as a list under `dependencies`. */
function* childrenOf(schema: Json): Generator<readonly [readonly string[], Json]> {
  if (!isJsonObject(schema)) return;
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword] as Json;
    if (Array.isArray(value)) {
      if (LISTS.includes(keyword))
        for (const [index, item] of value.entries()) yield [[keyword, String(index)], item as Json];
    } else if (SINGLE.includes(keyword)) yield [[keyword], value];
    else if (MAPS.includes(keyword) && isJsonObject(value))
      for (const name of Object.keys(value)) {
        const child = value[name] as Json;
        if (!Array.isArray(child)) yield [[keyword, name], child];
      }
  }
}

export function pointerOf(node: SchemaNode): string {
  const steps: string[] = [];
  for (let at: SchemaNode | null = node; at !== null; at = at.parent) steps.unshift(...at.steps);
  return jsonPointer(steps);
}

/**
 * The schema with each schema within it replaced, the innermost first. `change` gets the pointer of each. Members named in
 * `untouched` stay as they are.
 */
export function mapSchema(
  schema: Json,
  change: (schema: Json, pointer: string) => Json,
  untouched: readonly string[] = [],
  pointer = '',
  depth = 0,
): Json {
  if (depth > MAX_JSON_DEPTH) return schema;
  if (!isJsonObject(schema)) return change(schema, pointer);
  const inner = (child: Json, ...steps: readonly string[]): Json =>
    mapSchema(child, change, untouched, `${pointer}${jsonPointer(steps)}`, depth + 1);
  const members = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (untouched.includes(keyword)) return [keyword, value];
    if (Array.isArray(value))
      return LISTS.includes(keyword)
        ? [keyword, (value as readonly Json[]).map((item, index) => inner(item, keyword, String(index)))]
        : [keyword, value];
    if (SINGLE.includes(keyword)) return [keyword, inner(value, keyword)];
    if (!MAPS.includes(keyword) || !isJsonObject(value)) return [keyword, value];
    const made = Object.entries(value).map(([name, child]): [string, Json] => [
      name,
      Array.isArray(child) ? child : inner(child, keyword, name),
    ]);
    return [keyword, Object.fromEntries(made)];
  });
  return change(Object.fromEntries(members), pointer);
}

/** The value at an RFC 6901 pointer. */
export function valueAtPointer(root: Json, pointer: string): Json | undefined {
  let at: Json | undefined = root;
  for (const step of pointerSteps(pointer)) at = Array.isArray(at) ? at[Number(step)] : ownProperty(at, step);
  return at;
}

/** Whether it is the schema of a property, a list item or the like, which a value is checked against. */
export function isDefinition({ steps }: SchemaNode): boolean {
  return steps[0] === '$defs' || steps[0] === 'definitions';
}

export function typesIn(schema: Json): readonly Json[] {
  const type = ownProperty(schema, 'type');
  return type === undefined ? [] : Array.isArray(type) ? type : [type];
}

/** Whether a schema says that null is a value: not one that says nothing. */
export function acceptsNull(schema: Json): boolean {
  const types = typesIn(schema);
  const isNullable = types.includes('null') || ownProperty(schema, 'nullable') === true;
  if (types.length > 0 && !isNullable) return false;
  const values = ownProperty(schema, 'enum');
  if (Array.isArray(values)) return values.includes(null);
  const alternatives = ownProperty(schema, 'anyOf') ?? ownProperty(schema, 'oneOf');
  if (Array.isArray(alternatives)) return (alternatives as readonly Json[]).some(acceptsNull);
  return isNullable || ownProperty(schema, 'const') === null;
}

export function isObjectSchema(schema: Json): schema is JsonObject {
  return (
    isJsonObject(schema) &&
    (typesIn(schema).includes('object') ||
      (!Object.hasOwn(schema, 'type') && isJsonObject(ownProperty(schema, 'properties'))))
  );
}

/** Those that a schema declares, in the order of the server. */
export function propertiesIn(schema: Json): readonly string[] {
  const properties = ownProperty(schema, 'properties');
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

export function requiredIn(schema: Json): readonly string[] {
  const required = ownProperty(schema, 'required');
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
