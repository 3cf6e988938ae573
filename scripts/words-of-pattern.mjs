import { RegExpParser } from '@eslint-community/regexpp';

/** Shorter words are in almost every text. */
const MIN_CHARACTERS = 3;

/**
 * What each match of a pattern contains: the words of one of these alternatives, which are sets, with at least one word of
 * each set. In lower case; undefined if a match may have no word. Pure.
 */
export function wordsOfPattern(source) {
  const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, { unicode: true });
  const words = alternatives.flatMap(withoutGroup).map(({ elements }) => setsOf(elements));
  return words.every((sets) => sets.length > 0) ? words : undefined;
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
