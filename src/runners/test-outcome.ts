import { evidenceLines, type RequirementView } from '../report/view/judgement-view.ts';

/** What the test of a requirement reports. */
export type TestOutcome =
  | { readonly kind: 'passed'; readonly warning: string | null }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: Error };

/** The outcome of a row: an undecided one is never a pass. Pure. */
export function testOutcome(row: RequirementView): TestOutcome {
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

export function failure(lines: readonly string[], cause?: unknown): TestOutcome {
  const error = new Error(lines.join('\n'), cause === undefined ? {} : { cause });
  error.name = 'ProbityError';
  // Its place would be in Probity, not in the server.
  error.stack = `${error.name}: ${error.message}`;
  return { kind: 'failed', error };
}
