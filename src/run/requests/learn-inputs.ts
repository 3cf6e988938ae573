import { isRefusal } from '../../checks/errors/error-answer.ts';
import { leavesOf } from '../../checks/execute/answer-essence.ts';
import { inputWithOptional } from '../../inputs/call-inputs.ts';
import { type LearnedInput, learnedInputs, producersOf } from '../../inputs/learned-inputs.ts';
import type { ObservedCall } from '../../inputs/observed-values.ts';
import { variedInput } from '../../inputs/vary-input.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../json/json.ts';
import { type InputSource, isGuess } from '../../model/call.ts';
import { isRateLimited } from '../../model/rate-limit.ts';
import type { Step } from '../../model/suite.ts';
import { MAX_CALLS_OF_CHANGING } from '../calls/restraint.ts';
import { type RunState, requestsEndAtMs } from '../calls/run-state.ts';
import type { KnownInput } from '../state/learned.ts';
import type { InstanceRun } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import { type CallAgain, createCallAgain, hasResult, observe, restoreValues } from './call-again.ts';
import type { InstanceRunner } from './run-instances.ts';

/** A value that is learned in one round may be what another function needs. */
const MAX_ROUNDS = 3;
const MAX_FUNCTIONS = 40;
const MAX_INPUTS_OF_READING = 6;
const MAX_INPUTS_OF_CHANGING = 2;
/** Calls of a changing function that are left for the steps after this one. */
const CALLS_LEFT = 3;
/** What was just created may be visible a little later. */
const POLLS_MS = [100, 200, 400, 800] as const;
const MAX_POLLED_FUNCTIONS = 3;

/**
 * Calls the functions that refused a guessed input again, with values that other calls sent or received. A function
 * that may change something only gets values of what this check created, each call another one. Returns the change of
 * the state, which other steps may have changed in the meantime.
 */
export async function learnInputs(
  state: RunState,
  runner: InstanceRunner,
  input: RunInput,
): Promise<(now: RunState) => RunState> {
  const { formStep: step } = input.selection;
  const run = step === null || state.planning ? undefined : state.ended.get(step.id);
  if (step === null || run?.kind !== 'ran') return (now) => now;
  const learner = new InputLearner(step, state, run.instances, runner, input.schemas);
  await learner.learn();
  const { instances, inputs, callAgain } = learner;
  for (const replaced of run.instances.filter((one) => !instances.includes(one))) runner.keepAside(replaced);
  await restoreValues(instances, state.restraint, callAgain);
  return (now) => ({
    ...now,
    learned: { ...now.learned, inputs },
    ended: new Map([...now.ended, [step.id, { ...run, instances }]]),
  });
}

class InputLearner {
  readonly callAgain: CallAgain;
  readonly #state: RunState;
  readonly #scheduler: InstanceRunner['scheduler'];
  readonly #endsAtMs: number;
  readonly #schemas: RunInput['schemas'];
  readonly #tried = new Map<string, Set<string>>();
  readonly #observed: ObservedCall[];
  #polledFunctions = 0;
  /** Of each function, the call that was answered with a result, if there was one. */
  readonly instances: InstanceRun[];
  readonly inputs = new Map<string, KnownInput>();

  constructor(
    step: Step,
    state: RunState,
    instances: readonly InstanceRun[],
    runner: InstanceRunner,
    schemas: RunInput['schemas'],
  ) {
    this.callAgain = createCallAgain(step, state, runner);
    this.#state = state;
    this.#scheduler = runner.scheduler;
    this.#endsAtMs = requestsEndAtMs(step, state);
    this.#schemas = schemas;
    this.instances = [...instances];
    this.#observed = instances.flatMap((instance) => observe(instance, state.restraint));
  }

