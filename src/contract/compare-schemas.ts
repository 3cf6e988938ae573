import {
  canonicalJson,
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  jsonPointer,
  ownProperty,
  sameJson,
} from '../json/json.ts';
import type { ChangeKind } from '../model/contract.ts';
import { defaultChanges, extraChange, subject, textChanges, withWitness } from './beside-containment.ts';
import { type CallersView, callersView, hasOnly, memberNames } from './callers-view.ts';
import { type Containment, contains } from './containment/contains.ts';
import type { ProofBudget } from './containment/shapes.ts';
import { insideChanges } from './inside-schemas.ts';
import {
  alone,
  behind,
  followed,
  inside,
  isPlainList,
  isPlainObject,
  MAX_DEPTH,
  OF_ROOT,
  type Place,
  propertiesOf,
  refers,
  requiredIn,
  type Side,
  TEXTS,
  withoutMembers,
} from './schema-parts.ts';
import { otherTextChanges } from './schema-texts.ts';
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
  /** What changed is a member with all that is in it. */
  readonly isPart?: true;
  /** Texts of the part that changed, whose meaning the caller compares. */
  readonly texts?: readonly [before: string, after: string];
}

/** Whether a schema is about what callers send, or about what they get. */
export type SchemaUse = 'input' | 'output';

/** Most changes take less than a hundred; the schemas may be those of strangers. */
const MAX_STEPS = 60_000;

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
  const others = otherTextChanges(given, givenNewer, found, use);
  return agreeing(found, others, compared.whole(), use);
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
  otherTexts: readonly SchemaChange[],
  containment: Containment,
  use: SchemaUse,
): readonly SchemaChange[] {
  const all = [...found, ...otherTexts];
  const has = (kind: ChangeKind): boolean => found.some((one) => one.kind === kind);
  if (containment.answer === 'yes') {
    const agreed = all.map((one) => (one.kind === 'breaking' ? { ...one, kind: 'additive' as const } : one));
    if (agreed.length > 0) return agreed;
    return [
      {
        kind: 'cosmetic',
        path: [],
        message: `${subject(use, '')} is written in another way, and means the same`,
      },
    ];
  }
  if (has('breaking')) return all;
  if (containment.answer === 'no')
    return [{ kind: 'breaking', path: [], message: withWitness(use, '', containment.witness) }, ...all];
  if (has('unclear')) return all;
  const reason = containment.answer === 'unknown' ? `: ${containment.reason}` : '';
  const message = `whether ${subject(use, '')} ${use === 'input' ? 'accepts all that it accepted' : 'allows only what it allowed'} could not be decided${reason}`;
  return [{ kind: 'unclear', path: [], message }, ...all];
}

class SchemaComparison {
  readonly #use: SchemaUse;
  readonly #before: Json;
  readonly #after: Json;
  readonly #budget: ProofBudget;
  /** What callers see of the document that has to be in the other one. */
  readonly #view: CallersView;
  readonly #names: ReadonlySet<string>;

  constructor(use: SchemaUse, before: Json, after: Json, budget: ProofBudget) {
    this.#use = use;
    this.#before = before;
    this.#after = after;
    this.#budget = budget;
    const narrow = use === 'input' ? before : after;
    this.#view = callersView(narrow, narrow, use === 'input');
    this.#names = memberNames(narrow);
  }

  whole(): Containment {
    const older = { schema: this.#before, root: this.#before };
    return this.#safe(older, { schema: this.#after, root: this.#after }, 0);
  }

  changes(place: Place): readonly SchemaChange[] {
    return this.#compare(
      { schema: this.#before, root: this.#before },
      { schema: this.#after, root: this.#after },
      place,
    );
  }

  /** Whether callers of the older schema are safe with the newer one. */
  #safe(older: Side, newer: Side, depth: number): Containment {
    const isInput = this.#use === 'input';
    const [wide, narrow] = isInput ? [newer, older] : [older, newer];
    const isDocument = narrow.schema === narrow.root;
    const part = isDocument ? this.#view : callersView(narrow.schema, narrow.root, isInput && depth === 0);
    const seen = { schema: part.schema, root: isDocument ? part.schema : this.#view.schema };
    const isAll = part.isWhole && this.#view.isWhole;
    const meant = { by: alone(narrow), ...(isAll ? {} : { is: (one: Json) => hasOnly(one, this.#names) }) };
    return contains(alone(wide), alone(seen), this.#budget, meant);
  }

  #contains(wide: Side, narrow: Side): Containment {
    return contains(alone(wide), alone(narrow), this.#budget);
  }

  #compare(given: Side, givenNewer: Side, place: Place): readonly SchemaChange[] {
    const [older, newer] = [followed(given), followed(givenNewer)];
    const texts = place.depth === 0 ? [] : textChanges(given, givenNewer, older, newer, place, this.#use);
    const defaults = defaultChanges([given, older], [givenNewer, newer], place, this.#use);
    if (canonicalJson(older.schema) === canonicalJson(newer.schema) && !refers(older.schema))
      return [...texts, ...defaults];
    const at = behind(behind(place, given, older), givenNewer, newer);
    const isTakenApart = at.depth < MAX_DEPTH;
    if (isTakenApart && isPlainObject(older.schema) && isPlainObject(newer.schema))
      return [...texts, ...defaults, ...this.#objects(older, newer, at)];
    if (isTakenApart && isPlainList(older.schema) && isPlainList(newer.schema))
      return [...texts, ...defaults, ...this.#lists(older, newer, at)];
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
    const containment = this.#safe(older, newer, place.depth);
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
    const inner = insideChanges(older, newer, place, this.#use, this.#budget);
    if (back.answer === 'yes') return [...inner, ...extraChange(was, is, place, this.#use)];
    return [
      ...inner,
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
    const shown = { path: at.path, after: schema, isPart: true } as const;
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
    const shown = { path: at.path, isInOlder: true, before: schema, isPart: true } as const;
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

export function pointerOf(start: readonly (string | number)[], path: readonly string[]): string {
  return jsonPointer([...start, ...path]);
}
