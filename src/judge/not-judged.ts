import type { CheckResult } from '../checks/define-check.ts';
import { type Finding, inconclusive } from '../model/judgement.ts';

const REPORT_IT = 'This is a defect of the harness and says nothing about the server: please report it.';

/** Where nothing decides an assertion, it is undecided: it must never look as if it had passed. */
export function notJudged(why: string, advice = REPORT_IT): Finding {
  return inconclusive({
    message: `this was not judged: ${why}`,
    expected: 'a judgement',
    received: 'none',
    advice,
  });
}

export function unknownCheck(name: string): Finding {
  return notJudged(`there is no check ${JSON.stringify(name)}`);
}

/** A check that returns no finding at all has not decided anything. */
export function decided(result: CheckResult, check: string): readonly Finding[] {
  const findings = [result].flat();
  return findings.length > 0 ? findings : [notJudged(`the check ${JSON.stringify(check)} found nothing`)];
}

/** For the default of a switch over every kind: the compiler refuses a kind that has no case. */
export function unknownKind(kind: never): Finding {
  return notJudged(`the harness cannot judge ${JSON.stringify(kind)}`);
}
