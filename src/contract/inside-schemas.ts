import { resolveLocalReference } from '../checks/json/local-reference.ts';
import { canonicalJson, isJsonObject, itemsOf, type Json, type JsonObject, shorten } from '../json/json.ts';
import { subject } from './beside-containment.ts';
import type { SchemaChange, SchemaUse } from './compare-schemas.ts';
import type { ProofBudget } from './containment/shapes.ts';
import type { Place, Side } from './schema-parts.ts';

// What no containment shows of parts that are compared as a whole, such as the branches of a choice: members that are no
// longer named, formats, defaults and encodings. They are counted, wherever they are.

/** What changed inside, where callers are safe as far as values go. */
export function insideChanges(
  older: Side,
  newer: Side,
  { path, name }: Place,
  use: SchemaUse,
  budget: ProofBudget,
): readonly SchemaChange[] {
  const [was, is] = [factsIn(older, budget), factsIn(newer, budget)];
  const [gone, come] = [difference(was, is), difference(is, was)];
  const what = subject(use, name);
  const isInput = use === 'input';
  const of = (facts: readonly Fact[], kind: Fact['kind']): readonly Fact[] =>
    facts.filter((one) => one.kind === kind);
  const say = (kind: SchemaChange['kind'], message: string): SchemaChange => ({ kind, path, message });
  const [goneNames, newNames] = [of(gone, 'name'), of(come, 'name')];
  const [goneFormats, newFormats] = [of(gone, 'format'), of(come, 'format')];
  const isStricter = isInput ? newFormats.length > 0 : goneFormats.length > 0;
  const formatWords =
    newFormats.length === 0
      ? `was ${listed(goneFormats)}; there is none now`
      : `is ${listed(newFormats)} now`;
  const goneDefaults = isInput ? of(gone, 'default') : [];
  const encodings = [...of(gone, 'content'), ...of(come, 'content')];
  return [
    ...(goneNames.length === 0
      ? []
      : [
          say(
            'unclear',
            `${listed(goneNames)} was removed in ${what}: ${isInput ? 'it may be accepted, but ignored' : 'it was optional'}`,
          ),
        ]),
    ...(newNames.length === 0 ? [] : [say('additive', `${listed(newNames)} was added in ${what}`)]),
    ...(goneFormats.length + newFormats.length === 0
      ? []
      : [say(isStricter ? 'unclear' : 'additive', `the format of ${what} ${formatWords}`)]),
    ...(goneDefaults.length === 0
      ? []
      : [say('unclear', `the default ${listed(goneDefaults)} in ${what} was changed or removed`)]),
    ...(encodings.length === 0
      ? []
      : [say('unclear', `how the content of ${what} is written was changed: ${listed(encodings)}`)]),
  ];
}

interface Fact {
  readonly kind: 'name' | 'format' | 'default' | 'content';
  readonly text: string;
}

type Facts = ReadonlyMap<string, { readonly fact: Fact; readonly count: number }>;

function difference(one: Facts, other: Facts): readonly Fact[] {
  return [...one].flatMap(([key, { fact, count }]) => (count > (other.get(key)?.count ?? 0) ? [fact] : []));
}

function listed(facts: readonly Fact[]): string {
  return shorten(facts.map(({ text }) => text).join(', '), 120);
}

/** Values, and definitions, which count where they are referred to. */
const NO_PARTS: ReadonlySet<string> = new Set(['enum', 'const', 'examples', '$defs', 'definitions']);
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const CONTENT: readonly string[] = ['contentEncoding', 'contentMediaType'];
/** A part of a schema is read in less than a step of a proof, but references can multiply. */
const STEPS_OF_PART = 0.05;

/** The default of the outermost schema is left out: it is compared where it stands. */
function factsIn({ schema, root }: Side, budget: ProofBudget): Facts {
  const facts = new Map<string, { fact: Fact; count: number }>();
  const add = (kind: Fact['kind'], text: string): void => {
    const key = `${kind} ${text}`;
    facts.set(key, { fact: { kind, text }, count: (facts.get(key)?.count ?? 0) + 1 });
  };
  const visit = (one: Json, within: ReadonlySet<string>): void => {
    budget.steps -= STEPS_OF_PART;
    if (budget.steps < 0) return;
    if (Array.isArray(one)) for (const part of itemsOf(one)) visit(part, within);
    if (!isJsonObject(one)) return;
    addOwn(one);
    const { $ref } = one;
    if (typeof $ref === 'string' && !within.has($ref))
      visit(resolveLocalReference(root, $ref) ?? null, new Set([...within, $ref]));
    for (const [keyword, value] of Object.entries(one)) {
      if (NO_PARTS.has(keyword) || keyword === 'default') continue;
      if (!NAMED.has(keyword)) visit(value, within);
      else if (isJsonObject(value)) for (const part of Object.values(value)) visit(part, within);
    }
  };
  const addOwn = (one: JsonObject): void => {
    if (isJsonObject(one.properties))
      for (const name of Object.keys(one.properties)) add('name', JSON.stringify(name));
    if (typeof one.format === 'string') add('format', JSON.stringify(one.format));
    if (one.default !== undefined && one !== schema) add('default', canonicalJson(one.default));
    for (const keyword of CONTENT)
      if (one[keyword] !== undefined) add('content', `${keyword} ${canonicalJson(one[keyword])}`);
  };
  visit(schema, new Set());
  return facts;
}
