import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonPointer,
  jsonTypeOf,
  ownProperty,
  pointerSteps,
  showJson,
} from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { isMessage } from '../../wires/mcp/answer.ts';
import { defineCheck } from '../define-check.ts';
import { resolveLocalReference } from '../json/local-reference.ts';
import { type ExploredCall, exploredCalls } from './explored-calls.ts';

export const sameKind = defineCheck(
  'step',
  'same-kind',
  'a function that only reads answers the same valid input every time with a result of the same JSON types, or every time with an error',
  ({ asked }) => {
    const calls = exploredCalls(asked).filter(({ mayBeFromProxy }) => !mayBeFromProxy);
    const groups = groupedBy(calls, ({ functionName, inputText }) => `${functionName} ${inputText}`);
    const repeated = [...groups.values()].filter((group) => group.length > 1);
    if (repeated.length === 0) return inapplicable('no input was sent twice: exploring ended before');
    const worst = new Map<string, Difference>();
    for (const group of repeated) {
      const found = differenceIn(group);
      if (found === null) continue;
      const before = worst.get(found.later.functionName);
      if (before === undefined || found.later.inputText.length < before.later.inputText.length)
        worst.set(found.later.functionName, found);
    }
    if (worst.size === 0) return passed;
    return [...worst.values()].map(({ first, later, words }) =>
      failed({
        message: `"${later.functionName}" answers the same input in two ways: ${words}`,
        expected: `the kind of the first answer: ${shown(first)}`,
        received: shown(later),
        exchangeKey: later.exchange.request.key,
      }),
    );
  },
);

interface Difference {
  readonly first: ExploredCall;
  readonly later: ExploredCall;
  readonly words: string;
}

/** The first later answer of another kind than the first one. */
export function differenceIn([first, ...others]: readonly ExploredCall[]): Difference | null {
  if (first === undefined) return null;
  for (const later of others) {
    const [was, is] = [first.isServed, later.isServed];
    if (was !== is) {
      const words = was ? 'a result, then an error' : 'an error, then a result';
      return { first, later, words };
    }
    const pointer = otherTypeAt(first.result ?? null, later.result ?? null, '');
    if (pointer !== null && !mayBeOfSeveralTypes(first.descriptor, pointer))
      return { first, later, words: `another JSON type at ${pointer || 'the result'}` };
  }
  return null;
}

/** The pointer of the first value whose JSON type differs. Null stands for no value, and keys may be left out. */
function otherTypeAt(one: Json, other: Json, pointer: string): string | null {
  const [left, right] = [jsonTypeOf(one), jsonTypeOf(other)];
  if (left === 'null' || right === 'null') return null;
  if (left !== right) return pointer;
  if (Array.isArray(one) && Array.isArray(other))
    return otherTypeAt(one[0] ?? null, other[0] ?? null, `${pointer}/0`);
  for (const [key, value] of isJsonObject(one) ? Object.entries(one) : []) {
    const found = otherTypeAt(value, ownProperty(other, key) ?? null, pointer + jsonPointer([key]));
    if (found !== null) return found;
  }
  return null;
}

/** Whether `returns` declares several types for the value. */
function mayBeOfSeveralTypes(descriptor: Json, pointer: string): boolean {
  const root = ownProperty(descriptor, 'returns') ?? {};
  let schema: Json | undefined = root;
  for (const name of pointerSteps(pointer)) {
    const { properties, items } = declared(schema, root);
    schema = ownProperty(properties, name) ?? (/^\d+$/.test(name) ? items : undefined);
  }
  const { type, anyOf, oneOf } = declared(schema, root);
  return [type, anyOf, oneOf].some((one) => Array.isArray(one) && one.length > 1);
}

function declared(schema: Json | undefined, root: Json): JsonObject {
  const reference = ownProperty(schema, '$ref');
  const resolved = typeof reference === 'string' ? resolveLocalReference(root, reference) : schema;
  return isJsonObject(resolved) ? resolved : {};
}

function shown({ exchange, kind, result }: ExploredCall): string {
  if (result !== undefined) return showJson(result);
  return `an error with ${isMessage(exchange) ? kind : `status ${kind}`}`;
}
