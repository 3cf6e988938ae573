import { anyList, flag, objectWith, requireArguments, required, text } from '../../model/arguments.ts';
import type { ReportedFinding, Row } from '../../model/judgement.ts';
import { RESULT, type RunTarget, type TestResult } from '../../model/report.ts';
import { lastingName } from '../fingerprint.ts';
import { cutShortBy, generatedCallsIn, identityOfCalls, isOnGeneratedInput } from '../not-asked.ts';
import { compareChecks, type TimesCompared } from './compare-reports.ts';
import { diffRuns, type RunDifference, type RunSide, sideOf } from './diff-runs.ts';

// This folder compares results: two checks (`diffResults`), two loads (`compare-reports.ts`), or all stored results of
// each target (`trend.ts`).

export type { RunDifference } from './diff-runs.ts';

/** How the outcome of a requirement may change from one result to a later one, in the order in which it is shown. */
const ROW_CHANGES = [
  // It fails now, but did not before.
  'worse',
  'undecided-now',
  // One of the two saw less of the target.
  'not-compared',
  'new',
  'decided-now',
  // It failed, and is met now.
  'better',
  // It applies now, or no longer does, and does not fail.
  'applies-otherwise',
  'level',
  'vanished',
] as const;
type RowChangeKind = (typeof ROW_CHANGES)[number];

export interface RowChange {
  readonly kind: RowChangeKind;
  readonly id: string;
  readonly before: Pick<Row, 'outcome' | 'level' | 'accepted'> | null;
  readonly after: Pick<Row, 'outcome' | 'level' | 'accepted' | 'blockedBy' | 'reason'> | null;
  readonly findings: readonly ReportedFinding[];
  /** Why it is not compared. */
  readonly because?: string;
}

/** A finding of a requirement that fails in both results. */
export interface FindingChange {
  /** `changed`: something else is found in the same place. */
  readonly kind: 'new' | 'gone' | 'changed' | 'not-compared';
  readonly id: string;
  readonly function?: string;
  readonly before: ReportedFinding | null;
  readonly after: ReportedFinding | null;
  /** Why it is not compared. */
  readonly because?: string;
}

export interface ResultDiff {
  readonly before: RunSide;
  readonly after: RunSide;
  readonly sameTarget: boolean;
  /** Other differences, which may be the cause. */
  readonly runs: readonly RunDifference[];
  readonly rows: readonly RowChange[];
  readonly findings: readonly FindingChange[];
  readonly latency: TimesCompared;
  /** A requirement newly fails, a finding is new, or the target no longer answers. */
  readonly isWorse: boolean;
  readonly isBetter: boolean;
  /** By response times alone. Reported separately, because a slower machine has the same effect. */
  readonly isSlower: boolean;
  readonly isFaster: boolean;
}

const SIDE = required(
  objectWith<RunSide>('a side', {
    startedAt: required(text),
    verdict: required(text),
    target: required(objectWith<RunTarget>('a target', { url: required(text) })),
  }),
);

export const RESULT_DIFF = required(
  objectWith<ResultDiff>('a result of diffResults', {
    before: SIDE,
    after: SIDE,
    sameTarget: required(flag),
    runs: required(anyList),
    rows: required(anyList),
    findings: required(anyList),
    latency: required(
      objectWith<ResultDiff['latency']>('the comparison of response times', {
        moved: required(anyList),
        notes: required(anyList),
      }),
    ),
  }),
);

/**
 * Compares a result with a later one. Pure.
 *
 * @throws OptionError when one of them is not a test result
 */
export function diffResults(before: TestResult, after: TestResult): ResultDiff {
  requireArguments('diffResults', { before, after }, { before: RESULT, after: RESULT });
  const why = whyUnseen(before, after);
  const rows = diffRows(before, after).map((row): RowChange => {
    const because = why(SEEMING[row.kind], failuresOf(before, row.id));
    return because === null ? row : { ...row, kind: 'not-compared', because };
  });
  const findings = diffFindings(before, after).map((change): FindingChange => {
    const because = why(SEEMING_OF_FINDING[change.kind], change.before === null ? [] : [change.before]);
    return because === null ? change : { ...change, kind: 'not-compared', because };
  });
  const latency = compareChecks(before, after);
  const has = (kind: RowChangeKind): boolean => rows.some((row) => row.kind === kind);
  return {
    before: sideOf(before),
    after: sideOf(after),
    sameTarget: before.target.url === after.target.url,
    runs: diffRuns(before, after),
    rows,
    findings,
    latency,
    isWorse:
      has('worse') || findings.some(({ kind }) => kind === 'new') || (before.reachable && !after.reachable),
    isBetter:
      has('better') || findings.some(({ kind }) => kind === 'gone') || (!before.reachable && after.reachable),
    isSlower: latency.moved.some(({ outcome }) => outcome === 'worse'),
    isFaster: latency.moved.some(({ outcome }) => outcome === 'better'),
  };
}

/** What a check that asked for less may cause: that something is no longer found, or found for the first time. */
type Seeming = 'fixed' | 'broken' | 'either' | 'neither';

