import { RegExpParser } from '@eslint-community/regexpp';

/** Shorter words are in almost every text. */
const MIN_CHARACTERS = 3;

/**
 * What each match of a pattern contains: the words of one of these alternatives, which are sets, with at least one word of
 * each set. In lower case; undefined if a match may have no word. Pure.
 */
export function wordsOfPattern(source) {
  const words = alternativesOf(source)
    .flatMap(withoutGroup)
    .map(({ elements }) => setsOf(elements));
  return words.every((sets) => sets.length > 0) ? words : undefined;
}

/**
 * Whether each match of a pattern has a character that plain text does not have: other than those of ASCII that are
 * printed, tabs and ends of lines. Pure.
 */
export function isBeyondPlain(source) {
  return alternativesOf(source).every(hasOneBeyond);
}

function alternativesOf(source) {
  return new RegExpParser().parsePattern(source, 0, source.length, { unicode: true }).alternatives;
}

/** The alternatives of a group that has nothing beside it. */
function withoutGroup(alternative) {
  const [element, ...others] = alternative.elements.filter(({ type }) => type !== 'Assertion');
  const isGroup = others.length === 0 && (element?.type === 'Group' || element?.type === 'CapturingGroup');
  return isGroup ? element.alternatives.flatMap(withoutGroup) : [alternative];
}

/** A match has all elements. */
function setsOf(elements) {
  const sets = [];
  let run = '';
  const endRun = () => {
    if (run.length >= MIN_CHARACTERS) sets.push([run]);
    run = '';
  };
  for (const element of elements) {
    if (isPlain(element)) {
      run += String.fromCodePoint(element.value).toLowerCase();
      continue;
    }
    endRun();
    const words = wordsOf(element);
    if (words !== undefined) sets.push(words);
  }
  endRun();
  return sets;
}

function wordsOf(element) {
  if (element.type === 'Quantifier') return element.min > 0 ? wordsOf(element.element) : undefined;
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return undefined;
  // A match is of one alternative, so each must have words.
  const each = element.alternatives.map(({ elements }) => rarest(setsOf(elements)));
  return each.includes(undefined) ? undefined : [...new Set(each.flat())];
}

/** The longest words are in the fewest texts. */
function rarest(sets) {
  const shortest = (words) => Math.min(...words.map(({ length }) => length));
  return sets.toSorted((one, other) => shortest(other) - shortest(one) || one.length - other.length)[0];
}

/** Other characters may have several forms in lower case. */
function isPlain({ type, value }) {
  return type === 'Character' && value >= 0x20 && value < 0x7f;
}

function hasOneBeyond({ elements }) {
  return elements.some(isOneBeyond);
}

function isOneBeyond(element) {
  switch (element.type) {
    case 'Character':
      return isOutside(element.value, element.value);
    case 'CharacterClass':
      return !element.negate && element.elements.every(isOutsideOfClass);
    case 'Quantifier':
      return element.min > 0 && isOneBeyond(element.element);
    case 'Group':
    case 'CapturingGroup':
      return element.alternatives.every(hasOneBeyond);
    default:
      return false;
  }
}

function isOutsideOfClass(part) {
  if (part.type === 'Character') return isOutside(part.value, part.value);
  return part.type === 'CharacterClassRange' && isOutside(part.min.value, part.max.value);
}

const PLAIN = [
  [0x09, 0x0a],
  [0x0d, 0x0d],
  [0x20, 0x7e],
  // Without regard to case, they match `s` and `k`.
  [0x17f, 0x17f],
  [0x212a, 0x212a],
];

function isOutside(min, max) {
  return PLAIN.every(([from, to]) => max < from || min > to);
}
