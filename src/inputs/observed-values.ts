import { isJsonObject, type Json, type JsonObject, jsonPointer, jsonTypeOf } from '../json/json.ts';
import { baseOf, wordsIn } from '../text/words.ts';

/** A value that a call sent or received, which another function may need. */
export interface ObservedValue {
  readonly place: 'input' | 'answer';
  /** RFC 6901 pointer in the input or the result. */
  readonly pointer: string;
  /** The words of its key, in the singular. */
  readonly name: readonly string[];
  /** The words of the keys around it, in the singular. */
  readonly around: readonly string[];
  readonly value: Json;
}

/** A call that was answered with a result. */
export interface ObservedCall {
  readonly functionName: string;
  readonly result: Json;
  /** The call may have created what its values identify, so that this check may also change it. */
  readonly isOwn: boolean;
  readonly values: readonly ObservedValue[];
}

/** Per call: enough for what identifies something, and few enough to be compared with every parameter. */
const MAX_VALUES = 100;
const MAX_DEPTH = 5;
/** The items of a list are alike. */
const MAX_ITEMS = 2;
const MAX_CHARACTERS = 2000;

/** With the texts and numbers of the answer and of the input. Pure. */
export function observedCall(
  functionName: string,
  input: JsonObject | null,
  result: Json,
  isOwn: boolean,
): ObservedCall {
  const values: ObservedValue[] = [];
  const visit = (
    value: Json,
    at: Pick<ObservedValue, 'place' | 'pointer' | 'name' | 'around'>,
    depth: number,
  ): void => {
    if (values.length >= MAX_VALUES || depth > MAX_DEPTH) return;
    const isText = typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS;
    if (isText || jsonTypeOf(value) === 'number') {
      values.push({ ...at, value });
    } else if (Array.isArray(value)) {
      for (const [index, item] of (value as readonly Json[]).slice(0, MAX_ITEMS).entries())
        visit(item, { ...at, pointer: `${at.pointer}/${index}` }, depth + 1);
    } else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        const pointer = at.pointer + jsonPointer([key]);
        const name = wordsIn(key).map(baseOf);
        visit(inner, { ...at, pointer, name, around: [...at.around, ...at.name] }, depth + 1);
      }
    }
  };
  const around = wordsIn(functionName).map(baseOf);
  visit(result, { place: 'answer', pointer: '', name: [], around }, 0);
  visit(input ?? {}, { place: 'input', pointer: '', name: [], around }, 0);
  return { functionName, result, isOwn, values };
}
