import { exactPayloadOf, leavesOf } from '../../checks/execute/answer-essence.ts';
import { isServed } from '../../checks/json/answers.ts';
import { producersOf } from '../../inputs/learned-inputs.ts';
import { type ObservedCall, observedCall } from '../../inputs/observed-values.ts';
import { removalInput, removes } from '../../inputs/removal-input.ts';
import { markIn } from '../../inputs/vary-input.ts';
import { doubleOf } from '../../json/exact-number.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import { removedKey } from '../../model/exchange-key.ts';
import { sentCall } from '../../model/sent.ts';
import { wordsIn } from '../../text/words.ts';
import { isGone, type RunState } from '../calls/run-state.ts';
import type { CreatedThings } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import { createCallAgain, hasResult } from './call-again.ts';
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

interface Call extends ObservedCall {
  readonly input: JsonObject;
}

/** Calls that were answered with a result, in their order. */
function callsIn(exchanges: readonly Exchange[]): readonly Call[] {
  return exchanges
    .toSorted((one, other) => one.timing.startedAtMs - other.timing.startedAtMs)
    .flatMap((exchange): readonly Call[] => {
      const sent = sentCall(exchange.request);
      if (sent === null || exchange.kind === 'unanswered' || !isServed(exchange)) return [];
      const result = exactPayloadOf(exchange);
      if (result === undefined) return [];
      const input = sent.input ?? {};
      return [{ ...observedCall(sent.functionName, input, result, true), input }];
    });
}

interface Thing {
  readonly call: ObservedCall;
  /** Whether no earlier call sent or received the value, and no call of the function with another input received it. */
  readonly isNew: (value: Json) => boolean;
}

/** Calls of changing functions with values that were not seen before. */
function createdIn(calls: readonly Call[], { restraint, learned, settings }: RunState): readonly Thing[] {
  const functions = learned.saved.get('functions');
  const listed = Array.isArray(functions) ? (functions as readonly Json[]) : [];
  const changing = new Set(
    listed.filter((one) => restraint.mayChange(one)).map((one) => ownProperty(one, 'name')),
  );
  const seen = new Set<Json>();
  const inputsByValue = new Map<string, string[]>();
  const timesByInput = new Map<string, number>();
  const keyOf = ({ functionName }: Call, value: Json): string => canonicalJson([functionName, value]);
  for (const call of calls.filter(({ functionName }) => changing.has(functionName))) {
    const input = keyOf(call, call.input);
    timesByInput.set(input, (timesByInput.get(input) ?? 0) + 1);
    for (const value of new Set(leavesOf(call.result).map((leaf) => leaf.value))) {
      const inputs = inputsByValue.get(keyOf(call, value)) ?? [];
      inputs.push(input);
      inputsByValue.set(keyOf(call, value), inputs);
    }
  }
  return calls.flatMap((call): readonly Thing[] => {
    for (const { value } of leavesOf(call.input)) seen.add(value);
    const news = new Set<Json>();
    const isOwn = settings.mutating.default === 'allow' || markIn(call.input) !== null;
    const isRepeated = (timesByInput.get(keyOf(call, call.input)) ?? 0) > 1;
    for (const { value } of leavesOf(call.result)) {
      const inputs = inputsByValue.get(keyOf(call, value)) ?? [];
      const isOfInput = isOwn ? new Set(inputs).size === 1 : isRepeated && inputs.length === 1;
      if (!seen.has(value) && isOfInput) news.add(value);
    }
    for (const { value } of leavesOf(call.result)) seen.add(value);
    return changing.has(call.functionName) && news.size > 0
      ? [{ call, isNew: (value) => news.has(doubleOf(value) ?? value) }]
      : [];
  });
}
