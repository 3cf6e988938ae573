import { declaredInputs } from '../checks/example-inputs.ts';
import { type Json, type JsonObject, ownProperty } from '../model/json.ts';
import {
  COMPOUNDS_OF_CHANGE,
  FOREIGN_WORDS_OF_CHANGE,
  FOREIGN_WORDS_OF_READING,
  NOUNS_OF_ARITHMETIC,
  NOUNS_OR_VERBS_OF_CHANGE,
  UNSPACED_WORDS_OF_CHANGE,
  VERBS_OF_ARITHMETIC,
  VERBS_OF_CHANGE,
  VERBS_OF_READING,
} from './words-of-change.ts';

/** Whether a call of a function changes something, as far as its descriptor says. */
export type Nature = 'reads' | 'changes' | 'unknown';

/**
 * What the descriptor says comes first (`readOnlyHint`, `destructiveHint`, as MCP's annotations or beside them), then the
 * words of the name and the description. Cautious: what is called less often is no harm. Pure.
 */
export function natureOf(descriptor: JsonObject): Nature {
  const hinted = hintedNature(descriptor);
  if (hinted !== null) return hinted;
  const name = textOf(ownProperty(descriptor, 'name'));
  const description = textOf(ownProperty(descriptor, 'description')).slice(0, MAX_DESCRIPTION_CHARACTERS);
  if (saysChangeWithoutSpaces(name, description)) return 'changes';
  const ofDescription = leadOf(description);
  const ofName = natureOfName(wordsOf(name), descriptor, ofDescription);
  if (ofName === 'changes' || goesOnToChange(description)) return 'changes';
  return ofName === 'unknown' ? ofDescription : ofName;
}

const MAX_DESCRIPTION_CHARACTERS = 300;

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function hintedNature(descriptor: JsonObject): Nature | null {
  for (const holder of [ownProperty(descriptor, 'annotations'), descriptor]) {
    const readOnly = ownProperty(holder, 'readOnlyHint');
    if (readOnly === true) return 'reads';
    if (readOnly === false || ownProperty(holder, 'destructiveHint') === true) return 'changes';
  }
  return null;
}

function natureOfName(ofName: readonly string[], descriptor: JsonObject, ofDescription: Nature): Nature {
  const [first = '', second = ''] = ofName;
  if (COMPOUNDS_OF_CHANGE.has(first + second)) return 'changes';
  if (isArithmetic(ofName, descriptor)) return 'unknown';
  if (isIn(VERBS_OF_READING, first) || FOREIGN_WORDS_OF_READING.has(first))
    // "getOrCreate" does both.
    return ofName.some(
      (word, index) => (word === 'or' || word === 'and') && isOfChange(ofName[index + 1] ?? ''),
    )
      ? 'changes'
      : 'reads';
  if (ofName.some(isOfChange)) return 'changes';
  if (!ofName.some((word) => isIn(NOUNS_OR_VERBS_OF_CHANGE, word))) return 'unknown';
  return ofDescription === 'reads' ? 'reads' : 'changes';
}

function isOfChange(word: string): boolean {
  return isIn(VERBS_OF_CHANGE, word) || FOREIGN_WORDS_OF_CHANGE.has(word);
}

/** "add" of two numbers and "addNumbers", but not "addItem". */
function isArithmetic([first = '', second = '']: readonly string[], descriptor: JsonObject): boolean {
  if (!VERBS_OF_ARITHMETIC.has(first)) return false;
  if (second !== '') return NOUNS_OF_ARITHMETIC.has(second);
  const about = wordsOf(textOf(ownProperty(descriptor, 'description')).slice(0, MAX_DESCRIPTION_CHARACTERS));
  return about.some((word) => NOUNS_OF_ARITHMETIC.has(word)) || takesNumbersOnly(descriptor);
}

function takesNumbersOnly(descriptor: JsonObject): boolean {
  const properties = ownProperty(ownProperty(descriptor, 'parameters'), 'properties');
  const names = declaredInputs(descriptor);
  return (
    names.length > 1 &&
    names.every((name) =>
      properties === undefined
        ? /^[a-z]$/.test(name)
        : ['number', 'integer'].includes(textOf(ownProperty(ownProperty(properties, name), 'type'))),
    )
  );
}

/** "Current weather of a city" says what is answered. */
const NOUN_STARTS: ReadonlySet<string> = new Set(
  'all current every how latest list most number recent today top what when where whether which who'.split(
    ' ',
  ),
);
const PASSIVE: ReadonlySet<string> = new Set(['are', 'be', 'been', 'becomes', 'gets', 'is', 'was', 'will']);

/** The word with which a description begins tells what the function does, in most languages. */
function leadOf(description: string): Nature {
  const [first = '', second = '', third = ''] = wordsOf(description);
  // In a name it gives something back; a description says so of every result.
  if (baseOf(first) === 'return' || isIn(VERBS_OF_READING, first) || FOREIGN_WORDS_OF_READING.has(first))
    return 'reads';
  if (NOUN_STARTS.has(first) && !wordsOf(description).some((word) => PASSIVE.has(word))) return 'reads';
  const isAddition =
    VERBS_OF_ARITHMETIC.has(baseOf(first)) &&
    wordsOf(description).some((word) => NOUNS_OF_ARITHMETIC.has(word));
  if (isAddition) return 'unknown';
  if (isOfChange(first) || isIn(NOUNS_OR_VERBS_OF_CHANGE, first)) return 'changes';
  return [second, third].some((word) => FOREIGN_WORDS_OF_CHANGE.has(word)) ? 'changes' : 'unknown';
}

/** "Returns the value and increments it": a verb in its third person after "and" or "then". */
function goesOnToChange(description: string): boolean {
  const found = wordsOf(description);
  return found.some(
    (word, index) =>
      ['and', 'then', 'also'].includes(found[index - 1] ?? '') &&
      word.endsWith('s') &&
      isIn(VERBS_OF_CHANGE, word),
  );
}

function saysChangeWithoutSpaces(name: string, description: string): boolean {
  const beginning = description.slice(0, MAX_UNSPACED_CHARACTERS);
  return UNSPACED_WORDS_OF_CHANGE.some((word) => name.includes(word) || beginning.includes(word));
}

const MAX_UNSPACED_CHARACTERS = 20;

function wordsOf(text: string): readonly string[] {
  return text
    .normalize('NFC')
    .replaceAll(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}

function isIn(known: ReadonlySet<string>, word: string): boolean {
  return known.has(word) || formsOf(word).some((form) => known.has(form));
}

function baseOf(word: string): string {
  return word.replace(/s$/, '');
}

/** "creates", "pays", "publishes" and "notifies". */
function formsOf(word: string): readonly string[] {
  if (!word.endsWith('s')) return [];
  return [baseOf(word), word.replace(/es$/, ''), word.replace(/ies$/, 'y')];
}
