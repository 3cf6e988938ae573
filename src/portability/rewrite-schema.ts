import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  ownText,
  shorten,
} from '../json/json.ts';
import type { Profile, ProfileRule } from '../model/profile.ts';
import { decodedPart } from '../text/parse-url.ts';
import { isExternal, recursiveReferences, referenceIn } from './references.ts';
import { fittingName, isRefusedPattern, MAY_STAND_BESIDE, type RuleOf } from './rule-kinds.ts';
import {
  acceptsNull,
  isObjectSchema,
  mapSchema,
  pointerOf,
  propertiesIn,
  requiredIn,
  schemaNodes,
  typesIn,
  valueAtPointer,
} from './schema-nodes.ts';

type Lost = Set<string>;

/** A schema changed so that it keeps one rule, where a change can be found. Pure. */
export function rewrittenSchema(schema: Json, rule: ProfileRule, profile: Profile, lost: Lost): Json {
  switch (rule.kind) {
    case 'root-object':
      return asObject(schema);
    case 'keywords': {
      const refused = new Set(rule.refused);
      const change = (one: Json, root: Json) =>
        withoutKeywords(one, (name) => refused.has(name), rule, root, lost);
      if (rule.at === 'root') return change(schema, schema);
      return withMovedReferences(
        mapSchema(schema, (one) => change(one, schema)),
        rule,
      );
    }
    case 'known-keywords': {
      const known = new Set(rule.known);
      const inlined = known.has('$ref') ? schema : withoutReferences(schema, lost);
      return mapSchema(inlined, (one) =>
        withoutKeywords(one, (name) => !known.has(name), rule, inlined, lost),
      );
    }
    case 'property-names':
      return withNames(schema, rule, lost);
    case 'references':
      return withFittingReferences(schema, rule, profile, lost);
    case 'typed':
      return typed(schema, rule, profile, lost);
    case 'name':
    case 'description':
    case 'limit':
      return schema;
    default:
      return mapSchema(schema, (one) => (isJsonObject(one) ? changed(one, rule, profile, lost) : one));
  }
}

type NodeRule = Exclude<
  ProfileRule,
  {
    readonly kind:
      | 'name'
      | 'description'
      | 'root-object'
      | 'keywords'
      | 'known-keywords'
      | 'property-names'
      | 'references'
      | 'typed'
      | 'limit';
  }
>;

/** One schema; those within it are changed already. */
function changed(schema: JsonObject, rule: NodeRule, profile: Profile, lost: Lost): JsonObject {
  switch (rule.kind) {
    case 'keyword-values': {
      const value = schema[rule.keyword];
      const isAsked = rule.type === undefined || typesIn(schema).includes(rule.type);
      if (value === undefined || !isAsked || rule.accepted.some((one) => one === value)) return schema;
      return saidInWords(schema, rule.keyword, lost);
    }
    case 'dialect': {
      const { $schema: dialect, ...rest } = schema;
      return typeof dialect === 'string' && rule.refused.some((one) => dialect.includes(one)) ? rest : schema;
    }
    case 'regexp': {
      return isRefusedPattern(ownText(schema, 'pattern'), rule)
        ? saidInWords(schema, 'pattern', lost)
        : schema;
    }
    case 'closed-objects': {
      if (!isObjectSchema(schema) || schema.additionalProperties === false) return schema;
      if (schema.additionalProperties !== undefined)
        lost.add('properties that a schema accepts without declaring them');
      return { ...schema, additionalProperties: false };
    }
    case 'all-required': {
      if (!isObjectSchema(schema)) return schema;
      const required = new Set(requiredIn(schema));
      const names = propertiesIn(schema);
      if (names.every((name) => required.has(name))) return schema;
      lost.add(
        'that arguments may be left out: they are null instead, which the client removes before a call',
      );
      const properties = Object.entries(schema.properties as JsonObject).map(
        ([name, own]) => [name, required.has(name) ? own : orNull(own)] as const,
      );
      return {
        ...schema,
        properties: Object.fromEntries(properties),
        required: [...new Set([...required, ...names])],
      };
    }
    case 'required-declared': {
      if (!isObjectSchema(schema)) return schema;
      const declared = new Set(propertiesIn(schema));
      const required = requiredIn(schema);
      if (required.every((name) => declared.has(name))) return schema;
      lost.add('required properties that are not declared');
      return { ...schema, required: required.filter((name) => declared.has(name)) };
    }
    case 'items-given':
      return typesIn(schema).includes('array') && schema.items === undefined
        ? { ...schema, items: {} }
        : schema;
    case 'items-single': {
      if (!Array.isArray(schema.items)) return schema;
      const { items, additionalItems: _, ...rest } = schema;
      lost.add('which item of a list has which schema');
      return { ...rest, items: { anyOf: items } };
    }
    case 'single-type':
      return withOneType(schema, profile);
    case 'enum-types': {
      if (!Array.isArray(schema.enum)) return schema;
      const values = schema.enum as readonly Json[];
      if (values.every((value) => typeof value === 'string')) return schema;
      if (rule.types.includes('primitive')) {
        const isPlain = values.every((value) => value === null || typeof value !== 'object');
        return isPlain ? schema : saidInWords(schema, 'enum', lost);
      }
      lost.add('the types of enums: their values are texts, which the client converts before a call');
      const texts = values
        .filter((value) => value !== null)
        .map((value) => (typeof value === 'string' ? value : jsonText(value)));
      return { ...schema, type: 'string', enum: texts, ...(values.includes(null) ? { nullable: true } : {}) };
    }
  }
}

