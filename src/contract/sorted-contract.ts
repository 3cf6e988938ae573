import { canonicalJson, isJsonObject, itemsOf, type Json, type JsonObject, ownText } from '../json/json.ts';
import {
  CONTRACT_LISTS,
  type Contract,
  type ContractFunction,
  type ContractList,
} from '../model/contract.ts';

/** The member by which callers name an entry of a list. */
export const KEY_OF: Readonly<Record<ContractList, string>> = {
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
};

/** Members that differ from run to run, although the server offers the same (server, resources, annotations). */
const VOLATILE: ReadonlySet<string> = new Set(['_meta', 'size', 'lastModified']);

/**
 * The same contract in the order of its file, whatever the order in which a server lists: lists by name, the members of
 * every object by key. Of equal names the first counts, as for clients. Without what is volatile.
 */
export function sortedContract(contract: Contract): Contract {
  const lists = CONTRACT_LISTS.map((list) => [list, entriesOf(contract[list], KEY_OF[list])] as const);
  return sortedByKey({
    ...contract,
    functions: functionsOf(contract.functions),
    ...Object.fromEntries(lists),
    unread: [...new Set(contract.unread)].sort(),
  } as unknown as Json) as unknown as Contract;
}

function functionsOf(functions: readonly ContractFunction[]): readonly ContractFunction[] {
  const byName = new Map(functions.map((one) => [one.name, one] as const).toReversed());
  return [...byName.values()]
    .toSorted((left, right) => order(left.name, right.name))
    .map(({ annotations, more, ...one }) => {
      const rest = more === undefined ? {} : steady(more);
      return {
        ...one,
        ...(annotations === undefined ? {} : { annotations: steady(annotations) }),
        ...(Object.keys(rest).length === 0 ? {} : { more: rest }),
      };
    });
}

function entriesOf(entries: readonly JsonObject[], key: string): readonly JsonObject[] {
  return entries
    .map(steady)
    .toSorted(
      (left, right) =>
        order(ownText(left, key) ?? '', ownText(right, key) ?? '') ||
        order(canonicalJson(left), canonicalJson(right)),
    );
}

/** Only members of the entry itself, and of its annotations: an argument may have such a name. */
function steady(entry: JsonObject): JsonObject {
  const kept = Object.entries(entry).filter(([key]) => !VOLATILE.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'annotations' && isJsonObject(value) ? steady(value) : value]),
  );
}

function sortedByKey(value: Json): Json {
  if (Array.isArray(value)) return itemsOf(value).map(sortedByKey);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).toSorted(([left], [right]) => order(left, right));
  return Object.fromEntries(members.map(([key, one]) => [key, sortedByKey(one)]));
}

/** The same on every machine, whatever its language. */
function order(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
