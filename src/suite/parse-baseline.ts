import type { AcceptedFinding, Baseline } from '../model/judgement.ts';
import { areaOf } from '../model/requirement.ts';
import { DAY, isOnCalendar } from '../text/day.ts';
import { type Diagnostic, didYouMean, SuiteError } from './diagnostic.ts';
import {
  checked,
  integer,
  listOf,
  oneOf,
  optional,
  placed,
  record,
  reporterInto,
  required,
  type Shape,
  text,
} from './shape.ts';
import { parseYaml } from './yaml-tree.ts';

const REQUIREMENT = /^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/;
const FINGERPRINT = /^[0-9a-f]{16}$/;

const fingerprintText = text({ pattern: FINGERPRINT, words: 'a fingerprint: 16 digits from 0 to f' });

/** YAML reads a fingerprint of decimal digits as a number, which may lose digits. */
const fingerprint: Shape<string> = {
  ...fingerprintText,
  read: (tree, report) => {
    if (tree.kind !== 'scalar' || typeof tree.value !== 'number') return fingerprintText.read(tree, report);
    report(
      'wrong-type',
      tree.place,
      'without quotation marks this fingerprint is read as a number',
      'Put it in quotation marks.',
    );
    return undefined;
  },
};

const date = checked(text({ pattern: DAY, words: 'a date such as 2026-12-31' }), (value) =>
  isOnCalendar(value)
    ? null
    : { problem: `"${value}" is not a calendar date`, remedy: 'Write a date such as 2026-12-31.' },
);

/** Any text: a server may name a function " ". */
const functionName = text({ pattern: /[\s\S]/, words: 'the name of a function' });

const accepted = record('an accepted finding', {
  requirement: required(
    placed(text({ pattern: REQUIREMENT, words: 'the id of a requirement, such as health/status-200' })),
    'The requirement that is not met, or not decided.',
  ),
  function: optional(functionName, 'The function of the finding.'),
  outcome: optional(oneOf(['failed', 'undecided', 'blocked']), 'Outcome of the finding; default: failed.'),
  fingerprint: required(
    fingerprint,
    'Fingerprint of the finding. A finding with another fingerprint is not accepted.',
  ),
  reason: required(text(), 'Why it is accepted, for readers of the report.'),
  until: required(date, 'The last day on which it is accepted (UTC). After it, the finding fails the run.'),
  evidence: optional(text(), 'What was found when it was accepted, for people.'),
});

/** The accepted findings, probity.baseline.yaml. */
export const baselineShape = record('a baseline', {
  baseline: required(oneOf(['v1']), 'Version of the baseline.'),
  exercised: optional(
    integer(0, Number.MAX_SAFE_INTEGER),
    'How many functions were exercised when it was written: a run that exercises fewer is incomplete.',
  ),
  accepted: required(listOf(accepted), 'The accepted findings; may be empty.'),
});

/** The parts of the baseline, for the reference in the docs. */
export const baselineLanguageParts = { baseline: baselineShape, accepted } as const;

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
