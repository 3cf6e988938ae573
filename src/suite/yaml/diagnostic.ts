import { LIVE_CHARACTERS } from '../../json/visible.ts';
import { ExpectedError } from '../../model/expected-error.ts';
import { nearest } from '../../text/nearest-name.ts';
import { namesInLine } from '../../text/words.ts';

/** A position in a source text, lines and columns from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** How many columns the caret line underlines. */
  readonly length: number;
}

export type DiagnosticCode =
  | 'yaml-syntax'
  | 'yaml-version'
  | 'json-syntax'
  | 'custom-tag'
  | 'too-many-nodes'
  | 'too-deep'
  | 'file-too-large'
  | 'not-utf8'
  | 'unreadable-file'
  | 'duplicate-key'
  | 'unknown-key'
  | 'missing-key'
  | 'wrong-type'
  | 'wrong-value'
  | 'one-of-keys'
  | 'duplicate-id'
  | 'unresolved-reference'
  | 'unknown-step'
  | 'unknown-check'
  | 'unknown-picker'
  | 'unknown-requirement'
  | 'circular-needs'
  | 'bad-selector'
  | 'bad-schema'
  | 'unsupported-percentile'
  | 'expects-nothing'
  | 'unknown-document';

export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly file: string;
  readonly place: Place;
  readonly message: string;
  /** The remedy. */
  readonly suggestion: string;
}

/** One line of a file that is too long to load completely. */
export interface SourceLine {
  readonly line: number;
  readonly text: string;
}

/** All mistakes in the loaded files, in the order of the text, without duplicates. */
export class SuiteError extends ExpectedError {
  override readonly name = 'SuiteError';
  readonly diagnostics: readonly Diagnostic[];

  constructor(found: readonly Diagnostic[], texts: ReadonlyMap<string, string | SourceLine>) {
    // An alias, or a default of all steps, repeats the same mistake.
    const diagnostics = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()].sort(byPlace);
    const linesOf = new Map([...texts].map(([file, text]) => [file, linesIn(text)]));
    const sourceOf = ({ file, place }: Diagnostic) => linesOf.get(file)?.(place.line);
    super(diagnostics.map((one) => renderDiagnostic(one, sourceOf(one))).join('\n\n'));
    this.diagnostics = diagnostics;
  }
}

function linesIn(text: string | SourceLine): (line: number) => string | undefined {
  if (typeof text !== 'string') return (line) => (line === text.line ? text.text : undefined);
  const lines = text.split(/\r?\n/);
  return (line) => lines[line - 1];
}

function byPlace(left: Diagnostic, right: Diagnostic): number {
  return (
    left.file.localeCompare(right.file) ||
    left.place.line - right.place.line ||
    left.place.column - right.place.column
  );
}

const MAX_SHOWN_COLUMNS = 100;

/** `file:line:column: message [code]`, the source line with a caret, and the remedy. */
function renderDiagnostic(diagnostic: Diagnostic, source: string | undefined): string {
  const { file, place, message, code, suggestion } = diagnostic;
  const lines = [`${file}:${place.line}:${place.column}: ${message} [${code}]`];
  if (source !== undefined) {
    const number = String(place.line);
    const from = place.column > MAX_SHOWN_COLUMNS ? place.column - MAX_SHOWN_COLUMNS / 2 : 1;
    const shown = source.slice(from - 1, from - 1 + MAX_SHOWN_COLUMNS).replaceAll(LIVE_CHARACTERS, ' ');
    const indent = ' '.repeat(place.column - from);
    const carets = '^'.repeat(Math.max(1, Math.min(place.length, shown.length - (place.column - from))));
    lines.push(`  ${number} | ${shown}`, `  ${' '.repeat(number.length)} | ${indent}${carets}`);
  }
  lines.push(`  ${suggestion}`);
  return lines.join('\n');
}

export function didYouMean(name: string, known: readonly string[], otherwise: string): string {
  const close = nearest(name, known);
  if (close !== undefined) return `Did you mean "${close}"?`;
  return known.length === 0 ? otherwise : `${otherwise} Known: ${namesInLine(known, 12)}.`.trimStart();
}
