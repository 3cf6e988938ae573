import type { ReportedFinding, Row } from '../../src/model/judgement.ts';
import type { TestResult } from '../../src/model/report.ts';
import { matchesGlob } from '../../src/text/glob.ts';
import { kindOf } from '../row-kind.ts';
import type { Find } from './behaviour.ts';

type RunResult = Pick<TestResult, 'results' | 'findings'>;

/** Unexpected and missing findings of a run; empty if all is as expected. */
export function differences({ results, findings }: RunResult, expected: readonly Find[]): readonly string[] {
  const decided = results.filter((row) => ['failed', 'undecided'].includes(kindOf(row)));
  return [
    ...decided.flatMap((row) => unexpected(row, findings, expected)),
    ...expected.flatMap((find) => missing(find, results)),
    ...results.flatMap((row) => untraced(row, results, expected)),
  ];
}

function unexpected(
  row: Row,
  findings: readonly ReportedFinding[],
  expected: readonly Find[],
): readonly string[] {
  const own = findings.filter(({ id }) => id === row.id);
  if (own.length === 0) return [`${row.id} is ${row.outcome} without a finding: ${row.reason}`];
  return own
    .filter((finding) => !expected.some((find) => covers(find, row, finding)))
    .map(
      ({ outcome, fault, message, received }) =>
        `${row.id} ${outcome} (${fault}): ${message}, received ${received}`,
    );
}

function covers(find: Find, row: Row, { outcome, fault, message, received }: ReportedFinding): boolean {
  if (!matchesGlob(find.row, row.id) || find.outcome !== outcome || find.fault !== fault) return false;
  const { says } = find;
  return [message, received].some((text) =>
    typeof says === 'string' ? text.includes(says) : says.test(text),
  );
}

function missing({ row: id, outcome, perhaps }: Find, results: readonly Row[]): readonly string[] {
  if (perhaps === true) return [];
  const row = results.find((one) => one.id === id);
  const kind = row === undefined ? 'missing' : kindOf(row);
  return kind === outcome ? [] : [`${id} is ${kind}, not ${outcome}`];
}

/** Each blocked row must be blocked, directly or not, by a row that was expected to fail or to be undecided. */
function untraced(row: Row, results: readonly Row[], expected: readonly Find[]): readonly string[] {
  const seen = new Set<string>();
  let current: Row | undefined = row;
  while (current?.blockedBy !== undefined && !seen.has(current.blockedBy)) {
    const { blockedBy }: Row = current;
    if (expected.some((find) => matchesGlob(find.row, blockedBy))) return [];
    seen.add(blockedBy);
    current = results.find(({ id }) => id === blockedBy);
  }
  return row.blockedBy !== undefined ? [`${row.id} is blocked by ${[...seen].join(', by ')}`] : [];
}