/** Without a keyword, which the description says instead. */
function saidInWords(schema: JsonObject, keyword: string, lost: Lost): JsonObject {
  const { [keyword]: value = null, description, ...rest } = schema;
  lost.add(`"${keyword}", which the description says in words`);
  const note = `${keyword}: ${shorten(jsonText(value), 200)}`;
  const text =
    typeof description === 'string' && description !== '' ? `${description} (${note})` : `(${note})`;
  return { ...rest, description: text };
}

/** Keywords that restrict nothing, or whose schemas are moved elsewhere. */
const SILENT: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'examples',
  'additionalProperties',
  'then',
  'else',
]);

function withoutKeywords(
  schema: Json,
  isRefused: (keyword: string) => boolean,
  { instead = {} }: { readonly instead?: Readonly<Record<string, string>> },
  root: Json,
  lost: Lost,
): Json {
  if (!isJsonObject(schema)) return schema;
  let made: JsonObject = schema;
  for (const keyword of Object.keys(schema).filter(isRefused)) {
    const other = Object.hasOwn(instead, keyword) ? instead[keyword] : undefined;
    const { [keyword]: value = null, ...rest } = made;
    if (keyword === 'prefixItems') made = withoutTuple(made, other === 'items', lost);
    else if (other === 'enum') made = { ...rest, enum: [value] };
    else if (other !== undefined) made = withMember(rest, other, value);
    else if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) made = merged(rest, value, keyword, root, lost);
    else if (SILENT.has(keyword)) made = rest;
    else made = saidInWords(made, keyword, lost);
  }
  return made;
}

/** What says each item of a list: as older dialects say it, or one schema for all of them, and how many there are. */
function withoutTuple(schema: JsonObject, isListAccepted: boolean, lost: Lost): JsonObject {
  const { prefixItems, items, ...rest } = schema;
  const isTuple = Array.isArray(prefixItems) && prefixItems.length > 0;
  if (isTuple && isListAccepted)
    return { ...rest, items: prefixItems, ...(items === undefined ? {} : { additionalItems: items }) };
  if (!isTuple || items === undefined) return saidInWords(schema, 'prefixItems', lost);
  lost.add('which item of a list has which schema');
  const isClosed = items === false;
  const all = [...(prefixItems as readonly Json[]), ...(isClosed ? [] : [items])];
  const distinct = [...new Map(all.map((one) => [canonicalJson(one), one])).values()];
  const { maxItems } = rest;
  const most = typeof maxItems === 'number' ? Math.min(maxItems, all.length) : all.length;
  return {
    ...rest,
    items: distinct.length === 1 ? (distinct[0] ?? {}) : { anyOf: distinct },
    ...(isClosed ? { maxItems: most } : {}),
  };
}

function withMember(schema: JsonObject, keyword: string, value: Json): JsonObject {
  const own = schema[keyword];
  if (isJsonObject(own) && isJsonObject(value)) return { ...schema, [keyword]: { ...own, ...value } };
  // Two lists of alternatives cannot stand under one keyword.
  if (own !== undefined) return schema;
  return { ...schema, [keyword]: value };
}

/** References with which a schema contains itself: to put what they refer to in their place would not end. */
function recursiveIn(root: Json): ReadonlySet<string> {
  return new Set(recursiveReferences(schemaNodes(root)).flatMap(({ schema }) => referenceIn(schema) ?? []));
}

