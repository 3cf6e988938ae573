import { declaredInputs } from '../checks/documentation/examples-given.ts';
import { type JsonObject, ownProperty, ownText } from '../json/json.ts';
import { baseOf, words, wordsIn } from '../text/words.ts';
import {
  COMPOUNDS_OF_CHANGE,
  FOREIGN_WORDS_OF_CHANGE,
  FOREIGN_WORDS_OF_READING,
  NOUNS_OF_ARITHMETIC,
  NOUNS_OR_VERBS_OF_CHANGE,
  PARTICIPLES_OF_CHANGE,
  UNSPACED_WORDS_OF_CHANGE,
  VERBS_OF_ARITHMETIC,
  VERBS_OF_CHANGE,
  VERBS_OF_READING,
} from './words-of-change.ts';

/** Whether a call of a function changes something, according to its descriptor. */
export type Nature = 'reads' | 'changes' | 'unknown';

/**
 * The hints of the descriptor come first (`readOnlyHint`, `destructiveHint`, in MCP's annotations or beside them), then
 * the words of the name and the description. A description of a change outweighs a name that suggests reading: calling
 * a function less often does no harm. Pure.
 */
export function natureOf(descriptor: JsonObject): Nature {
  const nature = natures.get(descriptor) ?? natureInWords(descriptor);
  natures.set(descriptor, nature);
  return nature;
}

/** A cache: the nature is needed before every call, and a descriptor never changes. */
const natures = new WeakMap<JsonObject, Nature>();

function natureInWords(descriptor: JsonObject): Nature {
  const hinted = hintedNature(descriptor);
  if (hinted !== null) return hinted;
  const name = ownText(descriptor, 'name') ?? '';
  const description = startOfDescription(descriptor);
  const beginning = description.slice(0, MAX_UNSPACED_CHARACTERS);
  if (UNSPACED_WORDS_OF_CHANGE.some((word) => name.includes(word) || beginning.includes(word)))
    return 'changes';
  const ofDescription = natureOfDescription(description, descriptor);
  const ofName = natureOfName(wordsIn(name), descriptor, ofDescription);
  if (ofName === 'changes' || ofDescription === 'changes') return 'changes';
  return ofName === 'unknown' ? ofDescription : ofName;
}

const MAX_DESCRIPTION_CHARACTERS = 300;
const MAX_UNSPACED_CHARACTERS = 20;

function startOfDescription(descriptor: JsonObject): string {
  return (ownText(descriptor, 'description') ?? '').slice(0, MAX_DESCRIPTION_CHARACTERS);
}

/** What the hints of the descriptor say; null without them. */
export function hintedNature(descriptor: JsonObject): Nature | null {
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
  if (isIn(VERBS_OF_READING, first) || FOREIGN_WORDS_OF_READING.has(first)) {
    // "getOrCreate" does both.
    const doesBoth = ofName.some(
      (word, index) => isOfChange(word) && /^(or|and)$/.test(ofName[index - 1] ?? ''),
    );
    return doesBoth ? 'changes' : 'reads';
  }
  if (ofName.some(isOfChange)) return 'changes';
  if (!ofName.some((word) => isIn(NOUNS_OR_VERBS_OF_CHANGE, word))) return 'unknown';
  return ofDescription === 'reads' ? 'reads' : 'changes';
}

function isOfChange(word: string): boolean {
  return isIn(VERBS_OF_CHANGE, word) || FOREIGN_WORDS_OF_CHANGE.has(word);
}

/** True for "add" with two numbers and for "addNumbers", false for "addItem". */
function isArithmetic([first = '', second = '']: readonly string[], descriptor: JsonObject): boolean {
  if (!VERBS_OF_ARITHMETIC.has(first)) return false;
  if (second !== '') return NOUNS_OF_ARITHMETIC.has(second);
  const about = wordsIn(startOfDescription(descriptor));
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
        : ['number', 'integer'].includes(ownText(ownProperty(properties, name), 'type') ?? ''),
    )
  );
}

