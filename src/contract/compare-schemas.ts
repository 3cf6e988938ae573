import { resolveLocalReference } from '../checks/json/local-reference.ts';
import {
  canonicalJson,
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  jsonPointer,
  ownProperty,
  ownText,
  sameJson,
  shorten,
} from '../json/json.ts';
import type { ChangeKind } from '../model/contract.ts';
import { type CallersView, callersView } from './callers-view.ts';
import { type Containment, contains } from './containment/contains.ts';
import type { ProofBudget } from './containment/shapes.ts';
import { differenceWords } from './schema-words.ts';

/** A change of a schema, or of a part of it. */
export interface SchemaChange {
  readonly kind: ChangeKind;
  /** In the newer schema; in the older one for what was removed. */
  readonly path: readonly string[];
  readonly isInOlder?: true;
  readonly message: string;
  readonly before?: Json;
  readonly after?: Json;
  /** Texts of the part that changed, whose meaning the caller compares. */
  readonly texts?: readonly [before: string, after: string];
}

/** Whether a schema is about what callers send, or about what they get. */
export type SchemaUse = 'input' | 'output';

interface Side {
  readonly schema: Json;
  readonly root: Json;
}

interface Place {
  readonly path: readonly string[];
  /** Such as `options.unit`; empty for the whole. */
  readonly name: string;
  readonly depth: number;
}

const MAX_DEPTH = 8;
/** Most changes take less than a hundred; the schemas may be those of strangers. */
const MAX_STEPS = 200_000;

export function comparisonBudget(): ProofBudget {
  return { steps: MAX_STEPS };
}

/** What changed in a schema for callers, each change in its place. */
export function compareSchemas(
  given: Json,
  givenNewer: Json,
  use: SchemaUse,
  budget: ProofBudget,
): readonly SchemaChange[] {
  if (sameJson(given, givenNewer)) return [];
  const [before, after] = [given, givenNewer].map((schema) => meant(schema, use)) as [Json, Json];
  const compared = new SchemaComparison(use, before, after, budget);
  const found = compared.changes({ path: [], name: '', depth: 0 });
  return agreeing(found, compared.whole(), use);
}

/** Arguments are an object, whether the schema says so or not. */
function meant(schema: Json, use: SchemaUse): Json {
  const bounded = withoutLimitsOfDoubles(schema);
  const isUntyped = isJsonObject(bounded) && bounded.type === undefined;
  return use === 'input' && isUntyped ? { type: 'object', ...bounded } : bounded;
}

/** Libraries write the largest safe integer as a limit of every integer: no caller sends a larger one. */
function withoutLimitsOfDoubles(schema: Json): Json {
  if (Array.isArray(schema)) return itemsOf(schema).map(withoutLimitsOfDoubles);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword, value]) => !isLimitOfDoubles(keyword, value));
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, AS_GIVEN.has(keyword) ? value : withoutLimitsOfDoubles(value)]),
  );
}

const AS_GIVEN: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

function isLimitOfDoubles(keyword: string, value: Json): boolean {
  if (typeof value !== 'number') return false;
  if (/^(?:m|exclusiveM)aximum$/.test(keyword)) return value >= Number.MAX_SAFE_INTEGER;
  return /^(?:m|exclusiveM)inimum$/.test(keyword) && value <= Number.MIN_SAFE_INTEGER;
}

/** The whole decides: parts are compared without what surrounds them. */
function agreeing(
  found: readonly SchemaChange[],
  whole: { readonly containment: Containment; readonly isWhole: boolean },
  use: SchemaUse,
): readonly SchemaChange[] {
  const { containment, isWhole } = whole;
  const has = (kind: ChangeKind): boolean => found.some((one) => one.kind === kind);
  if (containment.answer === 'yes') {
    const agreed = found.map((one) =>
      one.kind === 'breaking' ? { ...one, kind: 'additive' as const } : one,
    );
    if (agreed.length > 0) return agreed;
    return [
      {
        kind: 'cosmetic',
        path: [],
        message: `${subject(use, '')} is written in another way, and means the same`,
      },
    ];
  }
  if (has('breaking')) return found;
  if (containment.answer === 'no' && isWhole)
    return [{ kind: 'breaking', path: [], message: withWitness(use, '', containment.witness) }, ...found];
  if (has('unclear')) return found;
  const reason = containment.answer === 'unknown' ? `: ${containment.reason}` : '';
  const message = `whether ${subject(use, '')} ${use === 'input' ? 'accepts all that it accepted' : 'allows only what it allowed'} could not be decided${reason}`;
  return [{ kind: 'unclear', path: [], message }, ...found];
}

