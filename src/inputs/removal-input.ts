import { valueAt } from '../checks/json/local-reference.ts';
import { type Json, type JsonObject, jsonPointer } from '../json/json.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import { baseOf, creates, identifies, words, wordsIn } from '../text/words.ts';
import { type Consumer, learnedInputs } from './learned-inputs.ts';
import type { ObservedCall } from './observed-values.ts';

/** Fewer than those of functions that may do harm: what is called to tidy up must only do that. */
const VERBS_OF_TIDYING: ReadonlySet<string> = new Set(['delete', 'destroy', 'discard', 'erase', 'remove']);

/** Words of names that say nothing about what a function creates or deletes. */
const FILLERS: ReadonlySet<string> = words('a all an by from id in into new of on the to');
/** Members that wrap what was created. */
const WRAPPERS: ReadonlySet<string> = words('created data item output record result value');

export function removes(functionName: string): boolean {
  return VERBS_OF_TIDYING.has(wordsIn(functionName)[0] ?? '');
}

export interface Remover extends Pick<Consumer, 'descriptor' | 'producers'> {
  readonly name: string;
  readonly proven: JsonObject;
}

/**
 * The input that deletes what the call created; null unless that is certain: "deleteBook" gets the id that "addBook"
 * returned for the book. In "removeItem(cartId, itemId)", the cart is that of the call's input. Pure.
 */
export function removalInput(
  { name, proven, descriptor, producers }: Remover,
  call: ObservedCall,
  isNew: (value: Json) => boolean,
  schemas: SchemaEvaluator,
): JsonObject | null {
  if (!creates(call.functionName)) return null;
  // So that any value is another one than that of the input.
  const refused = Object.fromEntries(Object.keys(proven).map((parameter) => [parameter, null]));
  const [candidate] = learnedInputs({ descriptor, refused, onlyOwn: true, producers }, [call], schemas);
  if (candidate === undefined || Object.values(candidate.input).includes(null)) return null;
  const { learned, input } = candidate;
  const isCertain = learned.every(({ parameter, place, pointer }) => {
    if (place === 'input') return pointer === jsonPointer([parameter]);
    const value = valueAt(call.result, pointer);
    if (value === undefined || !isNew(value)) return false;
    return (
      Object.hasOwn(producers, parameter) || isIdOfNew(pointer, value, parameter, [name, call.functionName])
    );
  });
  const fromAnswer = learned.filter(({ place }) => place === 'answer').map(({ pointer }) => pointer);
  const hasOneEach = fromAnswer.length > 0 && new Set(fromAnswer).size === fromAnswer.length;
  return isCertain && hasOneEach ? input : null;
}

/** Not the id of something else ("noteId" of createOrderNote for "deleteOrder"), a count, or one of a list. */
function isIdOfNew(
  pointer: string,
  value: Json,
  parameter: string,
  [remover, creator]: readonly [string, string],
): boolean {
  const subject = subjectOf(remover);
  if (subject.join(' ') !== subjectOf(creator).join(' ')) return false;
  const keys = pointer.split('/').slice(1);
  const key = keys.at(-1);
  if (key === undefined || keys.some((one) => /^\d+$/.test(one))) return false;
  const around = keys.slice(0, -1).flatMap(basesIn);
  if (!around.every((word) => subject.includes(word) || WRAPPERS.has(word))) return false;
  const [wanted, given] = [basesIn(parameter), basesIn(key)];
  const [longer, shorter] = wanted.length > given.length ? [wanted, given] : [given, wanted];
  const qualifiers = longer.slice(0, longer.length - shorter.length);
  return (
    longer.slice(qualifiers.length).join(' ') === shorter.join(' ') &&
    qualifiers.every((word) => subject.includes(word)) &&
    (typeof value === 'string' || identifies(key))
  );
}

/** "book" of "addBook", "removeBooks" and "delete_book_by_id". */
function subjectOf(functionName: string): readonly string[] {
  const [, ...words] = wordsIn(functionName);
  return words.filter((word) => !FILLERS.has(word)).map(baseOf);
}

function basesIn(name: string): readonly string[] {
  return wordsIn(name).map(baseOf);
}
