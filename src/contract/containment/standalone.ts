import { resolveLocalReference } from '../../checks/json/local-reference.ts';
import { type Draft, declaredDraft, isSince } from '../../checks/json-schema/drafts.ts';
import {
  canonicalJson,
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  ownProperty,
  sameJson,
} from '../../json/json.ts';

/** A schema, and the document in which its local references are resolved: itself, or what surrounds it. */
export interface SchemaPart {
  readonly schema: Json;
  readonly root: Json;
}

/** A schema in the words of draft 2020-12, without annotations; `$ref` names an entry of the document. */
export type PlainSchema = JsonObject | boolean;

/** A schema with everything that it refers to. */
export interface Standalone {
  readonly schema: PlainSchema;
  readonly defs: Readonly<Record<string, PlainSchema>>;
}

/** The schema uses something that is not followed here, such as a reference to another document. */
export class NotFollowed extends Error {}

const texts = new WeakMap<object, string>();

/** The canonical text, which is asked for often: by the object, which nobody changes. */
export function knownText(value: Json): string {
  if (typeof value !== 'object' || value === null) return canonicalJson(value);
  const text = texts.get(value) ?? canonicalJson(value);
  texts.set(value, text);
  return text;
}

export const REFERENCE = '#/$defs/';

/** Throws NotFollowed. */
export function standalone({ schema, root }: SchemaPart): Standalone {
  const declared = declaredDraft(root);
  if (declared.kind === 'unknown') throw new NotFollowed('it names a draft that is not known');
  const reader = new Reader(root, declared.kind === 'one' ? declared.draft : '2020-12');
  return { schema: reader.read(schema), defs: reader.defs };
}

const ONE: readonly string[] = [
  'additionalProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const NAMED: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas'];
const LISTED: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const AS_GIVEN: readonly string[] = [
  ...['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf'],
  ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'minContains', 'maxContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired'],
];
/** Their meaning depends on where a schema is used. */
const DYNAMIC: readonly string[] = ['$dynamicRef', '$recursiveRef'];
/** Keywords that schemas of an older draft may have, where they mean nothing. */
const SINCE_2019: readonly string[] = [
  ...['dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['minContains', 'maxContains'],
];

class Reader {
  readonly defs: Record<string, PlainSchema> = Object.create(null);
  readonly #names = new Map<string, string>();
  readonly #root: Json;
  readonly #draft: Draft;

  constructor(root: Json, draft: Draft) {
    this.#root = root;
    this.#draft = draft;
  }

  read(schema: Json | undefined): PlainSchema {
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) throw new NotFollowed('it holds something else than a schema');
    this.#refuseUnknown(schema);
    const reference = ownProperty(schema, '$ref');
    const referring = reference === undefined ? {} : { $ref: REFERENCE + this.#nameOf(reference) };
    // Up to draft-07, a reference stands alone.
    if (reference !== undefined && !isSince(this.#draft, '2019-09')) return referring;
    return {
      ...referring,
      ...this.#values(schema),
      ...this.#parts(schema),
      ...this.#items(schema),
      ...this.#dependencies(schema),
    };
  }

  #refuseUnknown(schema: JsonObject): void {
    const isOlder = !isSince(this.#draft, '2019-09');
    const odd = [
      ...DYNAMIC,
      ...(schema === this.#root ? [] : ['$id']),
      ...(isOlder ? SINCE_2019 : []),
      ...(this.#draft === 'draft-06' ? ['if'] : []),
      ...(this.#draft === '2020-12' ? [] : ['prefixItems']),
    ].find((keyword) => Object.hasOwn(schema, keyword));
    if (odd !== undefined) throw new NotFollowed(`it uses ${odd}`);
  }

  #nameOf(reference: Json): string {
    const text = typeof reference === 'string' ? reference : '';
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const target = resolveLocalReference(this.#root, text);
    if (target === undefined) throw new NotFollowed(`it refers to ${JSON.stringify(reference)}`);
    const plain = text.replaceAll(/[^A-Za-z0-9]+/g, '_');
    const name = Object.hasOwn(this.defs, plain) ? `${plain}_${this.#names.size}` : plain;
    this.#names.set(text, name);
    this.defs[name] = true;
    this.defs[name] = this.read(target);
    return name;
  }

  #values(schema: JsonObject): JsonObject {
    const type = ownProperty(schema, 'type');
    const constant = ownProperty(schema, 'const');
    const given = ownProperty(schema, 'enum');
    const listed = constant === undefined ? given : [constant];
    const values =
      constant === undefined || given === undefined
        ? listed
        : itemsOf(given).filter((one) => sameJson(one, constant));
    return {
      ...(type === undefined ? {} : { type: Array.isArray(type) ? type : [type] }),
      ...(values === undefined ? {} : { enum: values }),
      ...(ownProperty(schema, 'uniqueItems') === true ? { uniqueItems: true } : {}),
      ...Object.fromEntries(
        AS_GIVEN.flatMap((keyword) =>
          Object.hasOwn(schema, keyword) ? [[keyword, schema[keyword] as Json]] : [],
        ),
      ),
    };
  }

  #parts(schema: JsonObject): JsonObject {
    const parts: [string, Json][] = [];
    for (const keyword of ONE)
      if (Object.hasOwn(schema, keyword)) parts.push([keyword, this.read(schema[keyword])]);
    for (const keyword of NAMED)
      if (Object.hasOwn(schema, keyword)) parts.push([keyword, this.#readNamed(schema[keyword])]);
    for (const keyword of LISTED)
      if (Object.hasOwn(schema, keyword))
        parts.push([keyword, itemsOf(schema[keyword]).map((one) => this.read(one))]);
    return Object.fromEntries(parts);
  }

  #readNamed(schemas: Json | undefined): JsonObject {
    if (!isJsonObject(schemas)) throw new NotFollowed('it holds something else than schemas by name');
    return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, this.read(one)]));
  }

  /** A list of schemas under `items` is what `prefixItems` is since draft 2020-12. */
  #items(schema: JsonObject): JsonObject {
    const items = ownProperty(schema, 'items');
    if (items === undefined) return {};
    if (!Array.isArray(items)) return { items: this.read(items) };
    const rest = ownProperty(schema, 'additionalItems');
    return {
      prefixItems: itemsOf(items).map((one) => this.read(one)),
      ...(rest === undefined ? {} : { items: this.read(rest) }),
    };
  }

  #dependencies(schema: JsonObject): JsonObject {
    const given = ownProperty(schema, 'dependencies');
    if (!isJsonObject(given)) return {};
    const entries = Object.entries(given);
    const lists = entries.filter(([, one]) => Array.isArray(one));
    const schemas = entries.filter(([, one]) => !Array.isArray(one));
    if (['dependentRequired', 'dependentSchemas'].some((keyword) => Object.hasOwn(schema, keyword)))
      throw new NotFollowed('it uses dependencies of two drafts');
    return {
      ...(lists.length === 0 ? {} : { dependentRequired: Object.fromEntries(lists) }),
      ...(schemas.length === 0 ? {} : { dependentSchemas: this.#readNamed(Object.fromEntries(schemas)) }),
    };
  }
}
