import { worst } from '../judge/worst.ts';
import type { BaselineProblem } from '../model/baseline.ts';
import { groupedBy } from '../model/grouped-by.ts';
import type { Judgement, Origin, ReportedFinding, Row, Verdict } from '../model/judgement.ts';
import { failingLevel, type RunSettings, type Summary } from '../model/report.ts';
import { isAtLeast, type Level, levelFor, severityOf } from '../model/requirement.ts';
import type { KnownForm } from '../run/record.ts';
import type { PlannedRequirement } from '../run/selection.ts';
import { type AgainSettings, againCommand } from './again-command.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Every planned requirement exactly once, with the outcome of all its judgements. Pure. */
export function buildRows(
  planned: ReadonlyMap<string, PlannedRequirement>,
  judgements: readonly Judgement[],
  form: KnownForm,
  originOfRow: (requirement: string) => Origin | null = () => null,
): readonly Row[] {
  const byRequirement = groupedBy(judgements, ({ requirement }) => requirement);
  const open = new Set(
    judgements.flatMap(({ requirement, finding: { outcome } }) =>
      outcome === 'failed' || outcome === 'undecided' ? [requirement] : [],
    ),
  );
  // What is open for one function is said once, by the row that is its cause; it takes nothing from what the answers of
  // others showed. Without that row in the run, nothing else would say it.
  const isGap = ({ finding, where, requirement }: Judgement): boolean =>
    finding.outcome === 'blocked' &&
    where.function !== undefined &&
    finding.blockedBy !== requirement &&
    planned.has(finding.blockedBy) &&
    open.has(finding.blockedBy);
  return [...planned.values()].map(({ id, level, spec, text }): Row => {
    const own = byRequirement.get(id) ?? [];
    const origin = originOfRow(id);
    const base = {
      id,
      level: own[0]?.level ?? levelFor(level, form.form),
      spec,
      ...(text === '' ? {} : { text }),
      ...(origin === null ? {} : { origin }),
    };
    const passing = new Set(
      own.filter(({ finding }) => finding.outcome === 'passed').map(({ where }) => where.function),
    );
    const judged = own.filter((one) => passing.size === 0 || passing.has(one.where.function) || !isGap(one));
    const finding = worst(judged.map((judgement) => judgement.finding));
    if (finding === undefined)
      return { ...base, outcome: 'undecided', reason: 'nothing was judged: a defect of the harness' };
    if (finding.outcome === 'blocked') return { ...base, outcome: 'blocked', blockedBy: finding.blockedBy };
    if (finding.outcome === 'inapplicable')
      return { ...base, outcome: 'inapplicable', reason: finding.message };
    return { ...base, outcome: finding.outcome };
  });
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
    blocked: count(({ outcome }) => outcome === 'blocked'),
    undecided: count(({ outcome }) => outcome === 'undecided'),
    ...(accepted.length === 0 ? {} : { accepted: accepted.length }),
  };
}

/** A run with an undecided requirement, or without a passed one, is never a pass. */
export function verdictOf(summary: Summary, problems: readonly BaselineProblem[] = []): Verdict {
  if (summary.failed > 0 || problems.length > 0) return 'fail';
  return summary.blocked > 0 || summary.undecided > 0 || summary.passed === 0 ? 'incomplete' : 'pass';
}

/** Failed and undecided judgements of the planned requirements; the same finding on a repeated answer counts once. */
export function buildFindings(
  planned: ReadonlyMap<string, PlannedRequirement>,
  judgements: readonly Judgement[],
  targetUrl: string,
  settings: AgainSettings & Pick<RunSettings, 'failOn'>,
): readonly ReportedFinding[] {
  const seen = new Set<string>();
  return judgements.flatMap(
    ({ requirement, level, spec, why, fix, finding, where, request, curl }): readonly ReportedFinding[] => {
      if (!planned.has(requirement) || (finding.outcome !== 'failed' && finding.outcome !== 'undecided'))
        return [];
      const { outcome, message, expected, received, pointer, fault, advice } = finding;
      const identity = JSON.stringify([
        requirement,
        where.step,
        where.line,
        where.function,
        where.case,
        outcome,
        message,
        pointer,
      ]);
      if (seen.has(identity)) return [];
      seen.add(identity);
      return [
        {
          id: requirement,
          level,
          severity: severityOf(level, failingLevel(settings)),
          outcome,
          message,
          expected,
          received,
          where: pointer === undefined ? where : { ...where, pointer },
          request,
          curl,
          check: againCommand(requirement, targetUrl, settings),
          why,
          fix: advice ?? fix,
          spec,
          fault,
          fingerprint: fingerprintOf({
            id: requirement,
            outcome,
            message,
            expected,
            received,
            where,
            pointer,
          }),
        },
      ];
    },
  );
}
