import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  ownProperty,
  ownText,
  sameJson,
} from '../json/json.ts';
import type { ContractChange, ContractFunction } from '../model/contract.ts';
import { textWords } from './beside-containment.ts';
import { changedMeaning } from './changed-meaning.ts';
import { compareSchemas, pointerOf, type SchemaChange, type SchemaUse } from './compare-schemas.ts';
import type { ProofBudget } from './containment/shapes.ts';
import { textsOfPart, unsafeTexts, withUnsafe } from './unsafe-texts.ts';

/** A function in a contract. */
export interface PlacedFunction {
  readonly one: ContractFunction;
  readonly index: number;
}

type FunctionChange = Omit<ContractChange, 'of' | 'name'>;

/** What changed of a function that both contracts have. */
export function compareFunction(
  before: PlacedFunction,
  after: PlacedFunction,
  otherNames: readonly string[],
  budget: ProofBudget,
): readonly ContractChange[] {
  const { one: older } = before;
  const { one: newer } = after;
  const changes = [
    ...schemaChanges('input', before, after, otherNames, budget),
    ...schemaChanges('output', before, after, otherNames, budget),
    ...annotationChanges(older.annotations ?? {}, newer.annotations ?? {}, after.index),
    ...(['title', 'description'] as const).flatMap((text) =>
      textChange(
        older[text] ?? '',
        newer[text] ?? '',
        text,
        pointerOf(['functions', after.index, text], []),
        otherNames,
      ),
    ),
    ...otherChanges(older.more ?? {}, newer.more ?? {}, after.index),
  ];
  const unsafe = unsafeTexts(newer, textsOfPart(older), pointerOf(['functions', after.index], []), [
    ...otherNames,
    newer.name,
  ]);
  return withUnsafe(changes, unsafe).map((change) => ({ ...change, of: 'function', name: newer.name }));
}

function schemaChanges(
  use: SchemaUse,
  before: PlacedFunction,
  after: PlacedFunction,
  otherNames: readonly string[],
  budget: ProofBudget,
): readonly FunctionChange[] {
  const [older, newer] = [said(before.one[use]), said(after.one[use])] as const;
  const pointer = pointerOf(['functions', after.index, use], []);
  if (older === null || newer === null) return withoutSchema(use, older, newer, pointer);
  return compareSchemas(older, newer, use, budget).map((change) =>
    placed(change, use, before, after, otherNames),
  );
}

/** A schema without any rule, as some libraries write by mistake, says no more than none. */
function said(schema: Json): Json {
  const isEmpty = isJsonObject(schema) && Object.keys(schema).every((keyword) => NO_RULES.has(keyword));
  return isEmpty ? null : schema;
}

const NO_RULES: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'title', 'description']);

function withoutSchema(use: SchemaUse, older: Json, newer: Json, pointer: string): readonly FunctionChange[] {
  if (older === newer) return [];
  const what = use === 'input' ? 'the schema of the arguments' : 'the schema of the result';
  const message = `${what} was ${newer === null ? 'removed' : 'added'}`;
  // Arguments of which nothing was said may be refused now; a result that was promised no longer is.
  if (newer === null) return [{ kind: use === 'input' ? 'unclear' : 'breaking', pointer, message }];
  return [{ kind: use === 'input' ? 'unclear' : 'additive', pointer, message }];
}

function placed(
  { path, isInOlder, isPart, texts, ...change }: SchemaChange,
  use: SchemaUse,
  before: PlacedFunction,
  after: PlacedFunction,
  otherNames: readonly string[],
): FunctionChange {
  const { index } = isInOlder === true ? before : after;
  const pointer = pointerOf(['functions', index, use], path);
  const meaning = texts === undefined ? null : changedMeaning(...texts, otherNames);
  return { ...change, pointer, ...suspicion(change.message, meaning) };
}

/** A text of a contract in which something else stands now. */
export function textChange(
  before: string,
  after: string,
  what: string,
  pointer: string,
  otherNames: readonly string[],
): readonly FunctionChange[] {
  if (before === after) return [];
  const words = textWords(before, after);
  const message = `its ${what} ${what === 'instructions' ? words.replace(/^was/, 'were') : words}`;
  const meaning = changedMeaning(before, after, otherNames, what === 'instructions' ? what : 'text');
  return [{ kind: 'cosmetic', pointer, before, after, ...suspicion(message, meaning) }];
}

function suspicion(
  message: string,
  meaning: string | null,
): Pick<ContractChange, 'message' | 'isSuspicious'> {
  return meaning === null ? { message } : { message: `${message}: ${meaning}`, isSuspicious: true };
}

/** What each hint of a tool is where none is given (server, tools, annotations), and which value promises more. */
const HINTS: readonly {
  readonly hint: string;
  readonly ifNone: boolean;
  readonly careful: boolean;
  readonly safe: string;
  readonly unsafe: string;
}[] = [
  { hint: 'readOnlyHint', ifNone: false, careful: true, safe: 'only reads', unsafe: 'may change something' },
  {
    hint: 'destructiveHint',
    ifNone: true,
    careful: false,
    safe: 'deletes and overwrites nothing',
    unsafe: 'may delete or overwrite something',
  },
  {
    hint: 'idempotentHint',
    ifNone: false,
    careful: true,
    safe: 'does nothing more when it is called again',
    unsafe: 'may do more when it is called again',
  },
  {
    hint: 'openWorldHint',
    ifNone: true,
    careful: false,
    safe: 'reaches nothing outside',
    unsafe: 'may reach what is outside',
  },
];

