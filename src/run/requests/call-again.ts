import { exactPayloadOf } from '../../checks/execute/answer-essence.ts';
import { isServed } from '../../checks/json/answers.ts';
import { type ObservedCall, observedCall } from '../../inputs/observed-values.ts';
import { type Json, type JsonObject, jsonTypeOf, ownProperty, sameJson } from '../../json/json.ts';
import type { InputSource, PlannedCall } from '../../model/call.ts';
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

const MAX_RESTORED = 40;

/**
 * Calls reading functions again whose value another call may have removed. If one refuses now, the changing calls with
 * the same value are repeated until it accepts: "get" of a key needs another "put" after "remove".
 */
export async function restoreValues(
  instances: readonly InstanceRun[],
  restraint: Restraint,
  callAgain: CallAgain,
): Promise<void> {
  const served = instances.filter(hasResult);
  const changing = served.filter(({ item }) => restraint.of(item) !== null);
  const reading = served.filter(({ item }) => restraint.of(item) === null);
  for (const instance of reading.slice(0, MAX_RESTORED)) {
    const { call } = instance;
    if (call?.input == null) continue;
    const { input, inputSource } = call;
    const related = changing.filter((other) => shareValue(call, other));
    const accepts = async (): Promise<boolean> => {
      const made = await callAgain(instance, input, inputSource);
      return made !== null && hasResult(made);
    };
    if (related.length === 0 || (await accepts())) continue;
    for (const other of related) {
      await callAgain(other, other.call?.input ?? {}, 'assembled');
      if (await accepts()) break;
    }
  }
}

/** Whether both were called with the same value of the same parameter. */
function shareValue({ input }: PlannedCall, { call: other }: InstanceRun): boolean {
  return Object.entries(input ?? {}).some(
    ([name, value]) =>
      ['string', 'number'].includes(jsonTypeOf(value)) &&
      sameJson(ownProperty(other?.input, name) ?? null, value),
  );
}
