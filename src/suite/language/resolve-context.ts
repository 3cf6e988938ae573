import type { Check } from '../../checks/define-check.ts';
import type { Json } from '../../json/json.ts';
import type { SourceLocation } from '../../model/suite.ts';
import { didYouMean, type Place } from '../diagnostic.ts';
import type { Registry } from '../registry.ts';
import { SUITE_SCHEMA_KEYWORDS, unknownKeywords } from '../schema-problem.ts';
import type { Placed, Reporter } from '../shape.ts';
import { checkSelector } from './check-selector.ts';
import { hasBrokenReference, referencesIn } from './references.ts';

/** The names that suites may refer to, and a validator for schemas. */
export interface Catalogue {
  readonly registry: Registry;
  readonly checks: ReadonlyMap<string, Check>;
  readonly pickers: ReadonlyMap<string, unknown>;
  /** What is wrong with a JSON Schema (2020-12), or null. */
  readonly schemaProblem: (schema: Json) => string | null;
}

/** Reports the mistakes in steps and assertions of one suite file. */
export class ResolveContext {
  readonly suiteId: string;
  readonly file: string;
  readonly catalogue: Catalogue;
  readonly report: Reporter;

  constructor(suiteId: string, file: string, catalogue: Catalogue, report: Reporter) {
    this.suiteId = suiteId;
    this.file = file;
    this.catalogue = catalogue;
    this.report = report;
  }

  locate(place: Place): SourceLocation {
    return { file: this.file, line: place.line, column: place.column };
  }

  selector(at: Placed<string>): string {
    checkSelector(at, this.report);
    return at.value;
  }

  schema(schema: Placed<Json>): Json {
    const [unknown] = unknownKeywords(schema.value);
    if (unknown !== undefined) {
      const suggestion = didYouMean(unknown, SUITE_SCHEMA_KEYWORDS, 'See JSON Schema 2020-12.');
      this.report(
        'bad-schema',
        schema.place,
        `"${unknown}" is not a JSON Schema keyword that a suite may use`,
        suggestion,
      );
      return schema.value;
    }
    const problem = this.catalogue.schemaProblem(schema.value);
    if (problem !== null)
      this.report('bad-schema', schema.place, `not a JSON Schema: ${problem}`, 'See JSON Schema 2020-12.');
    return schema.value;
  }

  /** Checks the references in a text against the names that are in scope there. */
  template(text: Placed<string>, scope: readonly string[]): string {
    if (hasBrokenReference(text.value)) {
      this.report(
        'unresolved-reference',
        text.place,
        `"${text.value}" contains a "\${" that is not a reference`,
        'Write "${name}" or "${name.path}".',
      );
    }
    for (const { root, source } of referencesIn(text.value)) {
      if (scope.includes(root)) continue;
      this.report(
        'unresolved-reference',
        text.place,
        `unknown name "${root}" in ${source}`,
        this.#missingName(root, scope),
      );
    }
    return text.value;
  }

  #missingName(root: string, scope: readonly string[]): string {
    if (root === 'case') return 'Give the step `cases`.';
    return didYouMean(root, scope, 'Save it in a step that this one `needs`, or loop with `forEach`.');
  }

  /** Checks the references in every text of a JSON value. */
  templates(value: Placed<Json>, scope: readonly string[]): Json {
    for (const text of textsIn(value.value)) this.template({ value: text, place: value.place }, scope);
    return value.value;
  }
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value as Record<string, Json>).flatMap(textsIn);
}
