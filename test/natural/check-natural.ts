import type { CheckOptions } from '../../src/app/check-options.ts';
import { runCheck } from '../../src/app/run-check.ts';
import type { ReportedFinding } from '../../src/model/judgement.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { PATIENT } from '../patience.ts';
import { isDecidable, MAX_CHANGING_CALLS, type NaturalRecord, type RunningServer } from './natural-server.ts';

/** One seed for all: a failure can be looked at again. */
export const SEED = 20_260_131;

/** A MAY: the author gave no example, and many authors give none. */
export const NO_EXAMPLE = 'documentation/examples';

export interface Checked {
  readonly result: TestResult;
  /** Calls of each function that arrived during this run, refused ones included. */
  readonly calls: ReadonlyMap<string, number>;
}

export interface Living {
  readonly check: (options?: CheckOptions) => Promise<Checked>;
  readonly close: RunningServer['close'];
}

/** A server that goes on living from one check to the next, and counts by itself what it is called for. */
export async function startLiving(record: NaturalRecord, form: Form): Promise<Living> {
  let calls = new Map<string, number>();
  const server = await record.start(form, (name) => void calls.set(name, (calls.get(name) ?? 0) + 1));
  return {
    check: async (options = {}) => {
      calls = new Map();
      const result = await checkUrl(server.url, options);
      return { result, calls };
    },
    close: server.close,
  };
}

/** Checks as a user would without any configuration; nothing is timed unless the options say so. */
export function checkUrl(url: string, options: CheckOptions = {}): Promise<TestResult> {
  return runCheck(
    url,
    { seed: SEED, latency: { off: true }, ...PATIENT, ...options },
    { signal: new AbortController().signal },
  );
}

/** Rows that a busy machine can make fail. */
const LATENCY = /^performance\/.*-latency$/;
/** Rows that a busy machine can leave undecided. */
const TIMED = /^performance\//;

/** Rows that failed, but for the examples that an author may leave out. */
export function failedRows({ results }: TestResult): readonly string[] {
  return results
    .filter(({ id, outcome }) => outcome === 'failed' && id !== NO_EXAMPLE && !LATENCY.test(id))
    .map(({ id }) => id);
}

/** Findings in full, so that a failing test says all there is to know. */
export function findingsOf(result: TestResult, outcome: ReportedFinding['outcome']): readonly string[] {
  return wanted(result, outcome)
    .filter(({ id }) => id !== NO_EXAMPLE)
    .map(inFull);
}

function wanted({ findings }: TestResult, outcome: ReportedFinding['outcome']): readonly ReportedFinding[] {
  const leftToMachine = outcome === 'failed' ? LATENCY : TIMED;
  return findings.filter((finding) => finding.outcome === outcome && !leftToMachine.test(finding.id));
}

function inFull({ id, outcome, where, message, expected, received, fix, fault }: ReportedFinding): string {
  const place = [where.step, where.function, where.case, where.pointer].filter(Boolean).join(' ');
  return `${outcome} ${id} (${place}; fault: ${fault}): ${message}; expected ${expected}; received ${received}; fix: ${fix}`;
}

/** Undecided findings about functions of which the record does not say that they cannot be decided. */
function unexpectedlyUndecided(result: TestResult, record: NaturalRecord, form: Form): readonly string[] {
  const expected = [...record.undecided[form], ...record.once];
  return wanted(result, 'inconclusive')
    .filter(({ where }) => where.function !== undefined && !expected.includes(where.function))
    .map(inFull);
}

/** Undecided findings that do not name a function, or do not say what to give for it. */
function unhelpful(result: TestResult): readonly string[] {
  return wanted(result, 'inconclusive')
    .filter(({ where, fix }) => where.function === undefined || !fix.includes(where.function))
    .map(inFull);
}