/** The properties of all alternatives. What each requires is lost, unless all of them apply. */
function merged(schema: JsonObject, value: Json, keyword: string, root: Json, lost: Lost): JsonObject {
  const branches = (Array.isArray(value) ? (value as readonly Json[]) : [])
    .map((one) => targetOf(one, root, recursiveIn(root)))
    .filter(isJsonObject);
  const given = branches.flatMap((one) => Object.entries(isJsonObject(one.properties) ? one.properties : {}));
  const own = Object.entries(isJsonObject(schema.properties) ? schema.properties : {});
  if (keyword !== 'allOf' || given.length === 0) lost.add(`"${keyword}": which arguments belong together`);
  if (keyword === 'allOf' && own.length === 0 && given.length === 0) {
    const [only] = branches;
    if (only !== undefined && branches.length === 1) return { ...only, ...schema };
  }
  if (given.length === 0) return schema;
  const properties = Object.fromEntries([...given.toReversed(), ...own]);
  const required = [...requiredIn(schema), ...(keyword === 'allOf' ? branches.flatMap(requiredIn) : [])];
  return {
    ...schema,
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** What a local reference refers to, or the schema itself: also for references that are not to be followed. */
function targetOf(schema: Json, root: Json, ends: ReadonlySet<string> = NONE): Json {
  const reference = referenceIn(schema);
  if (reference === null || isExternal(reference) || ends.has(reference)) return schema;
  return valueAtPointer(root, decodedPart(reference.slice(1)) ?? '') ?? schema;
}

/** Where definitions were moved to another keyword, the references follow. */
function withMovedReferences(schema: Json, { instead = {} }: RuleOf<'keywords'>): Json {
  const { $defs: moved } = instead;
  if (moved === undefined) return schema;
  return mapSchema(schema, (one) => {
    const reference = referenceIn(one);
    return reference?.startsWith('#/$defs/') && isJsonObject(one)
      ? { ...one, $ref: reference.replace('#/$defs/', `#/${moved}/`) }
      : one;
  });
}

const MAX_INLINED = 2000;

/** Each reference replaced by what it refers to; one that contains itself ends as an object. */
function withoutReferences(root: Json, lost: Lost): Json {
  let inlined = 0;
  const inline = (schema: Json, open: readonly string[]): Json =>
    mapSchema(
      schema,
      (one) => {
        const reference = referenceIn(one);
        if (reference === null || !isJsonObject(one)) return one;
        const { $ref: _, ...beside } = one;
        const target = isExternal(reference) ? one : targetOf(one, root);
        inlined += 1;
        if (target === one || open.includes(reference) || inlined > MAX_INLINED) {
          lost.add('the levels below a schema that contains itself, or what a reference leads to');
          return { type: 'object', ...beside };
        }
        const whole = inline(target, [...open, reference]);
        return isJsonObject(whole) ? { ...whole, ...beside } : whole;
      },
      ['$defs', 'definitions'],
    );
  return inline(root, []);
}

function withNames(schema: Json, rule: RuleOf<'property-names'>, lost: Lost): Json {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return schema;
  const names = new Map<string, string>();
  for (const name of Object.keys(schema.properties)) {
    let wanted = fittingName(name, rule);
    for (let count = 2; [...names.values()].includes(wanted); count += 1)
      wanted = `${fittingName(name, { ...rule, maxLength: rule.maxLength - 4 })}_${count}`;
    if (wanted !== name)
      lost.add(`the name of the argument ${JSON.stringify(name)}, which the client restores before a call`);
    names.set(name, wanted);
  }
  const properties = Object.entries(schema.properties).map(
    ([name, own]) => [names.get(name) ?? name, own] as const,
  );
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    ...(Array.isArray(schema.required)
      ? { required: requiredIn(schema).map((name) => names.get(name) ?? name) }
      : {}),
  };
}

function withFittingReferences(
  schema: Json,
  { refused }: RuleOf<'references'>,
  profile: Profile,
  lost: Lost,
): Json {
  switch (refused) {
    // What it refers to is not in the definition.
    case 'external':
      return schema;
    case 'recursive': {
      const closing = new Set(recursiveReferences(schemaNodes(schema)).map(pointerOf));
      lost.add('the levels below a schema that contains itself');
      return mapSchema(schema, (one, pointer) => {
        if (!closing.has(pointer) || !isJsonObject(one)) return one;
        const { $ref: _, ...beside } = one;
        return { type: 'object', ...beside };
      });
    }
    case 'beside-keywords': {
      const ends = recursiveIn(schema);
      const mayJoin = !profile.rules.some(
        (rule) => rule.kind === 'keywords' && rule.at === undefined && rule.refused.includes('allOf'),
      );
      return mapSchema(schema, (one) => {
        const reference = referenceIn(one);
        if (reference === null || !isJsonObject(one)) return one;
        const [said, restricting] = partsBeside(one);
        if (Object.keys(restricting).length === 0) return one;
        if (mayJoin) return { ...said, allOf: [{ $ref: reference }, restricting] };
        const target = targetOf(one, schema, ends);
        if (target !== one && isJsonObject(target)) return { ...target, ...restricting, ...said };
        lost.add('what is said beside a reference');
        return { ...said, $ref: reference };
      });
    }
  }
}

/** What is beside a reference: what restricts no value, and what does. */
function partsBeside({ $ref: _, ...beside }: JsonObject): readonly [JsonObject, JsonObject] {
  const entries = Object.entries(beside);
  const isSaid = ([keyword]: readonly [string, Json]) => MAY_STAND_BESIDE.has(keyword);
  return [
    Object.fromEntries(entries.filter(isSaid)),
    Object.fromEntries(entries.filter((entry) => !isSaid(entry))),
  ];
}

function asObject(schema: Json): Json {
  if (!isJsonObject(schema)) return { type: 'object' };
  const target = targetOf(schema, schema);
  const { $ref: _, ...beside } = schema;
  if (target !== schema && isJsonObject(target)) return { ...target, ...beside };
  const types = typesIn(schema);
  // A schema of another type describes no arguments.
  return types.length === 0 || types.includes('object') ? { ...schema, type: 'object' } : schema;
}

/** The same, or null. */
function orNull(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const types = typesIn(schema);
  if (acceptsNull(schema)) return schema;
  const { enum: values } = schema;
  const isPlain =
    types.length > 0 && !['const', 'anyOf', '$ref'].some((keyword) => schema[keyword] !== undefined);
  if (isPlain)
    return {
      ...schema,
      type: [...new Set([...types, 'null'])],
      ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
    };
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] };
  const { description, ...rest } = schema;
  return { anyOf: [rest, { type: 'null' }], ...(description === undefined ? {} : { description }) };
}

