import { jsonTypeOf, ownProperty, sameJson } from '../../json/json.ts';
import type { PlannedCall } from '../../model/call.ts';
import type { Restraint } from '../calls/restraint.ts';
import type { InstanceRun } from '../state/record.ts';
import { type CallAgain, hasResult } from './call-again.ts';

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
