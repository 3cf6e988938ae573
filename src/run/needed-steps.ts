import { type Policy, RUN } from './policy.ts';

/** A step that sends nothing has nothing to judge where a step that it needs does not apply. */
export const neededStepsApply: Policy = ({ request, needs }, { ended }) => {
  if (request !== null) return RUN;
  const missing = needs.map((id) => ended.get(id)).find((run) => run?.kind === 'inapplicable');
  return missing?.kind === 'inapplicable' ? { kind: 'inapplicable', reason: missing.reason } : RUN;
};