/** In most languages the first word shows what the function does; in English, the whole first sentence is read. */
function natureOfDescription(description: string, descriptor: JsonObject): Nature {
  const [sentence = ''] = description.split(/(?<=[.!?])\s/, 1);
  const found = wordsIn(sentence);
  const [first = '', second = '', third = ''] = found;
  if (COMPOUNDS_OF_CHANGE.has(baseOf(first) + second)) return 'changes';
  if (isArithmetic([baseOf(first)], descriptor)) return 'unknown';
  // In a name, "return" may mean to give something back; in a description it only introduces the result.
  const returns = baseOf(first) === 'return';
  if ((!returns && isOfChange(first)) || goesOnToChange(wordsIn(description)) || describesChange(found))
    return 'changes';
  if (FOREIGN_WORDS_OF_CHANGE.has(second) || FOREIGN_WORDS_OF_CHANGE.has(third)) return 'changes';
  const reads = returns || NOUN_STARTS.has(first) || FOREIGN_WORDS_OF_READING.has(first);
  if (reads || isIn(VERBS_OF_READING, first)) return 'reads';
  if (VERBS_OF_SAYING.has(baseOf(first)) && (second === '' || WORDS_AFTER_SAYING.has(second))) return 'reads';
  const isVerb = first.endsWith('s') && second !== 'of';
  return isVerb && isIn(NOUNS_OR_VERBS_OF_CHANGE, first) ? 'changes' : 'unknown';
}

/** "Says what the weather will be" sends no message. */
const VERBS_OF_SAYING: ReadonlySet<string> = words('display print report say tell');
const WORDS_AFTER_SAYING: ReadonlySet<string> = words('how if the what when where whether which who');

/** "This function deletes", "lets you book", "can be used to send", "the text is stored". */
function describesChange(found: readonly string[]): boolean {
  return found.some((word, index) => {
    const before = found[index - 1] ?? '';
    if (PASSIVE.has(before) && PARTICIPLES_OF_CHANGE.has(word)) return true;
    const isFor = before === 'to' && PURPOSES.has(found[index - 2] ?? '');
    if ((before === 'to' && VERBS_OF_CHANGE.has(word)) || (isFor && NOUNS_OR_VERBS_OF_CHANGE.has(word)))
      return true;
    return SUBJECTS.has(before) && word.endsWith('s') && isIn(VERBS_OF_CHANGE, word);
  });
}

/** "Allows you to book", "used to order". */
const PURPOSES: ReadonlySet<string> = words('callers clients customers function used users you');

/** Words before the verb, in a description that does not begin with it. */
const SUBJECTS: ReadonlySet<string> = words(
  'and call deprecated function it method permanently that then this tool which also will name text',
);

/** First words of a description of the answer: "Current weather of a city". */
const NOUN_STARTS: ReadonlySet<string> = words(
  'all current every how latest list most number recent today top what when where whether which who',
);
const PASSIVE: ReadonlySet<string> = words('are be been gets is was will');

/** "Returns the value and increments it", "Find problems and repair them". */
function goesOnToChange(found: readonly string[]): boolean {
  const isImperative = VERBS_OF_READING.has(found[0] ?? '');
  return found.some((word, index) => {
    if (!['and', 'then', 'also'].includes(found[index - 1] ?? '')) return false;
    if (isImperative && VERBS_OF_CHANGE.has(word)) return true;
    return word.endsWith('s') && (isIn(VERBS_OF_CHANGE, word) || isIn(NOUNS_OR_VERBS_OF_CHANGE, word));
  });
}

function isIn(known: ReadonlySet<string>, word: string): boolean {
  return known.has(word) || formsOf(word).some((form) => known.has(form));
}

/** "creates", "pays", "publishes" and "notifies". */
function formsOf(word: string): readonly string[] {
  if (!word.endsWith('s')) return [];
  return [baseOf(word), word.replace(/es$/, ''), word.replace(/ies$/, 'y')];
}
