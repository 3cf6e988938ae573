import { producersOf } from '../../inputs/learned-inputs.ts';
import { removalInput, removes } from '../../inputs/removal-input.ts';
import { canonicalJson, isJsonObject } from '../../json/json.ts';
import { removedKey } from '../../model/exchange-key.ts';
import { wordsIn } from '../../text/words.ts';
import { isGone, type RunState } from '../calls/run-state.ts';
import type { CreatedThings } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import { createCallAgain, hasResult } from './call-again.ts';
import { callsIn, createdIn, type Thing } from './created-things.ts';
import type { InstanceRunner } from './run-instances.ts';

const MAX_REMOVED = 2000;
/** After this many refusals in a row, the function does not remove what the others create. */
const MAX_REFUSED = 3;

/**
 * Deletes what the run created, the latest first, with functions that deleted something in this run. A new id that a
 * creating function returned is that of a new thing. Unless all changes are allowed, its input must have a
 * random text, or give another id each time: for that of an example, "add" may return what somebody else added. Each
 * function keeps its limit of calls.
 */
export async function removeCreated(
  state: RunState,
  runner: InstanceRunner,
  { schemas, selection: { formStep: step } }: Pick<RunInput, 'schemas' | 'selection'>,
): Promise<readonly CreatedThings[]> {
  const run = step === null || state.planning || isGone(state) ? undefined : state.ended.get(step.id);
  if (step === null || run?.kind !== 'ran') return [];
  // "deleteBook" comes before "deleteBookCover".
  const removers = run.instances
    .filter(({ functionName }) => removes(functionName ?? ''))
    .toSorted(
      (one, other) => wordsIn(one.functionName ?? '').length - wordsIn(other.functionName ?? '').length,
    );
  if (removers.length === 0) return [];
  const calls = callsIn(runner.scheduler.exchanges());
  const { producers = {} } = state.settings;
  const found: CreatedThings[] = [];
  const things = createdIn(calls, state);
  const gone = new Set<Thing>();
  for (const remover of removers) {
    const name = remover.functionName ?? '';
    const accepted = calls.filter((call) => call.functionName === name);
    const proven = accepted.at(-1)?.input;
    if (proven === undefined) continue;
    const descriptor = isJsonObject(remover.item) ? remover.item : {};
    const of = { name, proven, descriptor, producers: producersOf(name, producers) };
    const removed = new Set(accepted.map(({ input }) => canonicalJson(input)));
    const removable = things.flatMap((thing) => {
      const input = gone.has(thing) ? null : removalInput(of, thing.call, thing.isNew, schemas);
      return input === null ? [] : [{ thing, input, isGone: removed.has(canonicalJson(input)) }];
    });
    for (const { thing, isGone: isRemoved } of removable) if (isRemoved) gone.add(thing);
    const left = removable.filter(({ isGone: isRemoved }) => !isRemoved).toReversed();
    const callAgain = createCallAgain(step, state, runner, removedKey);
    let [refused, more] = [0, 0];
    for (const { thing, input } of left.slice(0, MAX_REMOVED)) {
      const made = refused < MAX_REFUSED ? await callAgain(remover, input, 'learned') : null;
      if (made === null) break;
      refused = hasResult(made) ? 0 : refused + 1;
      if (!hasResult(made)) continue;
      gone.add(thing);
      more += 1;
    }
    const created = removable.length;
    if (created > 0) found.push({ remover: name, created, removed: created - left.length + more });
  }
  return found;
}