/** Functions that change something and were called more often than they should be. */
function calledTooOften({ calls }: Checked, { changes }: NaturalRecord): readonly string[] {
  return changes
    .map((name) => [name, calls.get(name) ?? 0] as const)
    .filter(([, count]) => count > MAX_CHANGING_CALLS)
    .map(([name, count]) => `${name} was called ${count} times`);
}

export function maxChangingCalls({ calls }: Checked, { changes }: NaturalRecord): number {
  return Math.max(0, ...changes.map((name) => calls.get(name) ?? 0));
}

/** What the check of a conforming server may not say or do; nothing, if all is well. */
export interface Problems {
  readonly falseFailures: readonly string[];
  readonly examplesMissed: readonly string[];
  readonly calledTooOften: readonly string[];
  readonly unexpectedlyUndecided: readonly string[];
  readonly unhelpful: readonly string[];
  /** The verdict where every function could have been called, and it is no pass. */
  readonly undecidedThoughDecidable: readonly string[];
}

export const NO_PROBLEMS: Problems = {
  falseFailures: [],
  examplesMissed: [],
  calledTooOften: [],
  unexpectedlyUndecided: [],
  unhelpful: [],
  undecidedThoughDecidable: [],
};

export function problemsOf(checked: Checked, record: NaturalRecord, form: Form): Problems {
  const { result } = checked;
  const missed = result.findings
    .filter(({ id, outcome }) => id === NO_EXAMPLE && outcome === 'failed')
    .map(({ message }) => message)
    .filter((message) => !record.withoutExample.some((name) => message.includes(JSON.stringify(name))));
  const verdict = verdictOf(result);
  return {
    falseFailures: findingsOf(result, 'failed'),
    examplesMissed: missed,
    calledTooOften: calledTooOften(checked, record),
    unexpectedlyUndecided: unexpectedlyUndecided(result, record, form),
    unhelpful: unhelpful(result),
    undecidedThoughDecidable: isDecidable(record, form) && verdict !== 'pass' ? [verdict] : [],
  };
}

/** The verdict as it would be without the rows that a busy machine can leave undecided. */
export function verdictOf({ verdict, results }: TestResult): string {
  if (verdict !== 'incomplete') return verdict;
  const isOpen = results.some(
    ({ id, outcome }) => (outcome === 'blocked' || outcome === 'inconclusive') && !TIMED.test(id),
  );
  return isOpen ? verdict : 'pass';
}

/** The verdict and the outcome of every row, by name. */
export function outcomesOf(result: TestResult): ReadonlyMap<string, string> {
  const rows = result.results
    .filter(({ id }) => !TIMED.test(id))
    .map(({ id, outcome }): [string, string] => [id, outcome]);
  return new Map([['verdict', verdictOf(result)], ...rows]);
}

/** A row whose calls are all refused is open, or there is nothing left that it could be asked of. */
const PASSING_OR_OPEN = new Set(['passed', 'pass', 'inconclusive', 'blocked', 'inapplicable', 'incomplete']);

export interface Flips {
  readonly flips: readonly string[];
  /** What was passed in an earlier run and is open in a later one, of a server that refuses to do the same twice. */
  readonly usedUp: readonly string[];
}

/** What is not the same in all runs of one living process. */
export function flipsIn(runs: readonly TestResult[], { once }: NaturalRecord): Flips {
  const outcomes = runs.map(outcomesOf);
  const names = new Set(outcomes.flatMap((one) => [...one.keys()]));
  const changed = [...names].flatMap((name) => {
    const series = outcomes.map((one) => one.get(name) ?? 'not planned');
    return new Set(series).size === 1 ? [] : [{ name, series }];
  });
  const isUsedUp = ({ series }: { series: readonly string[] }): boolean =>
    once.length > 0 && series.every((one) => PASSING_OR_OPEN.has(one));
  const shown = ({ name, series }: { name: string; series: readonly string[] }): string =>
    `${name}: ${series.join(', ')}`;
  return {
    flips: changed.filter((one) => !isUsedUp(one)).map(shown),
    usedUp: changed.filter(isUsedUp).map(shown),
  };
}
