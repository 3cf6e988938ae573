import type { CheckOptions } from '../../src/check/check-options.ts';
import type { ReportedFinding } from '../../src/model/judgement.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import { checkHere } from '../check/check-here.ts';
import { PATIENT } from '../patience.ts';
import { isDecidable, MAX_CHANGING_CALLS, type NaturalRecord, type RunningServer } from './natural-server.ts';

/** One seed for all checks, so that a failure can be reproduced. */
export const SEED = 20_260_131;

/** A MAY row about examples, which many authors do not give. */
export const NO_EXAMPLE = 'documentation/examples';

export interface Checked {
  readonly result: TestResult;
  /** Calls of each function during this run, including refused ones. */
  readonly calls: ReadonlyMap<string, number>;
}

export interface LongRunning {
  readonly check: (options?: CheckOptions) => Promise<Checked>;
  readonly close: RunningServer['close'];
}

/** Starts a server that keeps running between checks and counts its calls. */
export async function startLongRunning(record: NaturalRecord, form: Form): Promise<LongRunning> {
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

/** Those of a user without a configuration; nothing is timed unless the options request it. */
export function naturalOptions(options: CheckOptions): CheckOptions {
  return { seed: SEED, latency: { off: true }, ...PATIENT, ...options };
}

export function checkUrl(url: string, options: CheckOptions = {}): Promise<TestResult> {
  return checkHere(url, naturalOptions(options), { signal: new AbortController().signal });
}

/** Rows that a busy machine can make fail. */
const LATENCY = /^performance\/.*-latency$/;
/** Rows that a busy machine can leave undecided. */
const TIMED = /^performance\//;

/** Failed rows, except the optional examples. */
export function failedRows({ results }: TestResult): readonly string[] {
  return results
    .filter(({ id, outcome }) => outcome === 'failed' && id !== NO_EXAMPLE && !LATENCY.test(id))
    .map(({ id }) => id);
}

/** Findings in full, for the message of a failed test. */
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

/** Undecided findings about functions that the record does not list as undecidable. */
function unexpectedlyUndecided(result: TestResult, record: NaturalRecord, form: Form): readonly string[] {
  const expected = [...record.undecided[form], ...record.once];
  return wanted(result, 'undecided')
    .filter(({ where }) => where.function !== undefined && !expected.includes(where.function))
    .map(inFull);
}

/** Undecided findings without a function, or without advice for it. */
function unhelpful(result: TestResult): readonly string[] {
  return wanted(result, 'undecided')
    .filter(({ where, fix }) => where.function === undefined || !fix.includes(where.function))
    .map(inFull);
}

/** Changing functions that were called too often. */
function calledTooOften({ calls }: Checked, { changes }: NaturalRecord): readonly string[] {
  return changes
    .map((name) => [name, calls.get(name) ?? 0] as const)
    .filter(([, count]) => count > MAX_CHANGING_CALLS)
    .map(([name, count]) => `${name} was called ${count} times`);
}

export function maxChangingCalls({ calls }: Checked, { changes }: NaturalRecord): number {
  return Math.max(0, ...changes.map((name) => calls.get(name) ?? 0));
}

/** Problems of the check of a conforming server; empty if there are none. */
export interface Problems {
  readonly falseFailures: readonly string[];
  readonly examplesMissed: readonly string[];
  readonly calledTooOften: readonly string[];
  readonly unexpectedlyUndecided: readonly string[];
  readonly unhelpful: readonly string[];
  /** The verdict, if every function can be called and it is not a pass. */
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
  const isOpen = results.some(({ id, outcome }) => outcome === 'undecided' && !TIMED.test(id));
  return isOpen ? verdict : 'pass';
}

/** The verdict and the outcome of every row, by name. */
export function outcomesOf(result: TestResult): ReadonlyMap<string, string> {
  const rows = result.results
    .filter(({ id }) => !TIMED.test(id))
    .map(({ id, outcome }): [string, string] => [id, outcome]);
  return new Map([['verdict', verdictOf(result)], ...rows]);
}

/** A row whose calls are all refused is undecided or inapplicable. */
const PASSING_OR_OPEN = new Set(['passed', 'pass', 'undecided', 'inapplicable', 'incomplete']);

export interface Flips {
  readonly flips: readonly string[];
  /** Rows that passed in an earlier run and are undecided later, on a server that refuses repeated calls. */
  readonly usedUp: readonly string[];
}

/** Outcomes that differ between runs of one process. */
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
