import { shorten } from '../../json/json.ts';
import { failingLevel, type TestResult } from '../../model/report.ts';
import { isAtLeast } from '../../model/requirement.ts';
import { sourceOf } from '../../model/source-map.ts';
import { fingerprintOfProblem, lastingName } from '../fingerprint.ts';
import type { RenderedFile } from '../target-entry.ts';
import { briefLines } from '../view/finding-lines.ts';
import type { FindingView } from '../view/judgement-view.ts';
import { type ReportView, reportView } from '../view/report-view.ts';
import { uniqueFingerprints } from './unique-fingerprints.ts';

/** A Code Quality report, which GitLab shows in a merge request and in its files. */
export function renderCodequality(result: TestResult): readonly RenderedFile[] {
  return [
    { suffix: '.codequality.json', text: `${JSON.stringify(issuesOf(reportView(result)), null, 2)}\n` },
  ];
}

/** https://docs.gitlab.com/ci/testing/code_quality/: the members that GitLab reads. */
interface Issue {
  readonly description: string;
  readonly check_name: string;
  /** GitLab shows issues with the same fingerprint once, and compares branches by it. */
  readonly fingerprint: string;
  readonly severity: 'info' | 'minor' | 'major' | 'critical' | 'blocker';
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

function issuesOf(view: ReportView): readonly Issue[] {
  const { requirements, problems, needsVerdict, word, words } = view;
  // The format cannot mark an issue as accepted.
  const findings = requirements
    .flatMap((one) => one.findings)
    .filter(({ accepted }) => accepted === undefined);
  const fingerprints = uniqueFingerprints(findings);
  return [
    ...findings.map(
      (finding): Issue => ({
        description: described(briefLines(finding)),
        check_name: finding.id,
        fingerprint: fingerprints.get(finding) ?? finding.fingerprint,
        severity: severityOf(finding, view),
        location: locationOf(finding, view),
      }),
    ),
    ...problems.map(({ kind, requirement, function: functionName, name, message }) =>
      ofRun(
        described([`baseline, ${name}: ${message}`]),
        'baseline',
        fingerprintOfProblem(kind, requirement, functionName),
        'critical',
      ),
    ),
    // A list without issues looks like a pass.
    ...(needsVerdict ? [ofRun(`${word}: ${words}`, 'verdict', `verdict:${word}`, 'major')] : []),
  ];
}

function ofRun(
  description: string,
  check_name: string,
  fingerprint: string,
  severity: Issue['severity'],
): Issue {
  return { description, check_name, fingerprint, severity, location: NO_FILE };
}

/** GitLab needs a path for every issue; these two concern the run. */
const NO_FILE = { path: 'probity.config.yaml', lines: { begin: 1 } } as const;

const MAX_CHARACTERS = 1000;

/** GitLab shows it in one line. */
function described(lines: readonly string[]): string {
  return shorten(lines.join('; '), MAX_CHARACTERS);
}

/** What fails the run is critical, what leaves it undecided is major, and a warning is minor. */
function severityOf({ level, outcome }: FindingView, { settings }: ReportView): Issue['severity'] {
  if (isAtLeast(level, failingLevel(settings))) return outcome === 'failed' ? 'critical' : 'major';
  return 'minor';
}

/** Relative to the root of the repository, as GitLab requires. */
function locationOf({ id, where }: FindingView, { settings }: ReportView): Issue['location'] {
  const source = sourceOf(settings.sources, id, lastingName(where.function));
  if (source !== null) return { path: source.file, lines: { begin: source.line } };
  const { suite, line } = where;
  const path = suite.replaceAll(/\\(?!u\{)/g, '/').replace(/^\.\//, '');
  return { path: path === '' ? NO_FILE.path : path, lines: { begin: Math.max(1, line) } };
}
