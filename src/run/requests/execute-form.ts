import type { Exchange } from '../../model/exchange.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import type { Step } from '../../model/suite.ts';
import { expandStep } from '../calls/expand.ts';
import { expandContextOf } from '../calls/expand-context.ts';
import { answerShape, otherForm } from '../calls/forms.ts';
import { allowedInstances } from '../calls/policies.ts';
import type { RunState } from '../calls/run-state.ts';
import type { KnownForm } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import type { InstanceRunner } from './run-instances.ts';

/**
 * Calls one function in the form of the descriptors. Tries the other form only if the answer is not of the first, and
 * accepts only a complete answer of the other form.
 */
export async function detectExecuteForm(
  state: RunState,
  endsAtMs: number,
  runner: InstanceRunner,
  input: RunInput,
): Promise<KnownForm> {
  const { settings, planning, learned } = state;
  const described = learned.form;
  const call = input.selection.formStep;
  if (settings.form !== 'auto' || planning || call === null) return described;
  if (described.form === null || described.form === 'mcp') return described;
  const { form } = described;
  const callIn = (form: KnownForm) => callOnce(call, form, state, endsAtMs, runner, input);
  const own = await callIn(described);
  if (own === null || isRateLimited(own) || answerShape(own, form) === 'served') return described;
  const other = { form: otherForm(form) };
  const answer = await callIn(other);
  return answer !== null &&
    answerShape(answer, other.form) === 'served' &&
    answerShape(answer, form) === 'other-form'
    ? other
    : described;
}

async function callOnce(
  call: Step,
  form: KnownForm,
  state: RunState,
  endsAtMs: number,
  runner: InstanceRunner,
  input: RunInput,
): Promise<Exchange | null> {
  const { learned, restraint } = state;
  const step: Step = {
    ...call,
    rounds: {
      ...call.rounds,
      forEach: call.rounds.forEach && { ...call.rounds.forEach, succeeded: null },
      times: 1,
    },
  };
  const context = expandContextOf(step, form, state, { ...input, calls: runner.scheduler.calls() });
  const expansion = expandStep(step, context);
  if (expansion.kind !== 'instances') return null;
  const instances = allowedInstances(step, expansion.instances, restraint);
  const informative =
    instances.find(({ call: made }) => made?.input !== null && Object.keys(made?.input ?? {}).length > 0) ??
    instances[0];
  const turn = { step, form: learned.form, restraint, endsAtMs };
  const [made] = informative === undefined ? [] : await runner.run(turn, [informative], () => undefined);
  return made?.exchanges[0] ?? null;
}
