import type { ReportedFinding } from '../../src/model/judgement.ts';
import type { TestResult } from '../../src/model/report.ts';
import type { Form } from '../../src/model/requirement.ts';
import type { CheckOptions } from '../../src/run/check-options.ts';
import { runCheck } from '../../src/run/run-check.ts';
import type { NaturalRecord, RunningServer } from './natural-server.ts';

/** One seed for all: a failure can be looked at again. */
export const SEED = 20_260_131;

/** How often a function that changes something may be called in one run. */
export const MAX_CHANGING_CALLS = 10;

/** A MAY that says nothing but that an author gave no example, which many do not. */
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
    { seed: SEED, latency: { off: true }, ...options },
    { signal: new AbortController().signal },
  );
}

export function failedRows({ results }: TestResult): readonly string[] {
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
}

/** Findings in full, so that a failing test says all there is to know. */
export function findingsOf({ findings }: TestResult, outcome: ReportedFinding['outcome']): readonly string[] {
  return findings.filter((finding) => finding.outcome === outcome && finding.id !== NO_EXAMPLE).map(inFull);
}

function inFull({ id, outcome, where, message, expected, received, fix, fault }: ReportedFinding): string {
  const place = [where.step, where.function, where.case, where.pointer].filter(Boolean).join(' ');
  return `${outcome} ${id} (${place}; fault: ${fault}): ${message}; expected ${expected}; received ${received}; fix: ${fix}`;
}

/** Undecided findings about functions of which the record does not say that they cannot be decided. */
export function unexpectedlyUndecided(
  { findings }: TestResult,
  record: NaturalRecord,
  form: Form,
): readonly string[] {
  const expected = [...record.undecided[form], ...record.once];
  return findings
    .filter(({ outcome, where }) => outcome === 'inconclusive' && !expected.includes(where.function ?? ''))
    .map(inFull);
}

/** Undecided findings that do not name a function, or do not say what to give for it. */
export function unhelpful({ findings }: TestResult): readonly string[] {
  return findings
    .filter(({ outcome }) => outcome === 'inconclusive')
    .filter(({ where, fix }) => where.function === undefined || !fix.includes(where.function))
    .map(inFull);
}

/** Functions that change something and were called more often than they should be. */
export function calledTooOften({ calls }: Checked, { changes }: NaturalRecord): readonly string[] {
  return changes
    .map((name) => [name, calls.get(name) ?? 0] as const)
    .filter(([, count]) => count > MAX_CHANGING_CALLS)
    .map(([name, count]) => `${name} was called ${count} times`);
}

export function mostChangingCalls({ calls }: Checked, { changes }: NaturalRecord): number {
  return Math.max(0, ...changes.map((name) => calls.get(name) ?? 0));
}

/** The verdict and the outcome of every row, by name. */
export function outcomesOf({ verdict, results }: TestResult): ReadonlyMap<string, string> {
  return new Map([
    ['verdict', verdict],
    ...results.map(({ id, outcome }): [string, string] => [id, outcome]),
  ]);
}
