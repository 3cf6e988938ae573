import { isOfSeveral } from '../checks/define-check.ts';
import { checks } from '../generated/checks.ts';
import { passed } from '../model/judgement.ts';
import { levelFor } from '../model/requirement.ts';
import { methodAndPlace } from '../model/sent.ts';
import type { OnAnswer } from '../run/state/run-input.ts';
import { isIncidental } from '../run/steps/selection.ts';
import { unmetCondition } from '../run/steps/unmet-condition.ts';
import { type JudgeBasis, settledContext } from './judge-context.ts';
import { JudgedExchange } from './judge-exchange.ts';

/** A requirement that one answer breaks, seen while the run goes on. */
export interface FirstFailure {
  readonly requirement: string;
  /** The function that was called; null for the server. */
  readonly function: string | null;
  /** What was asked: a method, and an address or a conversation. */
  readonly request: string;
  readonly message: string;
}

interface Watched extends JudgeBasis {
  /** Ids of the requirements that the run decides. */
  readonly requirements: ReadonlySet<string>;
  /** Ids of those that are known to fail. */
  readonly known: ReadonlySet<string>;
}

/**
 * Notices the first answer of a run that breaks a MUST. Only what a single answer shows can be told before the end: what
 * needs several answers, or the doubts that later ones raise, is judged after the run.
 */
export function watchForFailure(
  { requirements, known, ...basis }: Watched,
  onFailure: (failure: FirstFailure) => void,
): OnAnswer {
  const common = settledContext(basis);
  let hasFailed = false;
  return (step, asked, { form, opened }) => {
    if (hasFailed) return;
    let isOpen = false;
    // Whatever asks for it may be judged otherwise after the run.
    const later = <Value>(value: Value): Value => {
      isOpen = true;
      return value;
    };
    const judge = new JudgedExchange(step, asked, {
      ...common,
      form,
      opened,
      eraAsked: null,
      used: {},
      earlierFinding: () => later(passed),
      servedElsewhere: false,
      isRestrained: () => later(false),
      isSilent: () => true,
      rateLimitAdvice: '',
    });
    for (const assertion of step.expect) {
      const { requirement, level, when } = assertion;
      if (!requirements.has(requirement) || known.has(requirement)) continue;
      if (levelFor(level, form.form) !== 'MUST' || isIncidental(assertion)) continue;
      if (isOfSeveral(assertion, checks) || unmetCondition(when, opened) !== null) continue;
      const failure = judge.findings(assertion).find(({ outcome }) => outcome === 'failed');
      if (failure?.outcome !== 'failed' || isOpen) continue;
      hasFailed = true;
      const { method, place } = methodAndPlace(asked.exchange.request);
      const functionName = asked.call?.functionName ?? null;
      onFailure({
        requirement,
        function: functionName,
        request: `${method} ${place}`,
        message: failure.message,
      });
      return;
    }
  };
}
