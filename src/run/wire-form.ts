import type { Step } from '../model/suite.ts';
import { asksExecute } from './operation.ts';
import { type Policy, RUN } from './policy.ts';
import type { KnownForm } from './record.ts';

/** A call cannot be written before the form is known, and a step for one form says nothing of the other. */
export const formIsSpoken: Policy<{ readonly form: KnownForm }> = ({ request, when }, { form: known }) => {
  if (request?.kind !== 'execute' && when.form === null) return RUN;
  if (known.form === null) return { kind: 'blocked', by: known.because };
  if (when.form === null || when.form === known.form) return RUN;
  return {
    kind: 'inapplicable',
    reason: `only for form ${when.form}; the target speaks form ${known.form}`,
  };
};

/** Whether the form of /execute counts for a step, which it does also where the step writes its own bodies. */
export function needsExecuteForm({ request, when }: Step): boolean {
  return request?.kind === 'execute' || (when.form !== null && asksExecute(request));
}