function annotationChanges(before: JsonObject, after: JsonObject, index: number): readonly FunctionChange[] {
  const hints = HINTS.flatMap(({ hint, ifNone, careful, safe, unsafe }): readonly FunctionChange[] => {
    // What is no boolean promises nothing.
    const [was, is] = [before, after].map((given) => {
      const value = ownProperty(given, hint);
      return typeof value === 'boolean' ? value : ifNone;
    });
    if (was === is || was === undefined || is === undefined)
      return isOdd(before, hint) || isOdd(after, hint) ? changedMember(before, after, hint, index) : [];
    // Without a promise that it only reads, nothing follows from these two (tools, annotations).
    const isMeant = !['destructiveHint', 'idempotentHint'].includes(hint) || !isReading(after);
    const message = `${hint} was ${was} and is ${is}: it ${is === careful ? safe : unsafe} now`;
    const kind = is === careful ? 'additive' : isMeant ? 'breaking' : 'cosmetic';
    return [
      {
        kind,
        pointer: pointerOf(['functions', index, 'annotations', hint], []),
        message,
        before: was,
        after: is,
      },
    ];
  });
  const others = Object.keys({ ...before, ...after })
    .filter((name) => !HINTS.some(({ hint }) => hint === name))
    .filter((name) => !sameMember(before, after, name));
  return [
    ...hints,
    ...others.sort().map((name) => otherChange(before, after, name, ['functions', index, 'annotations'])),
  ];
}

function isOdd(annotations: JsonObject, hint: string): boolean {
  return typeof (ownProperty(annotations, hint) ?? true) !== 'boolean';
}

function changedMember(
  before: JsonObject,
  after: JsonObject,
  name: string,
  index: number,
): readonly FunctionChange[] {
  return sameMember(before, after, name)
    ? []
    : [otherChange(before, after, name, ['functions', index, 'annotations'])];
}

function isReading(annotations: JsonObject): boolean {
  return annotations.readOnlyHint === true;
}

function otherChanges(before: JsonObject, after: JsonObject, index: number): readonly FunctionChange[] {
  const tasks = taskChange(before, after, index);
  return [
    ...tasks,
    ...Object.keys({ ...before, ...after })
      .filter((name) => !sameMember(before, after, name) && (name !== 'execution' || tasks.length === 0))
      .sort()
      .map((name) => otherChange(before, after, name, ['functions', index, 'more'])),
  ];
}

/** Whether a tool is called as a task: never where nothing is said, only so where it is required (tasks). */
function taskChange(before: JsonObject, after: JsonObject, index: number): readonly FunctionChange[] {
  const [was, is] = [before, after].map(
    ({ execution }) => ownText(execution, 'taskSupport') ?? 'forbidden',
  ) as [string, string];
  if (was === is) return [];
  const isRefused = is === 'required' || is === 'forbidden';
  return [
    {
      kind: isRefused ? 'breaking' : is === 'optional' ? 'additive' : 'unclear',
      pointer: pointerOf(['functions', index, 'more'], 'execution' in after ? ['execution'] : []),
      message: `execution.taskSupport was ${JSON.stringify(was)} and is ${JSON.stringify(is)}${isRefused ? `: calls ${is === 'required' ? 'without' : 'with'} a task are refused now` : ''}`,
      before: was,
      after: is,
    },
  ];
}

/** Members that no rule is about. */
export function otherChange(
  before: JsonObject,
  after: JsonObject,
  name: string,
  start: readonly (string | number)[],
): FunctionChange {
  const [was, is] = [ownProperty(before, name), ownProperty(after, name)];
  const words = is === undefined ? 'was removed' : was === undefined ? 'was added' : 'was changed';
  return {
    kind: 'cosmetic',
    pointer: pointerOf(start, is === undefined ? [] : [name]),
    message: `${JSON.stringify(name)} ${words}`,
    ...(was === undefined ? {} : { before: was }),
    ...(is === undefined ? {} : { after: is }),
  };
}

export function sameMember(before: JsonObject, after: JsonObject, name: string): boolean {
  const [was, is] = [ownProperty(before, name), ownProperty(after, name)];
  return was === undefined || is === undefined ? was === is : sameJson(was, is);
}

/**
 * In which two functions are the same but for their names, the surest first: a caller of the one would find the other. Null
 * where too little is said to tell it.
 */
export const RENAMED_KEYS: readonly ((one: ContractFunction) => string | null)[] = [
  ({ name }) => lettersOf(name),
  ({ input, description }) => (description === undefined ? null : canonicalJson([input, description])),
  ({ input, output }) => (hasArguments(input) ? canonicalJson([input, output]) : null),
];

/** `getWeather`, `get_weather` and `get-weather` are one name. */
function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function hasArguments(input: Json): boolean {
  const properties = ownProperty(input, 'properties');
  return (
    isJsonObject(properties) && Object.keys(properties).length > 1 && canonicalJson(properties).length > 40
  );
}
