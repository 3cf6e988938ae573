import type { CheckMetadata, CheckResult } from '../checks/define-check.ts';
import { type Finding, undecided } from '../model/judgement.ts';
import type { AssertionOf } from '../model/suite.ts';

const REPORT_IT = 'This is a defect of the harness and says nothing about the server: please report it.';

export function blocked(blockedBy: string): Finding {
  return { outcome: 'blocked', blockedBy };
}

/** An assertion that nothing decides is undecided, and must never look passed. */
export function notJudged(why: string, advice = REPORT_IT): Finding {
  return undecided({
    message: `this was not judged: ${why}`,
    expected: 'a judgement',
    received: 'none',
    advice,
  });
}

export function unknownCheck(name: string): Finding {
  return notJudged(`there is no check ${JSON.stringify(name)}`);
}

/**
 * The findings of a check. If it cannot judge, the assertion is blocked by the requirement that the suite names for the
 * reason, or undecided if the suite names none. A check that returns no finding decided nothing.
 */
export function decided(
  { name, reasons }: CheckMetadata,
  { blockedBy }: AssertionOf<'check'>,
  result: CheckResult,
): readonly Finding[] {
  const findings = [result].flat();
  if (findings.length === 0) return [notJudged(`the check ${JSON.stringify(name)} found nothing`)];
  return findings.map((finding) => {
    if (finding.outcome !== 'cannot-judge') return finding;
    const { reason } = finding;
    const cause = blockedBy[reason];
    if (cause !== undefined) return blocked(cause);
    return notJudged(
      reasons[reason] ?? reason,
      `Fix that first. If another requirement decides it, name that under blockedBy: ${reason}.`,
    );
  });
}

/** For the default of a switch over every kind: the compiler refuses a kind that has no case. */
export function unknownKind(kind: never): Finding {
  return notJudged(`the harness cannot judge ${JSON.stringify(kind)}`);
}
