import type { AST } from '@eslint-community/regexpp';
import { compilePattern, parsePattern } from '../checks/json-schema/patterns.ts';

/** Returns a whole number from 0 to below the given one. */
export type Random = (below: number) => number;

export interface TextBounds {
  readonly least: number;
  readonly most: number;
}

/** The steps that making and matching may still take, for all texts that are made together. */
export interface MatchingBudget {
  steps: number;
}

const MAX_STEPS = 1_000_000;

export function matchingBudget(): MatchingBudget {
  return { steps: MAX_STEPS };
}

/** A text that an ECMAScript pattern matches, or null if none was found. Pure: the same numbers make the same text. */
export function textMatching(
  source: string,
  random: Random,
  bounds: TextBounds,
  budget = matchingBudget(),
): string | null {
  return textsMatching(source, bounds, budget)(random);
}

/** The same for several texts of one pattern, which is parsed and compiled once. */
export function textsMatching(
  source: string,
  { least, most }: TextBounds,
  budget: MatchingBudget,
): (random: Random) => string | null {
  const ast = parsePattern(source)?.ast;
  const compiled = compilePattern(source);
  if (ast === undefined || compiled === null) return () => null;
  const characters: Characters = new Map();
  const spend = (steps: number): void => {
    budget.steps -= steps;
  };
  const find = (random: Random, left: Making['left']): string | null => {
    const making = { random, characters, left };
    const shortest = textOf(ast.alternatives, { ...making, random: () => 0, longer: 0, groups: new Map() });
    for (const longer of repetitions(least - [...shortest].length)) {
      const text = textOf(ast.alternatives, { ...making, longer, groups: new Map() });
      if (left.elements < 0 || budget.steps < 0) return null;
      const length = [...text].length;
      if (length < least || length > most) continue;
      // Some patterns cannot be matched in linear time; the server can.
      if (compiled.match(text, spend).kind !== 'no match') return text;
    }
    return null;
  };
  return (random) => {
    const most = Math.min(MAX_ELEMENTS, budget.steps);
    const left = { elements: most };
    const text = find(random, left);
    spend(most - left.elements);
    return text;
  };
}

const MAX_LONGER = 8;
const MAX_SHARES = 4;

/** How many repetitions to add: few, then as many as fill the missing characters, alone or shared by several parts. */
function repetitions(missing: number): readonly number[] {
  const few = Array.from({ length: MAX_LONGER }, (_, longer) => longer);
  if (missing <= 0) return few;
  const shares = Array.from({ length: MAX_SHARES }, (_, share) => Math.ceil(missing / (share + 1)));
  return [...new Set([...few, ...shares])];
}

export function matchesPattern(text: string, source: string): boolean {
  return compilePattern(source)?.match(text, () => undefined).kind === 'match';
}

/** The characters of each class of a pattern. */
type Characters = Map<AST.CharacterSet | AST.CharacterClass, readonly string[]>;

interface Making {
  readonly random: Random;
  readonly longer: number;
  /** The text of each group, for back references. */
  readonly groups: Map<AST.CapturingGroup, string>;
  readonly left: { elements: number };
  readonly characters: Characters;
}

/** Repetitions of repetitions multiply. */
const MAX_ELEMENTS = 10_000;

function textOf(alternatives: readonly AST.Alternative[], making: Making): string {
  const chosen = alternatives[making.random(alternatives.length)];
  return (chosen?.elements ?? []).map((element) => elementText(element, making)).join('');
}

function elementText(element: AST.Element, making: Making): string {
  making.left.elements -= 1;
  if (making.left.elements < 0) return '';
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'CharacterSet':
      return oneOf(knownCharacters(element, making, charactersOf), making.random);
    case 'CharacterClass':
      return oneOf(knownCharacters(element, making, charactersInClass), making.random);
    case 'CapturingGroup': {
      const text = textOf(element.alternatives, making);
      making.groups.set(element, text);
      return text;
    }
    case 'Group':
      return textOf(element.alternatives, making);
    case 'Quantifier': {
      const count = Math.max(element.min, Math.min(element.max, element.min + making.longer, MAX_REPEATS));
      if (count > making.left.elements) making.left.elements = 0;
      if (making.left.elements <= 0) return '';
      return Array.from({ length: count }, () => elementText(element.element, making)).join('');
    }
    case 'Backreference': {
      const [group] = [element.resolved].flat();
      return group === undefined ? '' : (making.groups.get(group) ?? '');
    }
    default:
      // Assertions are checked when the whole text is matched.
      return '';
  }
}

const MAX_REPEATS = 200;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
/** Common characters, the most harmless first. */
const USUAL = [...`${LETTERS}${LETTERS.toUpperCase()}${DIGITS} -_.,@/:+#`];

function knownCharacters<T extends AST.CharacterSet | AST.CharacterClass>(
  element: T,
  { characters }: Making,
  find: (element: T) => readonly string[],
): readonly string[] {
  const found = characters.get(element) ?? find(element);
  characters.set(element, found);
  return found;
}

function oneOf(characters: readonly string[], random: Random): string {
  return characters[random(Math.max(1, characters.length))] ?? '';
}

function charactersOf(set: AST.CharacterSet): readonly string[] {
  const accepts = accepting(set.raw);
  const usual = [...LETTERS, ...LETTERS.toUpperCase(), ...DIGITS].filter(accepts);
  if (set.kind === 'any' || usual.length > 0) return usual;
  return [...USUAL, ' ', 'é', 'ß', '東'].filter(accepts);
}

function accepting(raw: string): (character: string) => boolean {
  try {
    const one = new RegExp(`^${raw}$`, 'u');
    return (character) => one.test(character);
  } catch {
    return () => false;
  }
}

const LAST_USUAL = 0x7e;
const MAX_RANGE = 64;

function charactersInClass(characterClass: AST.CharacterClass): readonly string[] {
  if (characterClass.negate) return USUAL.filter(accepting(characterClass.raw));
  return characterClass.elements.flatMap((element): readonly string[] => {
    if (element.type === 'Character') return [String.fromCodePoint(element.value)];
    if (element.type === 'CharacterSet') return charactersOf(element);
    if (element.type !== 'CharacterClassRange') return [];
    const { min, max } = element;
    const last = min.value <= LAST_USUAL ? Math.min(max.value, LAST_USUAL) : max.value;
    const count = Math.min(last - min.value + 1, MAX_RANGE);
    return Array.from({ length: count }, (_, index) => String.fromCodePoint(min.value + index));
  });
}