  async learn(): Promise<void> {
    const { restraint } = this.#state;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // Functions that only read come first, so that nothing has been used up before.
      const refused = this.instances
        .filter(refusedGuess)
        .toSorted((left, right) => restraint.rankOf(left.item ?? {}) - restraint.rankOf(right.item ?? {}))
        .slice(0, MAX_FUNCTIONS);
      let hasLearned = false;
      for (const instance of refused) {
        const answered = await this.#learnFor(instance);
        if (answered === null) continue;
        this.instances[this.instances.indexOf(instance)] = answered;
        this.#observed.push(...observe(answered, restraint));
        hasLearned = true;
      }
      if (!hasLearned) break;
    }
    // Nothing of its own was found for them: the guess, which is unlikely to be of somebody else, shows what they answer.
    for (const instance of this.instances.filter(awaitsOwn)) {
      const { call, key } = instance;
      const made = call?.input == null ? null : await this.callAgain(instance, call.input, 'assembled');
      if (made !== null) this.instances[this.instances.findIndex((one) => one.key === key)] = made;
    }
  }

  /** The call with an input that the function accepts; null if none is found. */
  async #learnFor(instance: InstanceRun): Promise<InstanceRun | null> {
    const { call } = instance;
    // What a call without input needs may exist only since other calls were made.
    if (call === null || Object.keys(call.input ?? {}).length === 0)
      return (await this.#accepted(instance, {}, call?.inputSource)) ?? this.#withOptional(instance);
    const isChanging = this.#isChanging(instance);
    const tried = this.#tried.get(instance.key) ?? new Set();
    this.#tried.set(instance.key, tried);
    for (const candidate of this.#candidatesFor(instance, this.#observed)) {
      if (tried.size >= (isChanging ? MAX_INPUTS_OF_CHANGING : MAX_INPUTS_OF_READING)) return null;
      const text = canonicalJson(candidate.input);
      if (tried.has(text)) continue;
      tried.add(text);
      const learned = isChanging ? await this.#onItsOwn(instance, candidate) : candidate;
      if (learned === null) continue;
      const answered =
        (await this.#accepted(instance, learned.input)) ??
        (isChanging ? null : await this.#poll(instance, learned));
      if (answered === null) continue;
      const fixed = learned.learned.map(({ parameter }) => parameter);
      this.inputs.set(instance.functionName ?? '', { ...learned, fixed });
      return answered;
    }
    return null;
  }

  /** A tool may need one of the parameters that its schema lets callers leave out. */
  async #withOptional(instance: InstanceRun): Promise<InstanceRun | null> {
    if (this.#state.settings.mcp === undefined || this.#tried.has(instance.key)) return null;
    this.#tried.set(instance.key, new Set());
    const input = inputWithOptional(descriptorOf(instance), this.#schemas);
    const answered = input === null ? null : await this.#accepted(instance, input, 'assembled');
    if (input !== null && answered !== null)
      this.inputs.set(instance.functionName ?? '', { input, learned: [], fixed: [] });
    return answered;
  }

  async #accepted(
    instance: InstanceRun,
    input: JsonObject,
    source: InputSource = 'learned',
  ): Promise<InstanceRun | null> {
    const made = await this.callAgain(instance, input, source);
    return made !== null && hasResult(made) ? made : null;
  }

  #isChanging({ item }: InstanceRun): boolean {
    return this.#state.restraint.of(item) !== null;
  }

  #candidatesFor(instance: InstanceRun, observed: readonly ObservedCall[]): readonly LearnedInput[] {
    const consumer = {
      descriptor: descriptorOf(instance),
      refused: instance.call?.input ?? {},
      onlyOwn: this.#isChanging(instance),
      producers: producersOf(instance.functionName ?? '', this.#state.settings.producers ?? {}),
    };
    return learnedInputs(consumer, observed, this.#schemas);
  }

  /**
   * The input with values of something that is created for this call, which may use it up. Null if nothing can be
   * created.
   */
  async #onItsOwn(instance: InstanceRun, candidate: LearnedInput): Promise<LearnedInput | null> {
    const [{ from } = { from: '' }] = candidate.learned;
    const producer = this.instances.find((one) => one.functionName === from && hasResult(one));
    // What the configuration names may come from a function that only reads.
    if (producer === undefined || !this.#isChanging(producer)) return candidate;
    const before = new Set(
      this.#observed.flatMap(({ result }) => leavesOf(result).map(({ value }) => value)),
    );
    const created = await this.#create(producer);
    const [own] = created === null ? [] : this.#candidatesFor(instance, [withoutKnown(created, before)]);
    return own ?? (candidate.learned.every((one) => one.place === 'input') ? candidate : null);
  }

  async #create(producer: InstanceRun): Promise<ObservedCall | null> {
    const { settings, restraint } = this.#state;
    const name = producer.functionName ?? '';
    const before = this.#scheduler.calls().get(name) ?? 0;
    const proven = producer.call?.input ?? null;
    if (proven === null || before >= MAX_CALLS_OF_CHANGING - CALLS_LEFT) return null;
    const varied = variedInput(
      proven,
      descriptorOf(producer),
      `${settings.seed}/${before}`,
      this.#schemas,
      this.inputs.get(name)?.fixed,
    );
    // A name may be taken, and a variation may be refused.
    for (const input of [varied, proven]) {
      const made = await this.callAgain(producer, input, 'assembled');
      const [observed] = made === null ? [] : observe(made, restraint);
      if (observed === undefined) continue;
      this.#observed.push(observed);
      return observed;
    }
    return null;
  }

  /** Reads again for a while what was just created. */
  async #poll(instance: InstanceRun, { input, learned }: LearnedInput): Promise<InstanceRun | null> {
    const isNew = this.#observed.some(
      ({ functionName, isOwn }) => isOwn && learned.some(({ from }) => from === functionName),
    );
    if (!isNew || this.#polledFunctions >= MAX_POLLED_FUNCTIONS) return null;
    this.#polledFunctions += 1;
    for (const durationMs of POLLS_MS) {
      await this.#scheduler.wait(durationMs, this.#endsAtMs);
      const answered = await this.#accepted(instance, input);
      if (answered !== null) return answered;
    }
    return null;
  }
}

/** An answer may also name what others created: the author, or all entries of a list. What is new was not seen before. */
function withoutKnown(created: ObservedCall, before: ReadonlySet<Json>): ObservedCall {
  const values = created.values.filter(({ place, value }) => place === 'input' || !before.has(value));
  return { ...created, values };
}

function descriptorOf({ item }: InstanceRun): JsonObject {
  return isJsonObject(item) ? item : {};
}

function awaitsOwn({ call }: InstanceRun): boolean {
  return call?.inputSource === 'awaits-own';
}

function refusedGuess(instance: InstanceRun): boolean {
  if (awaitsOwn(instance)) return true;
  const { call, exchanges } = instance;
  const [exchange] = exchanges;
  if (call === null || exchange === undefined || exchange.kind === 'unanswered') return false;
  const isOpen = isGuess(call.inputSource) || ['example', 'none-needed'].includes(call.inputSource);
  return isOpen && isRefusal(exchange) && !isRateLimited(exchange);
}
