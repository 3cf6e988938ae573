import type { Check } from '../../checks/define-check.ts';
import type { Json } from '../../json/json.ts';
import type { SourceLocation } from '../../model/suite.ts';
import { didYouMean, type Place } from '../yaml/diagnostic.ts';
import { SUITE_SCHEMA_KEYWORDS, unknownKeywords } from '../yaml/schema-problem.ts';
import type { Placed, Reporter } from '../yaml/shape.ts';
import { checkSelector } from './check-selector.ts';
import { hasBrokenReference, referencesIn } from './references.ts';
import type { Registry } from './registry.ts';

/** The names that suites may refer to, and a validator for schemas. */
export interface Catalogue {
  readonly registry: Registry;
  readonly checks: ReadonlyMap<string, Check>;
  readonly pickers: ReadonlyMap<string, unknown>;
  /** What is wrong with a JSON Schema (2020-12), or null. */
  readonly schemaProblem: (schema: Json) => string | null;
}

/** The suite file whose steps are resolved, and the names that are in scope. */
export class ResolveContext {
  readonly suiteId: string;
  readonly file: string;
  readonly catalogue: Catalogue;
  readonly report: Reporter;
  readonly #scope: readonly string[];

  constructor(
    suiteId: string,
    file: string,
    catalogue: Catalogue,
    report: Reporter,
    scope: readonly string[] = [],
  ) {
    this.suiteId = suiteId;
    this.file = file;
    this.catalogue = catalogue;
    this.report = report;
    this.#scope = scope;
  }

  /** The same with more names in scope. */
  with(names: readonly string[]): ResolveContext {
    const scope = [...this.#scope, ...names];
    return new ResolveContext(this.suiteId, this.file, this.catalogue, this.report, scope);
  }

  locate(place: Place): SourceLocation {
    return { file: this.file, line: place.line, column: place.column };
  }

  /** The id of a step or an assertion, which may omit the suite in which it is. */
  qualified(reference: string): string {
    return reference.includes('/') ? reference : `${this.suiteId}/${reference}`;
  }

  selector(at: Placed<string>): string {
    checkSelector(at, this.report);
    return at.value;
  }

  schema({ value, place }: Placed<Json>): Json {
    const [unknown] = unknownKeywords(value);
    const problem = unknown === undefined ? this.catalogue.schemaProblem(value) : null;
    const remedy = 'See JSON Schema 2020-12.';
    if (unknown !== undefined) {
      const message = `"${unknown}" is not a JSON Schema keyword that a suite may use`;
      this.report('bad-schema', place, message, didYouMean(unknown, SUITE_SCHEMA_KEYWORDS, remedy));
    } else if (problem !== null) this.report('bad-schema', place, `not a JSON Schema: ${problem}`, remedy);
    return value;
  }

  /** Checks the references in a text against the names in scope. */
  template({ value, place }: Placed<string>): string {
    if (hasBrokenReference(value)) {
      const message = `"${value}" contains a "\${" that is not a reference`;
      this.report('unresolved-reference', place, message, 'Write "${name}" or "${name.path}".');
    }
    for (const { root, source } of referencesIn(value)) {
      if (this.#scope.includes(root)) continue;
      const remedy =
        root === 'case'
          ? 'Give the step `cases`.'
          : didYouMean(root, this.#scope, 'Save it in a step that this one `needs`, or loop with `forEach`.');
      this.report('unresolved-reference', place, `unknown name "${root}" in ${source}`, remedy);
    }
    return value;
  }

  /** Checks the references in every text of a JSON value. */
  templates<T extends Json>({ value, place }: Placed<T>): T {
    for (const text of textsIn(value)) this.template({ value: text, place });
    return value;
  }
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value as Record<string, Json>).flatMap(textsIn);
}
