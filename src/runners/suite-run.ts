import { deadlineMsOf } from '../check/run-settings.ts';
import { checkServer } from '../check/threads/check-server.ts';
import { visibleLines } from '../json/visible.ts';
import type { TestResult } from '../model/report.ts';
import { evidenceLines } from '../report/view/finding-lines.ts';
import type { RequirementView } from '../report/view/judgement-view.ts';
import { type ReportView, reportView } from '../report/view/report-view.ts';
import { checkOptionsOf, type ProbitySuiteOptions, type StartedTarget } from './suite-options.ts';

const START_TIMEOUT_MS = 60_000;
/** For judging and reporting after the deadline of the check, and for stopping the server. */
const ENDING_MS = 30_000;

/** Which test reports that the check as a whole was not possible. */
export const WHOLE = 'the check';

type Checked =
  | { readonly kind: 'checked'; readonly view: ReportView }
  | { readonly kind: 'not-checked'; readonly problem: string; readonly cause?: unknown };

export function createSuiteRun(options: ProbitySuiteOptions) {
  let checked: Promise<Checked> | null = null;
  let reporting: string | null = null;
  const check = (): Promise<Checked> => {
    checked ??= checkOnce(options);
    return checked;
  };
  return {
    /** The maximum time of `done`. */
    timeoutMs: START_TIMEOUT_MS + deadlineMsOf(options) + ENDING_MS,
    /** Starts the server and checks it, once. Never rejects. */
    done: async (): Promise<void> => void (await check()),
    /** The outcome of the test of a requirement, or of the check as a whole. */
    outcomeOf: async (id: string): Promise<TestOutcome> => {
      const outcome = await check();
      if (outcome.kind === 'checked')
        return id === WHOLE ? wholeOutcome(outcome.view) : rowOutcome(id, outcome.view);
      // One test reports it, the first that runs: a filter may leave out any other. A repetition reports it again.
      reporting ??= id;
      return reporting === id
        ? failure([outcome.problem], outcome.cause)
        : { kind: 'skipped', reason: 'nothing was checked, as another test reports' };
    },
  };
}

async function checkOnce(options: ProbitySuiteOptions): Promise<Checked> {
  try {
    const result = await resultOf(options);
    if (result.reachable) return { kind: 'checked', view: reportView(result) };
    return { kind: 'not-checked', problem: silenceWords(reportView(result)) };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { kind: 'not-checked', problem: `Nothing was checked: ${visibleLines(message)}`, cause };
  }
}

async function resultOf(options: ProbitySuiteOptions): Promise<TestResult> {
  const given = checkOptionsOf(options);
  const { start, url, mcp = '' } = options;
  const started: StartedTarget = start === undefined ? { url: url ?? mcp } : await start();
  try {
    return await checkServer(started.url, given);
  } finally {
    await started.stop?.();
  }
}

function silenceWords({ target, requirements, words }: ReportView): string {
  const reason = requirements.find(({ findings }) => findings.length > 0)?.reason;
  return [
    `${target.url} cannot be reached. ${words}`,
    ...(reason === undefined ? [] : [`  received: ${reason}`]),
    '  fix:      Start the server before the tests, give a function that starts it as `start`, or correct `url`.',
  ].join('\n');
}

/** Fails where the verdict is not a pass although no test of a requirement fails. */
function wholeOutcome({ needsVerdict, word, words }: ReportView): TestOutcome {
  return needsVerdict ? failure([`${word}: ${words}`]) : { kind: 'passed', warning: null };
}

function rowOutcome(id: string, { requirements }: ReportView): TestOutcome {
  const row = requirements.find((one) => one.id === id);
  if (row !== undefined) return testOutcome(row);
  return failure([`The result of the check has no row ${id}, so it is not decided.`]);
}

/** What the test of a requirement reports. */
type TestOutcome =
  | { readonly kind: 'passed'; readonly warning: string | null }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: Error };

/** The outcome of a row: an undecided one is never a pass. Pure. */
function testOutcome(row: RequirementView): TestOutcome {
  const { id, state, reason } = row;
  switch (state) {
    case 'passed':
    case 'accepted':
      return { kind: 'passed', warning: null };
    case 'warning':
      return { kind: 'passed', warning: `${id}: ${reason}` };
    case 'inapplicable':
    case 'not-exercised':
      return { kind: 'skipped', reason };
    case 'failed':
      return failure([reason, '', ...evidenceLines(row)]);
    case 'undecided':
    case 'blocked':
      return failure([`${row.word}: ${reason}`, '', ...evidenceLines(row)]);
  }
}

function failure(lines: readonly string[], cause?: unknown): TestOutcome {
  const error = new Error(lines.join('\n'), cause === undefined ? {} : { cause });
  error.name = 'ProbityError';
  // Its place would be in Probity, not in the server.
  error.stack = `${error.name}: ${error.message}`;
  return { kind: 'failed', error };
}
