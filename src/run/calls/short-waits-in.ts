import { waitingNames } from '../../inputs/short-waits.ts';
import { isJsonObject } from '../../json/json.ts';
import type { InstanceRun } from '../state/record.ts';

/** The parameters of the called functions that were asked for a short wait only: `delay of "ping"`. */
export function shortWaitsIn(instances: readonly InstanceRun[]): readonly string[] {
  const called = new Map(instances.map(({ functionName, item }) => [functionName, item]));
  return [...called].flatMap(([functionName, item]) => {
    const names = isJsonObject(item) ? waitingNames(item) : [];
    return names.length === 0 ? [] : [`${names.join(', ')} of ${JSON.stringify(functionName)}`];
  });
}
