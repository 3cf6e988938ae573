import {
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  jsonPointer,
  ownProperty,
} from '../../json/json.ts';
import type { Form } from '../../model/requirement.ts';
import type { Wire } from '../../model/wire.ts';
import { functionOf } from '../../wires/mcp/tools.ts';
import { resolveLocalReference } from '../json/local-reference.ts';

export const JSON_SCHEMA_TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
] as const;

type SchemaKey = 'parameters' | 'returns';

/** A function descriptor with its pointer in the capabilities record (specification, section 2.5). */
export interface DescriptorAt {
  readonly descriptor: JsonObject;
  readonly pointer: string;
  /** Such as `tool "add"`. */
  readonly label: string;
  /** What the wire calls the schemas. */
  readonly names: Readonly<Record<SchemaKey, string>>;
}

const OF_REST: DescriptorAt['names'] = { parameters: 'parameters', returns: 'returns' };
const OF_MCP: DescriptorAt['names'] = { parameters: 'inputSchema', returns: 'outputSchema' };

/** All entries of `functions`, or of the tools on a page of tools/list. An entry that is not an object counts as an empty descriptor. */
export function descriptorsIn(listed: Json): readonly DescriptorAt[] {
  const functions = ownProperty(listed, 'functions');
  const isOfMcp = functions === undefined && ownProperty(listed, 'jsonrpc') !== undefined;
  const entries = isOfMcp ? ownProperty(ownProperty(listed, 'result'), 'tools') : functions;
  return itemsOf(entries).map((entry, index) => {
    const given = isJsonObject(entry) ? entry : {};
    const descriptor = isOfMcp ? functionOf(given) : given;
    const name = ownProperty(descriptor, 'name');
    return {
      descriptor,
      pointer: isOfMcp ? `/result/tools/${index}` : `/functions/${index}`,
      label: `${isOfMcp ? 'tool' : 'function'} ${typeof name === 'string' ? `"${name}"` : `number ${index + 1}`}`,
      names: isOfMcp ? OF_MCP : OF_REST,
    };
  });
}

/**
 * The form of which a descriptor has more keys; null when it has none, or half of each form. A descriptor with all keys
 * of both forms has the form `whenBoth`.
 */
export function descriptorForm(descriptor: Json, whenBoth: Wire | null = 'B'): Form | null {
  const count = (keys: readonly string[]): number =>
    keys.filter((key) => ownProperty(descriptor, key) !== undefined).length;
  const [ofA, ofB] = [count(['inputs', 'outputs']), count(['parameters', 'returns'])];
  if (ofA === ofB) return ofB === 2 && whenBoth !== 'mcp' ? whenBoth : null;
  return ofA > ofB ? 'A' : 'B';
}

export interface PropertyAt {
  readonly name: string;
  /** The property's schema, with a local $ref resolved. */
  readonly schema: Json;
  readonly pointer: string;
}

/** The properties of an object schema under `key` (`parameters` or `returns`) of a form B descriptor. */
export function propertiesOf(
  { descriptor, pointer, names }: DescriptorAt,
  key: SchemaKey,
): readonly PropertyAt[] {
  const root = ownProperty(descriptor, key);
  const properties = ownProperty(root, 'properties');
  if (root === undefined || !isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: followReference(root, schema),
    pointer: `${pointer}/${names[key]}/properties${jsonPointer([name])}`,
  }));
}

/** Whether the schema under `key` has no `properties`, so that they cannot be judged. */
export function lacksProperties({ descriptor, names }: DescriptorAt, key: SchemaKey): boolean {
  const schema = ownProperty(descriptor, key);
  // A tool without parameters need not say more than that its input is an object.
  return !isJsonObject(names === OF_MCP ? schema : ownProperty(schema, 'properties'));
}

const MAX_REFERENCE_HOPS = 16;

function followReference(root: Json, schema: Json): Json {
  let current = schema;
  for (let hops = 0; hops < MAX_REFERENCE_HOPS; hops += 1) {
    const reference = ownProperty(current, '$ref');
    if (typeof reference !== 'string' || ownProperty(current, 'type') !== undefined) return current;
    const target = resolveLocalReference(root, reference);
    if (target === undefined) return current;
    // Keywords beside the $ref, such as a description, override those of its target.
    const { $ref: _followed, ...beside } = current as JsonObject;
    current = isJsonObject(target) ? { ...target, ...beside } : target;
  }
  return current;
}

/** The type names that a schema gives; null when it gives none or an unknown one. */
export function typesOf(schema: Json, depth = 0): readonly string[] | null {
  const type = ownProperty(schema, 'type');
  if (type === undefined && depth < MAX_ALTERNATIVES_DEPTH) return typesOfAlternatives(schema, depth);
  const types = Array.isArray(type) ? (type as readonly Json[]) : [type];
  const known = types.filter((name): name is string =>
    JSON_SCHEMA_TYPES.some((candidate) => candidate === name),
  );
  return known.length === types.length && known.length > 0 ? known : null;
}

const MAX_ALTERNATIVES_DEPTH = 4;

/** `anyOf: [{ type: string }, { type: null }]`, which generators write, means the same as `type: [string, null]`. */
function typesOfAlternatives(schema: Json, depth: number): readonly string[] | null {
  const alternatives =
    ownProperty(schema, 'anyOf') ?? ownProperty(schema, 'oneOf') ?? ownProperty(schema, 'allOf');
  if (!Array.isArray(alternatives) || alternatives.length === 0) return null;
  // The target of a $ref in an alternative is judged with the whole schema.
  const types = (alternatives as readonly Json[]).map((alternative) =>
    typeof ownProperty(alternative, '$ref') === 'string' ? [] : typesOf(alternative, depth + 1),
  );
  return types.every((known) => known !== null) ? [...new Set(types.flat())] : null;
}

export function requiredNames(schema: Json | undefined): readonly string[] {
  return textsOf(ownProperty(schema, 'required'));
}

export function textsOf(value: Json | undefined): readonly string[] {
  return itemsOf(value).filter((item) => typeof item === 'string');
}
