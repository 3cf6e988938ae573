import { checks } from '../../src/generated/checks.ts';
import type { Suite } from '../../src/model/suite.ts';
import { pickers } from '../../src/pickers/index.ts';
import { parseSuites, type SuiteSource } from '../../src/suite/language/parse-suites.ts';
import type { Catalogue } from '../../src/suite/language/resolve-context.ts';
import { parseProduct } from '../../src/suite/read-yaml.ts';
import {
  type Diagnostic,
  type DiagnosticCode,
  type Place,
  SuiteError,
} from '../../src/suite/yaml/diagnostic.ts';
import { schemaProblem } from '../../src/suite/yaml/schema-problem.ts';

export const product = parseProduct('server');

/** The catalogue with which the product loads suites. */
export const catalogue: Catalogue = { registry: product.registry, checks, pickers, schemaProblem };

export const FILE = 'mine.suite.yaml';

export function sourceOf(text: string, file = FILE): SuiteSource {
  return { file, text, digest: `sha256:${'0'.repeat(64)}` };
}

export function loadText(text: string, known: readonly Suite[] = [], from: Catalogue = catalogue): Suite {
  const [suite] = parseSuites([sourceOf(text)], from, known);
  if (suite === undefined) throw new Error('no suite was read');
  return suite;
}

/** The SuiteError that the work throws; the test fails without one, or with another error. */
export function suiteErrorOf(work: () => unknown): SuiteError {
  try {
    work();
  } catch (error) {
    if (error instanceof SuiteError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

export function problemsOf(work: () => unknown): readonly Diagnostic[] {
  return suiteErrorOf(work).diagnostics;
}

/** A suite with these steps, which are indented by two columns. */
export function suiteOf(steps: string): string {
  const indented = steps
    .trim()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
  return `suite: v1\nid: mine\ntitle: My own rules\nsteps:\n${indented}\n`;
}

export interface MarkedText {
  readonly text: string;
  /** The places between « and », in the order of the text. */
  readonly places: readonly Place[];
}

/** Removes the marks « and », which enclose the expected place of a message. */
export function readMarks(marked: string): MarkedText {
  const places: Place[] = [];
  let text = '';
  let start: { line: number; column: number; offset: number } | null = null;
  for (const part of marked.split(/([«»])/)) {
    if (part === '«') {
      const lines = text.split('\n');
      start = { line: lines.length, column: (lines.at(-1) ?? '').length + 1, offset: text.length };
    } else if (part === '»') {
      if (start === null) throw new Error('» without «');
      places.push({ line: start.line, column: start.column, length: text.length - start.offset });
      start = null;
    } else text += part;
  }
  return { text, places };
}

/** A mistake: a text with marks around it, and the expected message. */
export interface Mistake {
  readonly what: string;
  readonly text: string;
  readonly code: DiagnosticCode;
  /** All or part of the message. */
  readonly says: string;
  readonly suggests: string;
}

/** Code, place and texts of a diagnostic, in a form that is readable when a test fails. */
export function summaryOf({ code, place, message, suggestion }: Diagnostic) {
  return {
    code,
    at: `${place.line}:${place.column}`,
    underlined: place.length,
    says: message,
    suggests: suggestion,
  };
}

export function expectedSummaries(
  { text, code, says, suggests }: Mistake,
  containing: (part: string) => unknown,
) {
  return readMarks(text).places.map((place) => ({
    code,
    at: `${place.line}:${place.column}`,
    underlined: place.length,
    says: containing(says),
    suggests: containing(suggests),
  }));
}
