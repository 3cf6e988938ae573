import { randomUUID } from 'node:crypto';
import { type Judgement, undecided } from '../../model/judgement.ts';
import { type RunSettings, type TestResult, targetKindOf } from '../../model/report.ts';
import { levelFor, textFor } from '../../model/requirement.ts';
import { buildReport } from '../../report/build-report.ts';
import { unreadForm } from '../../run/state/learned.ts';
import { type Selection, selectSteps } from '../../run/steps/selection.ts';
import { loadSuites } from '../../suite/load-suites.ts';
import { harnessVersion } from '../../suite/product-files.ts';
import type { Check, StoppedCheck } from './run-in-worker.ts';

/**
 * The test result of a stopped check: judgements so far count, and a requirement that was judged only partly is
 * undecided unless a part failed.
 */
export async function reportStopped(check: Check, stopped: StoppedCheck): Promise<TestResult> {
  const { input, judged, clock } = check;
  const { exchanges } = check.sent;
  const { targetUrl, settings } = input;
  const suites = input.suites ?? (await loadSuites([], targetKindOf(settings))).suites;
  const selection = selectSteps(suites, settings);
  const unread = unreadForm(selection.steps);
  const result = buildReport({
    id: randomUUID(),
    harnessVersion: harnessVersion(),
    suites,
    settings,
    targetUrl,
    requirements: selection.requirements,
    record: {
      steps: [],
      forms: { capabilities: unread, execute: unread },
      saved: new Map(),
      exchanges,
      conversations: [],
      opened: null,
      omissions: [],
      restrained: [],
      learned: [],
      created: [],
      hasBailed: false,
    },
    judgements: [
      ...judged.flatMap(({ judgements }) => judgements),
      ...unjudged(selection, new Set(judged.map(({ step }) => step)), stopped, settings),
    ],
    startedAtMs: check.startedAtMs ?? clock.nowMs(),
    finishedAtMs: clock.nowMs(),
  });
  const text = `the check was stopped, because ${stopped.because}: requirements that were not judged are undecided, and large answers are not stored`;
  return {
    ...result,
    // A check that was stopped before its first answer or failure does not show that the target is unreachable.
    reachable: result.reachable || exchanges.length === 0,
    facts: [{ name: 'stopped', text }, ...result.facts],
  };
}

/** One judgement for each requirement with a step that was not judged. */
function unjudged(
  { requirements, steps }: Selection,
  judgedSteps: ReadonlySet<string>,
  { because, advice }: StoppedCheck,
  settings: RunSettings,
): readonly Judgement[] {
  const open = new Map<string, Judgement>();
  for (const step of steps.filter(({ id }) => !judgedSteps.has(id))) {
    for (const assertion of step.expect) {
      const { requirement, level, spec, why, fix, where } = assertion;
      if (!requirements.has(requirement) || open.has(requirement)) continue;
      open.set(requirement, {
        requirement,
        subject: null,
        level: levelFor(level, null),
        spec,
        why,
        fix: textFor(fix, settings.mcp === undefined ? 'rest' : 'mcp'),
        finding: undecided({
          message: `the check was stopped before this was judged, because ${because}`,
          expected: 'a judgement',
          received: 'none',
          advice,
        }),
        where: { suite: where.file, line: where.line, column: where.column, step: step.id },
        request: null,
        curl: null,
      });
    }
  }
  return [...open.values()];
}
