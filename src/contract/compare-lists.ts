import { type JsonObject, ownItems, ownProperty, ownText } from '../json/json.ts';
import type { Contract, ContractChange, ContractList } from '../model/contract.ts';
import { otherChange, sameMember, textChange } from './compare-functions.ts';
import { pointerOf } from './compare-schemas.ts';
import { textsOfPart, textsOfParts, unsafeAdditions, unsafeTexts, withUnsafe } from './unsafe-texts.ts';

interface ComparedList {
  readonly list: ContractList;
  readonly of: 'prompt' | 'resource' | 'resourceTemplate';
  /** The member by which callers name an entry. */
  readonly key: string;
}

const COMPARED: readonly ComparedList[] = [
  { list: 'prompts', of: 'prompt', key: 'name' },
  { list: 'resources', of: 'resource', key: 'uri' },
  { list: 'resourceTemplates', of: 'resourceTemplate', key: 'uriTemplate' },
];

/** What changed in the prompts, resources and templates, and what rules find in what was added to any list. */
export function compareLists(before: Contract, after: Contract): readonly ContractChange[] {
  return [
    ...COMPARED.flatMap((compared) => compareList(before, after, compared)),
    ...unsafeAdditions(before, after),
  ];
}

function compareList(
  before: Contract,
  after: Contract,
  { list, of, key }: ComparedList,
): readonly ContractChange[] {
  const [older, newer] = [placesIn(before, list, key), placesIn(after, list, key)];
  const names = [...new Set([...older.keys(), ...newer.keys()])].sort();
  const functions = after.functions.map((one) => one.name);
  const known = textsOfParts(before[list]);
  return names.flatMap((name): readonly ContractChange[] => {
    const [was, is] = [older.get(name), newer.get(name)];
    if (is === undefined)
      return after.unread.includes(list)
        ? []
        : [{ ...removed(before, list), of, name, pointer: pointerOf([list, was?.index ?? 0], []) }];
    if (was === undefined && before.unread.includes(list)) return [];
    const pointer = pointerOf([list, is.index], []);
    const changes: readonly EntryChange[] =
      was === undefined
        ? [{ kind: 'additive', pointer, message: 'it was added' }]
        : entryChanges(was.entry, is.entry, [list, is.index], key);
    const unsafe = unsafeTexts(
      is.entry,
      was === undefined ? known : textsOfPart(was.entry),
      pointer,
      functions,
    );
    return withUnsafe(changes, unsafe).map((change) => ({ ...change, of, name }));
  });
}

type EntryChange = Omit<ContractChange, 'of' | 'name'>;

/** A server that reports changes of its resources says that they come and go. */
function removed({ capabilities }: Contract, list: ContractList): Pick<ContractChange, 'kind' | 'message'> {
  const comesAndGoes = list === 'resources' && ownProperty(capabilities?.resources, 'listChanged') === true;
  return comesAndGoes
    ? { kind: 'unclear', message: 'it was removed; the server says that its resources change' }
    : { kind: 'breaking', message: 'it was removed' };
}

function placesIn(contract: Contract, list: ContractList, key: string) {
  const places = contract[list].flatMap((entry, index) => {
    const name = ownText(entry, key);
    return name === null ? [] : [[name, { entry, index }] as const];
  });
  return new Map(places.toReversed());
}

function entryChanges(
  before: JsonObject,
  after: JsonObject,
  start: readonly (string | number)[],
  key: string,
): readonly EntryChange[] {
  const changed = Object.keys({ ...before, ...after })
    .filter((name) => name !== key && !sameMember(before, after, name))
    .sort();
  return changed.flatMap((name) => {
    if (name === 'arguments') return argumentChanges(before, after, start);
    if (name === 'description' || name === 'title')
      return textChange(
        ownText(before, name) ?? '',
        ownText(after, name) ?? '',
        name,
        pointerOf(start, [name]),
        [],
      );
    const change = otherChange(before, after, name, start);
    return name === 'mimeType' ? [mimeTypeChange(change)] : [change];
  });
}

/** Whoever reads a resource parses it by its type. */
function mimeTypeChange(change: EntryChange): EntryChange {
  if (change.before === undefined) return { ...change, kind: 'additive' };
  return { ...change, kind: change.after === undefined ? 'unclear' : 'breaking' };
}

/** Arguments of a prompt are texts by name, some of them required. */
function argumentChanges(
  before: JsonObject,
  after: JsonObject,
  start: readonly (string | number)[],
): readonly EntryChange[] {
  const argumentsOf = (prompt: JsonObject) =>
    new Map(
      ownItems(prompt, 'arguments').map(
        (one, index) => [ownText(one, 'name') ?? '', { one, index }] as const,
      ),
    );
  const [older, newer] = [argumentsOf(before), argumentsOf(after)];
  return [...new Set([...older.keys(), ...newer.keys()])].sort().flatMap((name): readonly EntryChange[] => {
    const [was, is] = [older.get(name), newer.get(name)];
    const what = `the argument ${JSON.stringify(name)}`;
    const pointer = pointerOf([...start, 'arguments', (is ?? was)?.index ?? 0], []);
    const [wasRequired, isRequired] = [was, is].map((at) => ownProperty(at?.one, 'required') === true);
    if (is === undefined)
      return [{ kind: 'unclear', pointer, message: `${what} was removed: it may be refused or ignored` }];
    if (was === undefined)
      return isRequired
        ? [{ kind: 'breaking', pointer, message: `${what} was added, and is required` }]
        : [{ kind: 'additive', pointer, message: `${what} was added, and is optional` }];
    const change = requiredChange(what, pointer, wasRequired === true, isRequired === true);
    const texts = (['title', 'description'] as const).flatMap((text) =>
      textChange(
        ownText(was.one, text) ?? '',
        ownText(is.one, text) ?? '',
        `${text} of the argument ${JSON.stringify(name)}`,
        pointer,
        [],
      ),
    );
    return [...change, ...texts];
  });
}

function requiredChange(what: string, pointer: string, was: boolean, is: boolean): readonly EntryChange[] {
  if (was === is) return [];
  return [
    {
      kind: is ? 'breaking' : 'additive',
      pointer,
      message: `${what} is ${is ? 'required' : 'optional'} now`,
    },
  ];
}