const SEEMING: Readonly<Partial<Record<RowChangeKind, Seeming>>> = {
  better: 'fixed',
  worse: 'broken',
  'applies-otherwise': 'either',
};
const SEEMING_OF_FINDING: Readonly<Partial<Record<FindingChange['kind'], Seeming>>> = {
  gone: 'fixed',
  new: 'broken',
};

/** Why a change may only come from what one of the two did not ask for; null if both asked for enough. */
function whyUnseen(before: TestResult, after: TestResult) {
  const [cutBefore, cutAfter] = [cutShortBy(before), cutShortBy(after)];
  const identityOf = identityOfCalls(before.exchanges);
  const made = generatedCallsIn(after);
  const wasNotMade = (finding: ReportedFinding): boolean =>
    isOnGeneratedInput(finding) && !made.has(identityOf(finding.where.exchange ?? '') ?? '');
  return (seeming: Seeming = 'neither', was: readonly ReportedFinding[] = []): string | null => {
    if (seeming === 'neither') return null;
    if (seeming !== 'broken' && cutAfter !== null) return `the newer check ${cutAfter}`;
    if (seeming !== 'fixed' && cutBefore !== null) return `the older check ${cutBefore}`;
    return was.length > 0 && was.every(wasNotMade) ? 'the generated input that showed it was not sent' : null;
  };
}

function diffRows(before: TestResult, after: TestResult): readonly RowChange[] {
  const earlier = new Map(before.results.map((row) => [row.id, row]));
  const later = new Map(after.results.map((row) => [row.id, row]));
  const ids = [...new Set([...earlier.keys(), ...later.keys()])];
  return ids
    .flatMap((id): readonly RowChange[] => {
      const [from, to] = [earlier.get(id), later.get(id)];
      const kind = kindOf(from, to);
      if (kind === null) return [];
      return [
        {
          kind,
          id,
          before: from === undefined ? null : brief(from),
          after: to === undefined ? null : { ...brief(to), ...reasonOf(to) },
          findings: after.findings.filter((finding) => finding.id === id),
        },
      ];
    })
    .toSorted((left, right) => ROW_CHANGES.indexOf(left.kind) - ROW_CHANGES.indexOf(right.kind));
}

function kindOf(from: Row | undefined, to: Row | undefined): RowChangeKind | null {
  if (from === undefined) return 'new';
  if (to === undefined) return 'vanished';
  const [was, is] = [from.outcome, to.outcome];
  if (was === is) return from.level === to.level ? null : 'level';
  if (is === 'undecided') return 'undecided-now';
  if (was === 'undecided') return 'decided-now';
  if (is === 'failed') return 'worse';
  return was === 'failed' && is === 'passed' ? 'better' : 'applies-otherwise';
}

function brief({ outcome, level, accepted }: Row): NonNullable<RowChange['before']> {
  return { outcome, level, ...(accepted ? { accepted } : {}) };
}

function reasonOf({ blockedBy, reason }: Row): Pick<Row, 'blockedBy' | 'reason'> {
  return { ...(blockedBy === undefined ? {} : { blockedBy }), ...(reason === undefined ? {} : { reason }) };
}

function diffFindings(before: TestResult, after: TestResult): readonly FindingChange[] {
  const failedIn = ({ results }: TestResult): readonly string[] =>
    results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
  const failsAfter = new Set(failedIn(after));
  return failedIn(before)
    .filter((id) => failsAfter.has(id))
    .flatMap((id) => findingsOfRow(failuresOf(before, id), failuresOf(after, id), id));
}

function failuresOf({ findings }: TestResult, id: string): readonly ReportedFinding[] {
  return findings.filter((finding) => finding.id === id && finding.outcome === 'failed');
}

function findingsOfRow(
  before: readonly ReportedFinding[],
  after: readonly ReportedFinding[],
  id: string,
): readonly FindingChange[] {
  const only = (own: readonly ReportedFinding[], others: readonly ReportedFinding[]): ReportedFinding[] => {
    const known = new Set(others.map(({ fingerprint }) => fingerprint));
    const unique = new Map(own.map((finding) => [finding.fingerprint, finding]));
    return [...unique.values()].filter(({ fingerprint }) => !known.has(fingerprint));
  };
  const change = (
    kind: FindingChange['kind'],
    from: ReportedFinding | null,
    to: ReportedFinding | null,
  ): FindingChange => {
    const name = lastingName((to ?? from)?.where.function);
    return { kind, id, ...(name === undefined ? {} : { function: name }), before: from, after: to };
  };
  const gone = [...only(before, after)];
  const found = only(after, before).map((finding): FindingChange => {
    const name = lastingName(finding.where.function);
    const place = gone.findIndex(({ where }) => lastingName(where.function) === name);
    const [instead = null] = place === -1 ? [] : gone.splice(place, 1);
    return change(instead === null ? 'new' : 'changed', instead, finding);
  });
  return [...found, ...gone.map((finding) => change('gone', finding, null))];
}
