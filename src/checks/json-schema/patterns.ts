import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';
import { shorten } from '../../json/json.ts';
import type { Spend } from './outcome.ts';
import { alternativesText, elementsText, NotLinear } from './re2-syntax.ts';

export const MAX_PATTERN_CHARACTERS = 1000;
/** Linear time is linear in the size of the pattern as well. */
const MAX_MATCHED_CHARACTERS = 100_000;

export type PatternMatch =
  | { readonly kind: 'match' }
  | { readonly kind: 'no match' }
  | { readonly kind: 'undecided'; readonly reason: string };

/** An ECMAScript regular expression, matched in time linear in the text. */
export interface Pattern {
  readonly match: (text: string, spend: Spend) => PatternMatch;
}

const MATCH: PatternMatch = { kind: 'match' };
const NO_MATCH: PatternMatch = { kind: 'no match' };

/** Null where no engine accepts it. */
export function compilePattern(source: string): Pattern | null {
  const parsed = parsePattern(source);
  if (parsed === null) return null;
  const doubt = (reason: string): PatternMatch => ({
    kind: 'undecided',
    reason: `its pattern ${JSON.stringify(shorten(source))} ${reason}`,
  });
  // Compiled on first use, because a pattern may never be applied.
  let engine: Engine | NotLinear | null = null;
  const match = (text: string, spend: Spend): PatternMatch => {
    engine ??= engineFor(parsed.ast);
    if (engine instanceof NotLinear) return doubt(engine.message);
    if (text.length > MAX_MATCHED_CHARACTERS) {
      const reason = `a text is longer than the ${MAX_MATCHED_CHARACTERS} characters that patterns are applied to`;
      return { kind: 'undecided', reason };
    }
    if (!parsed.isUnicode && /[\ud800-\udfff]/.test(text))
      return doubt('is not valid with the flag u, and without it engines read the text differently');
    const found = engine(text, spend);
    if (found === null) return doubt('begins with a look-ahead without ^ before it');
    return found ? MATCH : NO_MATCH;
  };
  return { match };
}

interface ParsedPattern {
  readonly ast: AST.Pattern;
  readonly isUnicode: boolean;
}

/** Parses with the flag `u`, as JSON Schema requires, otherwise without it, which allows more. */
export function parsePattern(source: string): ParsedPattern | null {
  for (const isUnicode of [true, false]) {
    try {
      const ast = new RegExpParser().parsePattern(source, 0, source.length, { unicode: isUnicode });
      return { ast, isUnicode };
    } catch {
      // The pattern may be valid without the flag.
    }
  }
  return null;
}

/** Whether a text matches; null if that cannot be known. */
type Engine = (text: string, spend: Spend) => boolean | null;

function engineFor(ast: AST.Pattern): Engine | NotLinear {
  try {
    return withConditions(ast);
  } catch (error) {
    return error instanceof NotLinear ? error : new NotLinear('is too large');
  }
}

/**
 * Each look-ahead right after a leading `^` is a separate pattern that must match at the beginning of the text. Without
 * the `^`, look-aheads apply where the rest matches: the result is known only if the rest matches nowhere, or if all
 * match at the beginning.
 */
function withConditions(ast: AST.Pattern): Engine {
  const [only, ...others] = ast.alternatives;
  const elements = others.length === 0 && only !== undefined ? only.elements : [];
  const first = elements[0];
  const isAnchored = first?.type === 'Assertion' && first.kind === 'start';
  const afterStart = isAnchored ? elements.slice(1) : elements;
  const end = afterStart.findIndex((element) => !isLookAhead(element));
  const lookAheads = afterStart.slice(0, end === -1 ? afterStart.length : end).filter(isLookAhead);
  if (lookAheads.length === 0) return matcher(alternativesText(ast.alternatives));
  const rest = elementsText(afterStart.slice(lookAheads.length));
  const atStart = [
    { matches: matcher(anchored(rest)), isNegated: false },
    ...lookAheads.map(({ alternatives, negate }) => ({
      matches: matcher(anchored(alternativesText(alternatives))),
      isNegated: negate,
    })),
  ];
  const anywhere = isAnchored ? null : matcher(rest);
  return (text, spend) => {
    if (atStart.every(({ matches, isNegated }) => matches(text, spend) !== isNegated)) return true;
    return anywhere === null || anywhere(text, spend) === false ? false : null;
  };
}

function isLookAhead(element: AST.Element): element is AST.LookaheadAssertion {
  return element.type === 'Assertion' && element.kind === 'lookahead';
}

function anchored({ text }: { readonly text: string }): { readonly text: string } {
  return { text: `\\A(?:${text})` };
}

function matcher({ text: expression }: { readonly text: string }): (text: string, spend: Spend) => boolean {
  const compiled = RE2JS.compile(expression);
  const size = compiled.programSize();
  return (text, spend) => {
    // The count does not depend on what the engine does, so that it is the same every time.
    spend(1 + text.length + Math.ceil((text.length * size) / 16));
    return compiled.matcher(text).find();
  };
}
