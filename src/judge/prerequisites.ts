import { type Finding, inapplicable } from '../model/judgement.ts';
import type { Assertion, Condition, Step } from '../model/suite.ts';
import type { ExchangeJudge } from '../run/state/exchange-judge.ts';
import type { KnownForm } from '../run/state/record.ts';
import { unmetCondition } from '../run/steps/unmet-condition.ts';
import type { JudgeContext } from './judge-context.ts';
import { blocked, notJudged } from './not-judged.ts';

/**
 * The finding of an assertion whose prerequisites are not met; null if all are met. `functionName` is the function that
 * the judged answer is about: what is open for another function stops nothing.
 */
export function unmetFinding(
  { when, needs }: Assertion,
  step: Step,
  findingsOf: (assertion: Assertion) => readonly Finding[],
  functionName: string | null,
  context: Pick<JudgeContext, 'form' | 'opened' | 'eraAsked' | 'earlierFinding'>,
): Finding | null {
  const reason = unmetCondition(when, context.opened, context.eraAsked);
  const unmet = formFinding(when, context.form) ?? (reason === null ? null : inapplicable(reason));
  if (unmet !== null || needs === null) return unmet;
  const own = findingsOn(needs, step, findingsOf);
  const all = own.length > 0 ? own : [context.earlierFinding(needs, functionName) ?? []].flat();
  if (all.length === 0)
    return notJudged(
      `it needs ${needs}, which nothing decided`,
      `Include the step that decides ${needs} in the run.`,
    );
  const stopping = firstOpen(all);
  if (stopping === undefined) return null;
  return stopping.outcome === 'inapplicable' || stopping.outcome === 'blocked' ? stopping : blocked(needs);
}

function formFinding({ form }: Condition, known: KnownForm): Finding | null {
  if (form === null || form === known.form || known.form === 'mcp') return null;
  return known.form === null
    ? blocked(known.because)
    : inapplicable(`only for form ${form}; the target speaks form ${known.form}`);
}

/** What the assertions of a step find about a requirement. */
export function findingsOn(
  requirement: string,
  { expect }: Step,
  findingsOf: (assertion: Assertion) => readonly Finding[],
): readonly Finding[] {
  return expect.filter((assertion) => assertion.requirement === requirement).flatMap(findingsOf);
}

export function findingsOfAll(
  judges: readonly ExchangeJudge[],
): (assertion: Assertion) => readonly Finding[] {
  return (assertion) => judges.flatMap((judge) => judge.findings(assertion));
}

/** The first finding that blocks what depends on the requirement. */
export function firstOpen(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ outcome }) => outcome !== 'passed');
}

export function holds(findings: readonly Finding[]): boolean {
  return findings.every(({ outcome }) => outcome === 'passed' || outcome === 'inapplicable');
}
