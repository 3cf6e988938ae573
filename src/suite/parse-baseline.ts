import type { AcceptedFinding, Baseline } from '../model/baseline.ts';
import { baselineShape } from './baseline-language.ts';
import { type Diagnostic, didYouMean, SuiteError } from './diagnostic.ts';
import { reporterInto } from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

/**
 * Reads a baseline; throws a SuiteError with all mistakes. An unknown id in an area of the product is a mistake; any
 * other unknown id belongs to a suite of the user. Pure.
 */
export function parseBaseline(source: string, file: string, productIds: Iterable<string>): Baseline {
  const { tree, diagnostics: syntax } = parseYaml(source, file);
  const diagnostics: Diagnostic[] = [...syntax];
  const report = reporterInto(diagnostics, file);
  const raw = tree === null ? undefined : baselineShape.read(tree, report);
  const known = new Set(productIds);
  const areas = new Set([...known].map(areaOf));
  const seen = new Map<string, number>();
  const entries = (raw?.accepted ?? []).map(
    ({ requirement: { value: requirement, place }, outcome = 'failed', ...entry }): AcceptedFinding => {
      if (areas.has(areaOf(requirement)) && !known.has(requirement))
        report(
          'unknown-requirement',
          place,
          `unknown requirement "${requirement}"`,
          didYouMean(
            requirement,
            [...known].filter((id) => areaOf(id) === areaOf(requirement)),
            '',
          ),
        );
      const identity = JSON.stringify([requirement, entry.function ?? null, outcome, entry.fingerprint]);
      const firstLine = seen.get(identity);
      if (firstLine !== undefined)
        report(
          'duplicate-id',
          place,
          `line ${firstLine} already accepts the same finding of "${requirement}"`,
          'Keep one of the two: requirement, function, outcome and fingerprint together are unique.',
        );
      else seen.set(identity, place.line);
      return {
        requirement,
        ...(entry.function === undefined ? {} : { function: entry.function }),
        outcome,
        fingerprint: entry.fingerprint,
        reason: entry.reason,
        until: entry.until,
        ...(entry.evidence === undefined ? {} : { evidence: entry.evidence }),
      };
    },
  );
  if (diagnostics.length > 0 || raw === undefined)
    throw new SuiteError(diagnostics, new Map([[file, source]]));
  const { exercised } = raw;
  return { entries, ...(exercised === undefined ? {} : { exercised }) };
}

function areaOf(id: string): string {
  return id.split('/', 1)[0] ?? id;
}
