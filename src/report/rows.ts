import { worst } from '../judge/worst.ts';
import {
  type BaselineProblem,
  type Judgement,
  neededOf,
  type ReportedFinding,
  type Row,
  type UndecidedCause,
  type Verdict,
} from '../model/judgement.ts';
import { failingLevel, type RunSettings, type Summary, type TestResult } from '../model/report.ts';
import { isAtLeast, type Level, levelFor, severityOf } from '../model/requirement.ts';
import type { KnownForm } from '../run/state/record.ts';
import type { PlannedRequirement } from '../run/steps/selection.ts';
import { groupedBy } from '../text/grouped-by.ts';
import { againCommand } from './again-command.ts';
import { fingerprintOf, identityInReport } from './fingerprint.ts';

/** Every planned requirement exactly once, with the outcome of all its judgements. Pure. */
export function buildRows(
  planned: ReadonlyMap<string, PlannedRequirement>,
  judgements: readonly Judgement[],
  form: KnownForm,
): readonly Row[] {
  const byRequirement = groupedBy(judgements, ({ requirement }) => requirement);
  const hindranceOf = hindrancesIn(byRequirement);
  return [...planned.values()].map(({ id, level, spec, text }): Row => {
    const own = byRequirement.get(id) ?? [];
    const ownLevel = own[0]?.level ?? levelFor(level, form.form);
    const base = { id, level: ownLevel, spec, ...(text === '' ? {} : { text }) };
    const passing = new Set(
      own.filter(({ finding }) => finding.outcome === 'passed').map(({ subject }) => subject),
    );
    // What is open for one function takes nothing from what the answers of others showed. Coverage says what was not
    // exercised, and the row that failed says the rest, if it is in the run.
    const isGap = (one: Judgement): boolean => {
      const hindrance = hindranceOf(one);
      if (hindrance === 'not-exercised') return true;
      return (
        hindrance === 'failed' &&
        one.finding.outcome === 'blocked' &&
        one.finding.blockedBy !== id &&
        planned.has(one.finding.blockedBy) &&
        one.subject !== null &&
        !passing.has(one.subject)
      );
    };
    const judged = passing.size === 0 ? own : own.filter((one) => !isGap(one));
    const finding = worst(judged.map((judgement) => judgement.finding));
    if (finding === undefined)
      return { ...base, outcome: 'undecided', because: 'cut-short', reason: NOT_JUDGED };
    const decided = decidedOn(own, finding.outcome);
    switch (finding.outcome) {
      case 'inapplicable':
        return { ...base, outcome: 'inapplicable', reason: finding.message };
      case 'passed':
      case 'failed':
        return { ...base, outcome: finding.outcome, ...(decided === null ? {} : { decidedOn: decided }) };
      default: {
        const because = gravest(judged.map(hindranceOf));
        return {
          ...base,
          outcome: 'undecided',
          ...(because === null || because === 'failed' ? {} : { because }),
          ...(finding.outcome === 'blocked' ? { blockedBy: finding.blockedBy } : {}),
        };
      }
    }
  });
}

/** Why a judgement is open: a requirement that it needs failed, or a cause; null if it is decided, or nothing says why. */
type Hindrance = 'failed' | UndecidedCause;
const GRAVEST_FIRST: readonly Hindrance[] = ['failed', 'cut-short', 'turned-away', 'not-exercised'];

function gravest(all: readonly (Hindrance | null)[]): Hindrance | null {
  return GRAVEST_FIRST.find((one) => all.includes(one)) ?? null;
}

/** What is blocked has the cause of what blocks it, for the same subject, else for the server, else for all. */
function hindrancesIn(
  byRequirement: ReadonlyMap<string, readonly Judgement[]>,
): (judgement: Judgement) => Hindrance | null {
  const known = new Map<string, Hindrance | null>();
  const ofRequirement = (requirement: string, subject: string | null): Hindrance | null => {
    const key = JSON.stringify([requirement, subject]);
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    // Where requirements block each other, nothing else says why.
    known.set(key, null);
    const all = byRequirement.get(requirement) ?? [];
    const of = (about: string | null): readonly Judgement[] => all.filter((one) => one.subject === about);
    const found =
      [of(subject), of(null), all]
        .map((some) => gravest(some.map(hindranceOf)))
        .find((one) => one !== null) ?? null;
    known.set(key, found);
    return found;
  };
  const hindranceOf = ({ finding, subject }: Judgement): Hindrance | null => {
    switch (finding.outcome) {
      case 'failed':
        return 'failed';
      case 'undecided':
        return finding.because;
      case 'blocked':
        return ofRequirement(finding.blockedBy, subject);
      default:
        return null;
    }
  };
  return hindranceOf;
}

