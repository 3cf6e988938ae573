import { canonicalJson, type Json, ownProperty } from '../../json/json.ts';
import type { PlannedCall } from '../../model/call.ts';
import type { Answer } from '../../model/exchange.ts';
import { textsOf } from '../capabilities/descriptor.ts';
import type { JsonAnswer } from '../define-check.ts';
import { differDistinctively, essenceOf, type Leaf, leavesOf, payloadOf } from './answer-essence.ts';
import { declaredKeys } from './declared-keys.ts';

/** An answer of a function, analysed once. */
export interface CallAnswer {
  readonly call: PlannedCall;
  readonly exchange: Answer;
  readonly value: Json;
  /** `output` or `result`; undefined in an error. */
  readonly payload: Json | undefined;
  readonly inputText: string;
  readonly essence: Json;
  readonly essenceText: string;
  /** Texts of the essence by pointer, without those in lists: other calls may have left those there. */
  readonly places: ReadonlyMap<string, string>;
  /** Texts of the input that are long enough to be recognised, by pointer. */
  readonly marks: ReadonlyMap<string, string>;
}

/** Shorter texts may be in an answer by chance. */
const MIN_MARK_CHARACTERS = 4;
/** Echoes of the input are looked for in this many texts of an answer. */
const MAX_PLACES = 1000;

export function callAnswer({ call, exchange, value }: JsonAnswer): readonly CallAnswer[] {
  if (call === null) return [];
  const essence = essenceOf(exchange) ?? null;
  const textsIn = (value: Json, fits: (text: string, leaf: Leaf) => boolean) =>
    leavesOf(value).flatMap((leaf): [string, string][] =>
      typeof leaf.value === 'string' && fits(leaf.value, leaf) ? [[leaf.pointer, leaf.value]] : [],
    );
  const texts = textsIn(essence, (_, { inList }) => !inList);
  const marks = textsIn(call.input, (text) => text.length >= MIN_MARK_CHARACTERS);
  return [
    {
      call,
      exchange,
      value,
      payload: payloadOf(exchange),
      inputText: canonicalJson(call.input),
      essence,
      essenceText: canonicalJson(essence),
      places: new Map(texts.slice(0, MAX_PLACES)),
      marks: new Map(marks),
    },
  ];
}

/** What is known about one function: its answers, and which parts of them depend on the input. */
export type ObservedFunction = ReturnType<typeof observeFunction>;

/** A text of the input is repeated at this pointer of every answer to a call that was made alone. */
interface Echo {
  readonly inputPointer: string;
  readonly pointer: string;
}

export function observeFunction(
  name: string,
  all: Readonly<Record<'alone' | 'together' | 'first' | 'others', readonly CallAnswer[]>>,
  descriptor: Json | undefined,
) {
  const isOwn = ({ call }: CallAnswer): boolean => call.functionName === name;
  const [alone, together] = [all.alone.filter(isOwn), all.together.filter(isOwn)];
  const lone = [...alone, ...all.others.filter(isOwn)];
  const returns = ownProperty(descriptor, 'returns');
  const declared = returns === undefined ? null : declaredKeys(returns);
  const outputs = textsOf(ownProperty(descriptor, 'outputs'));
  const known = new Set([...outputs, ...(declared?.anywhere ?? [])]);
  const isOpen = known.size === 0 || declared?.isOpen === true;
  return {
    name,
    alone,
    together,
    first: all.first.find(isOwn),
    /** Its answers to calls that did not overlap with other calls of it. */
    lone,
    /** The declared top-level keys of its answers. */
    declaredKeys: [...outputs, ...(declared?.always ?? [])].sort(),
    /** All top-level keys that it may answer with; null if unknown: it declares none, or it was never called alone. */
    ownKeys:
      lone.length === 0 || isOpen
        ? null
        : new Set([...known, ...lone.flatMap(({ payload }) => Object.keys(payload ?? {}))]),
    /** Its answers depend only on the input, and contain nothing that other calls sent. */
    repeatable: isRepeatable(alone, together),
    echoes: echoesOf(alone),
  };
}

const MIN_DIFFERENT_ANSWERS = 3;

/** The same input gets the same answer, and three inputs get three answers that do not differ by chance. */
function isRepeatable(alone: readonly CallAnswer[], together: readonly CallAnswer[]): boolean {
  const all = [...alone, ...together];
  const different = alone.filter(
    (answer, index) => alone.findIndex(({ inputText }) => inputText === answer.inputText) === index,
  );
  return (
    different.length >= MIN_DIFFERENT_ANSWERS &&
    different.every((answer) => {
      const same = alone.filter(({ inputText }) => inputText === answer.inputText);
      return same.length > 1 && same.every(({ essenceText }) => essenceText === answer.essenceText);
    }) &&
    different.every((answer) =>
      different.every((other) => other === answer || differDistinctively(answer.essence, other.essence)),
    ) &&
    !alone.some((answer) => showsOthers(answer, all))
  );
}

function showsOthers({ essenceText, marks }: CallAnswer, others: readonly CallAnswer[]): boolean {
  const own = [...marks.values()];
  return others.some((other) =>
    [...other.marks.values()].some((mark) => !own.includes(mark) && essenceText.includes(escaped(mark))),
  );
}

/** The text as it is written in a JSON string. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function echoesOwn({ marks, places }: CallAnswer, { inputPointer, pointer }: Echo): boolean {
  const mark = marks.get(inputPointer);
  return mark !== undefined && places.get(pointer)?.includes(mark) === true;
}

function echoesOf(alone: readonly CallAnswer[]): readonly Echo[] {
  const pointers = new Set(alone.flatMap(({ marks }) => [...marks.keys()]));
  return [...pointers].flatMap((inputPointer) => {
    const marked = alone.filter(({ marks }) => marks.has(inputPointer));
    const [first] = marked;
    if (first === undefined || new Set(marked.map(({ inputText }) => inputText)).size < 2) return [];
    return [...first.places.keys()]
      .map((pointer): Echo => ({ inputPointer, pointer }))
      .filter((echo) => marked.every((answer) => echoesOwn(answer, echo)));
  });
}