function withOneType(schema: JsonObject, _profile: Profile): JsonObject {
  const { type, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  const types = (type as readonly Json[]).filter((one) => one !== 'null');
  const nullable = types.length < type.length ? { nullable: true } : {};
  const [only] = types;
  if (types.length === 1 && only !== undefined) return { ...rest, type: only, ...nullable };
  return { ...rest, anyOf: types.map((one) => ({ type: one })), ...nullable };
}

/** What a schema accepts, as far as its keywords tell. */
function typed(schema: Json, rule: RuleOf<'typed'>, profile: Profile, lost: Lost): Json {
  const isSingle = profile.rules.some(({ kind }) => kind === 'single-type');
  const { all } = schemaNodes(schema);
  const untyped = new Set(
    all
      .filter((node) => node.parent !== null)
      .filter(
        (node) =>
          node.schema !== false &&
          !['type', ...rule.except].some(
            (keyword) => isJsonObject(node.schema) && node.schema[keyword] !== undefined,
          ),
      )
      .map(pointerOf),
  );
  return mapSchema(schema, (one, pointer) => {
    if (!untyped.has(pointer) || !isValuePlace(pointer)) return one;
    const own = isJsonObject(one) ? one : {};
    const type = typeOfKeywords(own);
    if (type !== null) return { ...own, type };
    lost.add('that a value may be of any type: it is a text, a number, true, false or null');
    return { ...own, type: isSingle ? 'string' : ['string', 'number', 'boolean', 'null'] };
  });
}

/** Not `additionalProperties: false` and the like, which describe no value. */
function isValuePlace(pointer: string): boolean {
  return !/\/(?:additionalProperties|additionalItems|unevaluatedProperties|unevaluatedItems|not|if|then|else|contains|propertyNames)$/.test(
    pointer,
  );
}

function typeOfKeywords(schema: JsonObject): string | null {
  const has = (...keywords: readonly string[]) => keywords.some((keyword) => schema[keyword] !== undefined);
  if (has('properties', 'additionalProperties', 'required')) return 'object';
  if (has('items', 'minItems', 'maxItems')) return 'array';
  const values = schema.enum;
  if (Array.isArray(values)) {
    if (values.every((value) => typeof value === 'number')) return 'number';
    if (values.every((value) => typeof value === 'boolean')) return 'boolean';
    return 'string';
  }
  if (has('pattern', 'minLength', 'maxLength', 'format')) return 'string';
  return has('minimum', 'maximum', 'multipleOf') ? 'number' : null;
}
