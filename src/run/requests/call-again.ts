import { isServed } from '../../checks/answers.ts';
import { exactPayloadOf } from '../../checks/execute/answer-essence.ts';
import { type ObservedCall, observedCall } from '../../inputs/observed-values.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import type { InputSource } from '../../model/call.ts';
import type { Exchange } from '../../model/exchange.ts';
import { learnedKey } from '../../model/exchange-key.ts';
import type { Step } from '../../model/suite.ts';
import { allowedInstances, mayCall } from '../calls/policies.ts';
import type { Restraint } from '../calls/restraint.ts';
import { type RunState, requestsEndAtMs } from '../calls/run-state.ts';
import { withOtherInput } from '../calls/write-call.ts';
import type { InstanceRun } from '../state/record.ts';
import type { InstanceRunner } from './run-instances.ts';

/** Makes a call of the run once more with another input; null if the limits of the function do not allow it. */
export type CallAgain = (
  instance: InstanceRun,
  input: JsonObject,
  source: InputSource,
) => Promise<InstanceRun | null>;

export function createCallAgain(
  step: Step,
  state: RunState,
  runner: InstanceRunner,
  keyOf = learnedKey,
  keep = (made: InstanceRun): void => runner.keepAside(made),
): CallAgain {
  const { settings, restraint, learned } = state;
  const turn = { step, form: learned.form, restraint, endsAtMs: requestsEndAtMs(step, state) };
  const times = new Map<string, number>();
  return async (instance, input, source) => {
    const number = (times.get(instance.key) ?? 0) + 1;
    times.set(instance.key, number);
    const planned = withOtherInput(instance, input, source, keyOf(instance.key, number), settings.seed);
    const isAllowed = allowedInstances(step, [planned], restraint).length > 0;
    if (!isAllowed || !mayCall(step, planned, restraint, runner.scheduler.calls())) return null;
    const [made] = await runner.run(turn, [planned], () => undefined);
    if (made === undefined) return null;
    keep(made);
    return made;
  };
}

/** What a call with a result shows to other functions. */
export function observe(
  { call, item, exchanges }: InstanceRun,
  restraint: Restraint,
): readonly ObservedCall[] {
  const [exchange] = exchanges;
  const result = exchange === undefined ? undefined : resultOf(exchange);
  if (call === null || result === undefined) return [];
  return [observedCall(call.functionName, call.input, result, restraint.of(item) !== null)];
}

export function hasResult({ exchanges }: Pick<InstanceRun, 'exchanges'>): boolean {
  return exchanges.length > 0 && exchanges.every((exchange) => resultOf(exchange) !== undefined);
}

function resultOf(exchange: Exchange): Json | undefined {
  if (exchange.kind === 'unanswered' || !isServed(exchange)) return undefined;
  return exactPayloadOf(exchange);
}
