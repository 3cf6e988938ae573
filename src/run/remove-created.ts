import { leavesOf, payloadOf } from '../checks/execute/answer-essence.ts';
import { jsonBody } from '../checks/json/json-body.ts';
import { learnedInputs } from '../inputs/learned-inputs.ts';
import { type ObservedCall, observedCall } from '../inputs/observed-values.ts';
import { hasRandomText } from '../inputs/vary-input.ts';
import { type Exchange, isSuccess } from '../model/exchange.ts';
import { removedKey } from '../model/exchange-key.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject, ownProperty } from '../model/json.ts';
import { wordsIn } from '../model/words.ts';
import { createCallAgain, hasResult } from './call-again.ts';
import type { CreatedThings } from './record.ts';
import type { RunInput } from './run-input.ts';
import type { InstanceRunner } from './run-instances.ts';
import type { RunState } from './run-state.ts';

const VERBS_OF_REMOVAL: ReadonlySet<string> = new Set(['delete', 'destroy', 'discard', 'erase', 'remove']);
const MAX_REMOVED = 2000;
/** After this many refusals in a row, the function does not remove what the others create. */
const MAX_REFUSED = 3;

/**
 * Deletes what the run created, the latest first, with functions that deleted something in this run. What a changing
 * function returned and no earlier answer had was created by it. Unless all changes are allowed, its input must have a
 * random text: for that of an example, "add" may return what somebody else added. Each function keeps its limit of
 * calls.
 */
export async function removeCreated(
  state: RunState,
  runner: InstanceRunner,
  { schemas, selection: { formStep: step } }: Pick<RunInput, 'schemas' | 'selection'>,
): Promise<readonly CreatedThings[]> {
  const run = step === null || state.planning || isGone(state) ? undefined : state.ended.get(step.id);
  if (step === null || run?.kind !== 'ran') return [];
  const calls = callsIn(runner.exchanges());
  const { producers = {} } = state.settings;
  const found: CreatedThings[] = [];
  for (const remover of run.instances) {
    const name = remover.functionName ?? '';
    const accepted = calls.filter((call) => call.functionName === name);
    const proven = accepted.at(-1)?.input;
    if (!VERBS_OF_REMOVAL.has(wordsIn(name)[0] ?? '') || proven === undefined) continue;
    const consumer = {
      descriptor: isJsonObject(remover.item) ? remover.item : {},
      refused: withoutValues(proven),
      onlyOwn: true,
      producers: Object.hasOwn(producers, name) ? (producers[name] ?? {}) : {},
    };
    const inputs = createdIn(calls, state).flatMap((thing): readonly JsonObject[] => {
      const [candidate] = learnedInputs(consumer, [thing], schemas);
      return candidate?.learned.every(({ place }) => place === 'answer')
        ? [{ ...proven, ...candidate.input }]
        : [];
    });
    const removed = new Set(accepted.map(({ input }) => canonicalJson(input)));
    const left = inputs.filter((input) => !removed.has(canonicalJson(input))).toReversed();
    const callAgain = createCallAgain(step, state, runner, removedKey);
    let [refused, more] = [0, 0];
    for (const input of left.slice(0, MAX_REMOVED)) {
      const made = await callAgain(remover, input, 'learned');
      if (made === null || refused >= MAX_REFUSED) break;
      refused = hasResult(made) ? 0 : refused + 1;
      more += hasResult(made) ? 1 : 0;
    }
    const created = inputs.length;
    if (created > 0) found.push({ remover: name, created, removed: created - left.length + more });
  }
  return found;
}

function isGone({ outage: { silentBy, goneBy } }: RunState): boolean {
  return silentBy !== null || goneBy !== null;
}

interface Call extends ObservedCall {
  readonly input: JsonObject;
}

/** Calls that were answered with a result, in their order. */
function callsIn(exchanges: readonly Exchange[]): readonly Call[] {
  return exchanges
    .toSorted((one, other) => one.timing.startedAtMs - other.timing.startedAtMs)
    .flatMap((exchange): readonly Call[] => {
      const { body } = exchange.request;
      if (body === null || !('text' in body) || exchange.kind === 'unanswered') return [];
      const sent = parsed(body.text);
      const functionName = ownProperty(sent, 'function');
      const input = ownProperty(sent, 'parameters') ?? ownProperty(sent, 'input') ?? {};
      const result = isSuccess(exchange.response.status) ? payloadOf(jsonBody(exchange).value) : undefined;
      if (typeof functionName !== 'string' || !isJsonObject(input) || result === undefined) return [];
      return [{ ...observedCall(functionName, input, result, true), input }];
    });
}

/** Answers of changing functions, with the values that no earlier call sent or received. */
function createdIn(
  calls: readonly Call[],
  { restraint, learned, settings }: RunState,
): readonly ObservedCall[] {
  const functions = learned.saved.get('functions');
  const listed = Array.isArray(functions) ? (functions as readonly Json[]) : [];
  const changing = new Set(
    listed.filter((one) => restraint.mayChange(one)).map((one) => ownProperty(one, 'name')),
  );
  const seen = new Set<Json>();
  return calls.flatMap((call) => {
    for (const { value } of leavesOf(call.input)) seen.add(value);
    const values = call.values.filter(({ value }) => !seen.has(value));
    for (const { value } of leavesOf(call.result)) seen.add(value);
    const isOwn = settings.mutating.default === 'allow' || hasRandomText(call.input);
    return isOwn && changing.has(call.functionName) && values.length > 0 ? [{ ...call, values }] : [];
  });
}

/** So that any value is another one than that of the input. */
function withoutValues(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(input).map((name) => [name, null]));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // The step sent it to be refused.
    return undefined;
  }
}
