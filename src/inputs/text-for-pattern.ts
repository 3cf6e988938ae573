import type { AST } from '@eslint-community/regexpp';
import { compilePattern, parsePattern } from '../checks/json-schema/patterns.ts';

/** Returns a whole number from 0 to below the given one. */
export type Random = (below: number) => number;

export interface TextBounds {
  readonly least: number;
  readonly most: number;
}

/** Each attempt lengthens repetitions by one, which some patterns need for the minimum length. */
const MAX_ATTEMPTS = 24;

/** A text that an ECMAScript pattern matches, or null if none was found. Pure: the same numbers make the same text. */
export function textMatching(source: string, random: Random, { least, most }: TextBounds): string | null {
  const ast = parsePattern(source)?.ast;
  if (ast === undefined) return null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const left = { elements: MAX_ELEMENTS };
    const text = textOf(ast.alternatives, { random, longer: attempt, groups: new Map(), left });
    if (left.elements < 0) return null;
    const length = [...text].length;
    if (length < least || length > most) continue;
    if (matchesPattern(text, source)) return text;
  }
  return null;
}

export function matchesPattern(text: string, source: string): boolean {
  const compiled = compilePattern(source);
  return compiled.kind === 'usable' && compiled.pattern.match(text, () => undefined).kind === 'match';
}

interface Making {
  readonly random: Random;
  readonly longer: number;
  /** The text of each group, for back references. */
  readonly groups: Map<AST.CapturingGroup, string>;
  readonly left: { elements: number };
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
      return oneOf(charactersOf(element), making.random);
    case 'CharacterClass':
      return oneOf(charactersInClass(element), making.random);
    case 'CapturingGroup': {
      const text = textOf(element.alternatives, making);
      making.groups.set(element, text);
      return text;
    }
    case 'Group':
      return textOf(element.alternatives, making);
    case 'Quantifier': {
      const count = Math.min(element.max, element.min + making.longer, MAX_REPEATS);
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

function oneOf(characters: readonly string[], random: Random): string {
  return characters[random(Math.max(1, characters.length))] ?? '';
}

function charactersOf(set: AST.CharacterSet): readonly string[] {
  const accepts = accepting(set.raw);
  const usual = [...LETTERS, ...LETTERS.toUpperCase(), ...DIGITS].filter(accepts);
  if (set.kind === 'any' || usual.length > 0) return usual;
  return [...USUAL, ' ', 'é', 'ß', '東'].filter(accepts);
}

/** Whether a part of a pattern that stands for one character accepts it. */
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
