import { compileSelector } from '../../json/selector.ts';
import type { Place } from '../yaml/diagnostic.ts';
import type { Placed, Reporter } from '../yaml/shape.ts';

/** Reports a text that is not a JSONPath (RFC 9535). */
export function checkSelector(at: Placed<string>, report: Reporter): void {
  const compiled = compileSelector(at.value);
  if ('problem' in compiled)
    report(
      'bad-selector',
      placeWithin(at, compiled.index),
      `"${at.value}" is not a JSONPath: ${compiled.problem}`,
      'A selector starts with "$", as in $.functions[*].name (RFC 9535).',
    );
}

/** The place of a character of a text: exact if the file contains the text unchanged, quoted or not. */
function placeWithin({ value, place }: Placed<string>, index: number): Place {
  const quotes = place.length - value.length;
  if (quotes !== 0 && quotes !== 2) return place;
  return { line: place.line, column: place.column + quotes / 2 + index, length: 1 };
}