const NOT_JUDGED = 'nothing was judged: a defect of the harness';

/** How many of the functions that a requirement is about showed its outcome. */
function decidedOn(
  own: readonly Judgement[],
  outcome: Judgement['finding']['outcome'],
): NonNullable<Row['decidedOn']> | null {
  const about = own.filter(({ subject, finding }) => subject !== null && finding.outcome !== 'inapplicable');
  const outcomes = groupedBy(about, ({ subject }) => subject);
  if (outcomes.size === 0) return null;
  const functions = [...outcomes.values()].filter((all) =>
    all.some(({ finding }) => finding.outcome === outcome),
  ).length;
  return { functions, of: outcomes.size };
}

export function summarise(rows: readonly Row[], failOn: Level): Summary {
  const accepted = rows.filter((row) => row.accepted);
  const open = rows.filter((row) => !row.accepted);
  const count = (fits: (row: Row) => boolean): number => open.filter(fits).length;
  return {
    passed: count(({ outcome }) => outcome === 'passed'),
    failed: count((row) => row.outcome === 'failed' && isAtLeast(row.level, failOn)),
    warnings: count((row) => row.outcome === 'failed' && !isAtLeast(row.level, failOn)),
    inapplicable: count(({ outcome }) => outcome === 'inapplicable'),
    undecided: count(({ outcome }) => outcome === 'undecided'),
    ...(accepted.length === 0 ? {} : { accepted: accepted.length }),
  };
}

/**
 * A run is incomplete if nothing passed, if fewer functions than needed were exercised, or if something is undecided for
 * another reason than that a function was not exercised. A warning is enough where the user selected requirements: one of
 * them was decided.
 */
export function verdictOf(
  { results, summary, coverage }: Pick<TestResult, 'results' | 'summary' | 'coverage'>,
  { only }: Pick<RunSettings, 'only'>,
  problems: readonly BaselineProblem[] = [],
): Verdict {
  if (summary.failed > 0 || problems.length > 0) return 'fail';
  const isOpen = results.some(
    ({ outcome, because, accepted }) =>
      outcome === 'undecided' && because !== 'not-exercised' && accepted === undefined,
  );
  const isCovered = coverage === undefined || coverage.exercised >= coverage.needed;
  const decided = summary.passed + (only.length === 0 ? 0 : summary.warnings);
  return isOpen || !isCovered || decided === 0 ? 'incomplete' : 'pass';
}

/** What a finding received if no answer came in time. */
const LATE = 'none: timeout';

/** The result with the summary, the needed coverage and the verdict that follow from its rows and its baseline. */
export function concluded(result: TestResult): TestResult {
  const { results, settings, coverage, baseline } = result;
  const summary = summarise(results, failingLevel(settings));
  const wanted = coverage === undefined ? 0 : coverage.listed - coverage.excluded;
  const covered =
    coverage === undefined
      ? {}
      : { coverage: { ...coverage, needed: neededOf(wanted, settings.minCoverage, baseline?.exercised) } };
  const verdict = verdictOf({ results, summary, ...covered }, settings, baseline?.problems);
  return { ...result, verdict, summary, ...covered };
}

/** Failed and undecided judgements of the planned requirements; the same finding on a repeated answer counts once. */
export function buildFindings(
  planned: ReadonlyMap<string, PlannedRequirement>,
  judgements: readonly Judgement[],
  targetUrl: string,
  settings: RunSettings,
): readonly ReportedFinding[] {
  const seen = new Set<string>();
  return judgements.flatMap((judgement): readonly ReportedFinding[] => {
    const { requirement: id, subject, level, spec, why, fix, finding, where, request, curl } = judgement;
    if (!planned.has(id) || (finding.outcome !== 'failed' && finding.outcome !== 'undecided')) return [];
    const { outcome, message, expected, received, pointer, fault, advice } = finding;
    const identity = identityInReport(id, finding, where);
    if (seen.has(identity)) return [];
    seen.add(identity);
    return [
      {
        id,
        level,
        severity: severityOf(level, failingLevel(settings)),
        outcome,
        ...(finding.outcome === 'undecided' ? { because: finding.because } : {}),
        subject,
        message,
        expected,
        received,
        where: pointer === undefined ? where : { ...where, pointer },
        request,
        curl,
        check: againCommand(id, targetUrl, settings, {
          isLate: received === LATE,
          failOn: outcome === 'failed' ? level : 'MUST',
        }),
        why,
        fix: advice ?? fix,
        spec,
        fault,
        fingerprint: fingerprintOf({ id, outcome, message, expected, received, where, pointer }),
      },
    ];
  });
}