class SchemaComparison {
  readonly #use: SchemaUse;
  readonly #before: Json;
  readonly #after: Json;
  readonly #budget: ProofBudget;
  /** What callers see of the document that has to be in the other one. */
  readonly #view: CallersView;

  constructor(use: SchemaUse, before: Json, after: Json, budget: ProofBudget) {
    this.#use = use;
    this.#before = before;
    this.#after = after;
    this.#budget = budget;
    this.#view = callersView(use === 'input' ? before : after);
  }

  whole(): { readonly containment: Containment; readonly isWhole: boolean } {
    const older = { schema: this.#before, root: this.#before };
    return this.#safe(older, { schema: this.#after, root: this.#after });
  }

  changes(place: Place): readonly SchemaChange[] {
    return this.#compare(
      { schema: this.#before, root: this.#before },
      { schema: this.#after, root: this.#after },
      place,
    );
  }

  /** Whether callers of the older schema are safe with the newer one. */
  #safe(older: Side, newer: Side) {
    const [wide, narrow] = this.#use === 'input' ? [newer, older] : [older, newer];
    const isWholeDocument = narrow.schema === narrow.root;
    const part = isWholeDocument ? this.#view : callersView(narrow.schema);
    const seen = { schema: part.schema, root: isWholeDocument ? part.schema : this.#view.schema };
    return { containment: this.#contains(wide, seen), isWhole: this.#view.isWhole && part.isWhole };
  }

  #contains(wide: Side, narrow: Side): Containment {
    return contains(alone(wide), alone(narrow), this.#budget);
  }

  #compare(given: Side, givenNewer: Side, place: Place): readonly SchemaChange[] {
    const [older, newer] = [followed(given), followed(givenNewer)];
    const texts = place.depth === 0 ? [] : textChanges(given, givenNewer, older, newer, place, this.#use);
    if (canonicalJson(older.schema) === canonicalJson(newer.schema) && !refers(older.schema)) return texts;
    const defaults = defaultChanges(older.schema, newer.schema, place, this.#use);
    if (place.depth < MAX_DEPTH && isPlainObject(older.schema) && isPlainObject(newer.schema))
      return [...texts, ...defaults, ...this.#objects(older, newer, place)];
    if (place.depth < MAX_DEPTH && isPlainList(older.schema) && isPlainList(newer.schema))
      return [...texts, ...defaults, ...this.#lists(older, newer, place)];
    return [...texts, ...defaults, ...this.#values(older, newer, place)];
  }

  #objects(older: Side, newer: Side, place: Place): readonly SchemaChange[] {
    const [olderParts, newerParts] = [propertiesOf(older.schema), propertiesOf(newer.schema)];
    const names = [...new Set([...Object.keys(olderParts), ...Object.keys(newerParts)])].sort();
    const members = names.flatMap((name) => {
      const at = inside(place, ['properties', name], name);
      const [was, is] = [ownProperty(olderParts, name), ownProperty(newerParts, name)];
      if (was === undefined) return [this.#added(newer, name, is ?? {}, older, at)];
      if (is === undefined) return [this.#removed(newer, name, was, older, at)];
      return [
        ...this.#requiredChange(older.schema, newer.schema, name, at),
        ...this.#compare({ ...older, schema: was }, { ...newer, schema: is }, at),
      ];
    });
    return [...members, ...this.#rest(older, newer, 'properties', place)];
  }

  #lists(older: Side, newer: Side, place: Place): readonly SchemaChange[] {
    const itemsIn = (side: Side): Side => ({ ...side, schema: ownProperty(side.schema, 'items') ?? {} });
    return [
      ...this.#compare(itemsIn(older), itemsIn(newer), inside(place, ['items'], '[]')),
      ...this.#rest(older, newer, 'items', place),
    ];
  }

  /** What remains of two schemas without the parts that are compared one by one. */
  #rest(older: Side, newer: Side, part: 'properties' | 'items', place: Place): readonly SchemaChange[] {
    const restOf = ({ schema, root }: Side): Side => {
      const rest = withoutMembers(schema as JsonObject, [
        part,
        'required',
        ...(place.depth === 0 ? OF_ROOT : []),
      ]);
      const hasMembers = part === 'properties' && ownProperty(schema, part) !== undefined;
      return { schema: hasMembers ? { ...rest, properties: {} } : rest, root };
    };
    return this.#values(restOf(older), restOf(newer), place);
  }

  #values(older: Side, newer: Side, place: Place): readonly SchemaChange[] {
    const [was, is] = [older, newer].map(({ schema }) =>
      isJsonObject(schema) ? withoutMembers(schema, TEXTS) : schema,
    ) as [Json, Json];
    if (sameJson(was, is) && !refers(was)) return [];
    const { containment } = this.#safe(older, newer);
    const shown = { path: place.path, before: was, after: is };
    const words = differenceWords(was, is);
    const what = subject(this.#use, place.name);
    if (containment.answer === 'no')
      return [
        {
          ...shown,
          kind: 'breaking',
          message: `${withWitness(this.#use, place.name, containment.witness)}: ${words}`,
        },
      ];
    const isInput = this.#use === 'input';
    if (containment.answer === 'unknown')
      return [
        {
          ...shown,
          kind: 'unclear',
          message: `${what} may ${isInput ? 'accept less' : 'hold more'} than before: ${words}`,
        },
      ];
    const back = this.#contains(isInput ? older : newer, isInput ? newer : older);
    if (back.answer === 'yes')
      return [
        ...formatChange(older.schema, newer.schema, place, this.#use),
        ...extraChange(was, is, place, this.#use),
      ];
    return [
      {
        ...shown,
        kind: 'additive',
        message: `${what} ${isInput ? 'accepts more' : 'is described more closely'} than before: ${words}`,
      },
    ];
  }

  #added(newer: Side, name: string, schema: Json, older: Side, at: Place): SchemaChange {
    const isRequired = requiredIn(newer.schema).includes(name);
    const what = subject(this.#use, at.name);
    const shown = { path: at.path, after: schema };
    if (this.#use === 'output') {
      const isClosed = ownProperty(older.schema, 'additionalProperties') === false;
      const closedWords = isClosed ? ', although there were to be no others' : '';
      return {
        ...shown,
        kind: isClosed ? 'breaking' : 'additive',
        message: `${what} was added${closedWords}`,
      };
    }
    return isRequired
      ? { ...shown, kind: 'breaking', message: `${what} was added, and is required` }
      : { ...shown, kind: 'additive', message: `${what} was added, and is optional` };
  }

  #removed(newer: Side, name: string, schema: Json, older: Side, at: Place): SchemaChange {
    const what = subject(this.#use, at.name);
    const shown = { path: at.path, isInOlder: true, before: schema } as const;
    if (this.#use === 'output')
      return requiredIn(older.schema).includes(name)
        ? { ...shown, kind: 'breaking', message: `${what} was removed, and was always there` }
        : { ...shown, kind: 'unclear', message: `${what} was removed, and was optional` };
    return ownProperty(newer.schema, 'additionalProperties') === false
      ? { ...shown, kind: 'breaking', message: `${what} was removed, and is refused now` }
      : { ...shown, kind: 'unclear', message: `${what} was removed: it is accepted, but may be ignored` };
  }

  #requiredChange(older: Json, newer: Json, name: string, at: Place): readonly SchemaChange[] {
    const [was, is] = [requiredIn(older).includes(name), requiredIn(newer).includes(name)];
    if (was === is) return [];
    const isSafe = (this.#use === 'input') !== is;
    const message = `${subject(this.#use, at.name)} is ${is ? 'required' : 'optional'} now`;
    return [
      {
        kind: isSafe ? 'additive' : 'breaking',
        path: at.path,
        message,
        before: was ? 'required' : 'optional',
        after: is ? 'required' : 'optional',
      },
    ];
  }
}

/** A part without references needs no document, which may be large. */
function alone({ schema, root }: Side): Side {
  return refers(schema) ? { schema, root } : { schema, root: schema };
}

const TEXTS: readonly string[] = ['title', 'description', 'examples', '$comment', 'default', 'deprecated'];

const OF_ROOT: readonly string[] = ['$schema', '$id', '$defs', 'definitions'];

function followed({ schema, root }: Side): Side {
  let current = schema;
  for (let followedCount = 0; followedCount < MAX_DEPTH; followedCount += 1) {
    const reference = ownProperty(current, '$ref');
    const [only, ...others] = itemsOf(ownProperty(current, 'allOf'));
    const keys = isJsonObject(current) ? Object.keys(withoutMembers(current, TEXTS)) : [];
    if (keys.length !== 1) break;
    if (typeof reference === 'string') current = resolveLocalReference(root, reference) ?? current;
    else if (only !== undefined && others.length === 0) current = only;
    else break;
  }
  return { schema: current, root };
}

function refers(schema: Json): boolean {
  return canonicalJson(schema).includes('"$ref"');
}

/** Nothing beside its members is said of it that would have to be compared as a whole. */
function isPlainObject(schema: Json): schema is JsonObject {
  const isCombined = ['$ref', 'anyOf', 'oneOf', 'allOf', 'if', 'not'].some(
    (keyword) => ownProperty(schema, keyword) !== undefined,
  );
  return ownProperty(schema, 'type') === 'object' && !isCombined;
}

function isPlainList(schema: Json): schema is JsonObject {
  return ownProperty(schema, 'type') === 'array' && isJsonObject(ownProperty(schema, 'items'));
}

/** Also those of which only their name is said. */
function propertiesOf(schema: Json): JsonObject {
  const properties = ownProperty(schema, 'properties');
  const required = requiredIn(schema).filter((name) => typeof name === 'string');
  return Object.fromEntries([
    ...required.map((name): [string, Json] => [name, {}]),
    ...Object.entries(isJsonObject(properties) ? properties : {}),
  ]);
}

function requiredIn(schema: Json): readonly Json[] {
  return itemsOf(ownProperty(schema, 'required'));
}

function withoutMembers(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Callers send only what the schema names, and results have only that: it changes nothing for them. */
function extraChange(was: Json, is: Json, { path, name }: Place, use: SchemaUse): readonly SchemaChange[] {
  const [before, after] = [was, is].map((schema) => ownProperty(schema, 'additionalProperties') === false);
  if (before === after) return [];
  const message = `${subject(use, name)} ${after === true ? 'refuses' : 'allows'} members that it does not name now`;
  return [{ kind: 'cosmetic', path, message }];
}

function inside({ path, name, depth }: Place, steps: readonly string[], step: string): Place {
  const joined = name === '' || step === '[]' ? `${name}${step}` : `${name}.${step}`;
  return { path: [...path, ...steps], name: joined, depth: depth + 1 };
}

function subject(use: SchemaUse, name: string): string {
  if (name === '') return use === 'input' ? 'the schema of the arguments' : 'the schema of the result';
  return use === 'input' ? `the argument ${JSON.stringify(name)}` : `${JSON.stringify(name)} of the result`;
}

function withWitness(use: SchemaUse, name: string, witness: Json): string {
  const value = shorten(canonicalJson(witness), 120);
  return use === 'input'
    ? `${subject(use, name)} accepts less than before, not ${value}`
    : `${subject(use, name)} can be what it was not before, such as ${value}`;
}

function textChanges(
  given: Side,
  givenNewer: Side,
  older: Side,
  newer: Side,
  { path, name }: Place,
  use: SchemaUse,
): readonly SchemaChange[] {
  return (['title', 'description'] as const).flatMap((keyword) => {
    const was = ownText(given.schema, keyword) ?? ownText(older.schema, keyword) ?? '';
    const is = ownText(givenNewer.schema, keyword) ?? ownText(newer.schema, keyword) ?? '';
    if (was === is) return [];
    const message = `the ${keyword} of ${subject(use, name)} ${textWords(was, is)}`;
    return [{ kind: 'cosmetic', path, message, before: was, after: is, texts: [was, is] } as const];
  });
}

export function textWords(was: string, is: string): string {
  if (is === '') return 'was removed';
  return was === '' ? 'was added' : 'was changed';
}

function defaultChanges(was: Json, is: Json, { path, name }: Place, use: SchemaUse): readonly SchemaChange[] {
  const [before, after] = [ownProperty(was, 'default'), ownProperty(is, 'default')];
  if (before === undefined && after === undefined) return [];
  if (before !== undefined && after !== undefined && sameJson(before, after)) return [];
  const what = `the default of ${subject(use, name)}`;
  const shown = {
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  // Whoever gives no value may get something else than before.
  if (before === undefined)
    return [
      {
        ...shown,
        kind: 'cosmetic',
        message: `${what} is ${canonicalJson(after ?? null)} now; there was none`,
      },
    ];
  const words =
    after === undefined
      ? `was ${canonicalJson(before)}; there is none now`
      : `was ${canonicalJson(before)} and is ${canonicalJson(after)}`;
  return [{ ...shown, kind: use === 'input' ? 'unclear' : 'cosmetic', message: `${what} ${words}` }];
}

/** Schemas do not check a format, but servers do. */
function formatChange(was: Json, is: Json, { path, name }: Place, use: SchemaUse): readonly SchemaChange[] {
  const [before, after] = [ownText(was, 'format'), ownText(is, 'format')];
  if (before === after) return [];
  const isStricter = use === 'input' ? after !== null : before !== null;
  const words =
    after === null ? `was ${JSON.stringify(before)}; there is none now` : `is ${JSON.stringify(after)} now`;
  return [
    {
      kind: isStricter ? 'unclear' : 'additive',
      path,
      message: `the format of ${subject(use, name)} ${words}`,
      before,
      after,
    },
  ];
}

export function pointerOf(start: readonly (string | number)[], path: readonly string[]): string {
  return jsonPointer([...start, ...path]);
}
