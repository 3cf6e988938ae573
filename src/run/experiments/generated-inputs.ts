import { borrowed, PAIR_TRIALS, type PairRole, pairCase } from '../../checks/inputs/callers-apart.ts';
import { exploredCalls } from '../../checks/inputs/explored-calls.ts';
import { differenceIn } from '../../checks/inputs/same-kind.ts';
import { saysNothingOfServer } from '../../checks/transport-advice.ts';
import { exploringInputs } from '../../inputs/explore/exploring-inputs.ts';
import { type MakePair, pairedInputs } from '../../inputs/explore/paired-inputs.ts';
import { isSmaller, SmallerInputs } from '../../inputs/explore/smaller-inputs.ts';
import { type JsonObject, ownProperty } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { ForeignSchema } from '../../model/schema-evaluator.ts';
import { chooseEvenly } from '../calls/expand.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import { type ExploringOfEach, exploringOf, exploringOfEach, timeForMs } from '../exploring-settings.ts';
import type { FoundInSequences } from '../laboratory.ts';
import type { InstanceRun } from '../record.ts';
import type { RunInput } from '../run-input.ts';
import { defineExperiment } from './define-experiment.ts';
import { Ended, type ExploringCalls, explorableCalls, exploringCalls, wantedOf } from './exploring-calls.ts';
import { faultIn } from './play-sequence.ts';

/**
 * Calls each function with many inputs, a few at once, and looks for the smallest one that shows each fault.
 * Ends early when the target limits the rate or no longer answers.
 */
export const generatedInputs = defineExperiment(
  'generated-inputs',
  'functions that change nothing with many valid and invalid inputs, and the smallest one that shows each fault',
  async (lab) => {
    const { turn, instances, runner, input } = lab;
    const { inSequences } = lab.notes;
    const settings = exploringOf(input.settings);
    const wanted = wantedOf(instances, settings);
    if ('kind' in wanted) return wanted;
    const newCalls = exploringCalls(turn, timeForMs('single-calls', settings), runner, input);
    const withParameters = wanted.filter(({ call }) => Object.keys(call?.input ?? {}).length > 0).length;
    const ofEach = exploringOfEach(input.settings, withParameters);
    const explorers = wanted.map((instance) => {
      const mayChange = turn.restraint.mayChange(instance.item);
      return new FunctionExplorer(newCalls(), instance, mayChange, ofEach, input, inSequences);
    });
    const [changing, reading] = [true, false].map((is) =>
      explorers.filter(({ mayChange }) => mayChange === is),
    );
    const calls = (await Promise.all((reading ?? []).map((explorer) => explorer.explore()))).flat();
    // What they change must not be blamed on others.
    for (const explorer of changing ?? []) calls.push(...(await explorer.explore()));
    const explored = [...calls, ...firstLost(explorers.flatMap(({ lost }) => lost ?? []))];
    if (explored.length > 0) return explored;
    const ended = explorers.find(({ endedBy }) => endedBy !== null)?.endedBy;
    if (ended == null)
      return {
        kind: 'inapplicable',
        reason: 'no function has parameters from which inputs can be generated',
      };
    const message = 'no generated input was answered';
    // A check does not need the answers of a target that limits the rate or is gone.
    if (input.settings.exploring === undefined)
      return { kind: 'inapplicable', reason: `${message}; received ${ended}` };
    return { kind: 'undecided', doubt: { message, expected: 'an answer', received: ended } };
  },
  explorableCalls,
);

/**
 * When the server ends, every call in flight loses its connection. The one that was sent first is the likeliest cause:
 * calls that were sent before it were answered.
 */
function firstLost(lost: readonly InstanceRun[]): readonly InstanceRun[] {
  const startOf = ({ exchanges }: InstanceRun): number => exchanges[0]?.timing.startedAtMs ?? 0;
  return lost.toSorted((one, other) => startOf(one) - startOf(other)).slice(0, 1);
}

/** Of an input that is answered in two ways: a fault may show at every few calls only. */
const MAX_REPEATED = 8;

type Source = 'explored' | 'explored-invalid';

const MAX_SMALLEST_AGAIN = 10;

class FunctionExplorer {
  readonly #calls: ExploringCalls;
  readonly #planned: PlannedInstance;
  readonly #input: RunInput;
  readonly #settings: ExploringOfEach;
  /** Of the parameters. */
  readonly #schema: ForeignSchema;
  /** Calls that show no fault of a single answer. */
  readonly #passing: InstanceRun[] = [];
  /** The calls with valid inputs among them, and those of which nothing is known. */
  readonly #repeatable: InstanceRun[] = [];
  /** The smallest call for each requirement that fails. */
  readonly #faulty: InstanceRun[] = [];
  /** Requirements for which the smallest failing input was sought. */
  readonly #failed = new Set<string>();
  /** A call that lost its connection when the server ended; null if there was none. */
  lost: InstanceRun | null = null;

  readonly #inSequences: FoundInSequences;
  /** Its answers may depend on earlier calls, so only single answers are judged. */
  readonly mayChange: boolean;

  constructor(
    calls: ExploringCalls,
    planned: PlannedInstance,
    mayChange: boolean,
    settings: ExploringOfEach,
    input: RunInput,
    inSequences: FoundInSequences,
  ) {
    this.#inSequences = inSequences;
    this.#calls = calls;
    this.mayChange = mayChange;
    this.#planned = planned;
    this.#input = input;
    this.#settings = settings;
    this.#schema = input.schemas.foreign(ownProperty(planned.item, 'parameters') ?? {});
  }

  /** Why exploring ended early; null as long as it goes on. */
  get endedBy(): string | null {
    return this.#calls.endedBy;
  }

  async explore(): Promise<readonly InstanceRun[]> {
    const { item, call } = this.#planned;
    const parameters = ownProperty(item, 'parameters');
    const proven = call?.input ?? {};
    if (parameters === undefined) return [];
    const { schemas, settings } = this.#input;
    const { valid, invalid, listed, pairs, first = {} } = this.#settings;
    const name = call?.functionName ?? '';
    const before = Object.hasOwn(first, name) ? (first[name] ?? []) : [];
    const single = this.#inSequences.single.get(name) ?? [];
    // In a check, other steps have judged the answer to it.
    const isJudged = this.#input.settings.exploring === undefined;
    const exploration = {
      proven,
      first: [...before, ...single, ...(isJudged ? [] : [proven])],
      seed: settings.seed,
      valid,
      invalid,
      listed,
    };
    const inputs = exploringInputs(parameters, exploration, schemas);
    try {
      await this.#tryAll([...inputs.valid], 'explored', 'valid');
      await this.#tryAll([...inputs.invalid], 'explored-invalid', 'invalid');
      if (this.mayChange) return this.#explored();
      await this.#repeat();
      const makers = pairs === 0 ? [] : pairedInputs(parameters, proven, schemas).slice(0, pairs);
      for (const [index, make] of makers.entries()) await this.#tryPair(index + 1, make);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      // A run that is cut short is not a pass.
      if (error.cutShort !== null) this.#passing.push(error.cutShort);
    }
    return this.#explored();
  }

  #explored(): readonly InstanceRun[] {
    return [...this.#passing, ...this.#faulty];
  }

  /** A few at once, unless each call may change what the next one finds. */
  async #tryAll(inputs: readonly JsonObject[], source: Source, kind: string): Promise<void> {
    const named = inputs.map((input, index) => ({ input, name: `${kind}-${index + 1}` }));
    for (const group of this.mayChange ? named.map((one) => [one]) : [named]) {
      const made = await Promise.allSettled(group.map(({ input, name }) => this.#call(input, source, name)));
      const ends: Ended[] = [];
      for (const one of made) {
        try {
          if (one.status === 'rejected') throw one.reason;
          // Those that were answered before the end count too.
          await this.#judge(one.value, source);
        } catch (error) {
          if (!(error instanceof Ended)) throw error;
          ends.push(error);
        }
      }
      const end = ends.find(({ cutShort }) => cutShort !== null) ?? ends[0];
      if (end !== undefined) throw end;
    }
  }

  async #judge(made: InstanceRun, source: Source): Promise<void> {
    const failed = this.#calls.failed(made);
    if (failed.length === 0) {
      if (!saysNothing(made)) this.#passing.push(made);
      if (source === 'explored') this.#repeatable.push(made);
    }
    if (this.#inSequences.faults.has(faultIn(made))) return;
    for (const requirement of failed) {
      if (this.#failed.has(requirement)) continue;
      this.#failed.add(requirement);
      const smallest = await this.#smallest(made, requirement, source);
      if (smallest !== null) this.#faulty.push(smallest);
    }
  }

  /** The smallest input that fails in the same way; null if the failure is not seen again. */
  async #smallest(found: InstanceRun, requirement: string, source: Source): Promise<InstanceRun | null> {
    const name = `smaller-${requirement.split('/')[1]}`;
    const smaller = new SmallerInputs(found.call?.input ?? {}, this.#settings.smaller);
    const fails = async (input: JsonObject): Promise<InstanceRun | null> => {
      const made = await this.#call(input, source, `${name}-${smaller.number}`, found.caseId);
      return this.#calls.failed(made).includes(requirement) ? made : null;
    };
    let smallest = found;
    try {
      if ((await fails(found.call?.input ?? {})) === null) return null;
      // Every smaller one would cost a whole time-out.
      if (found.exchanges.some(isTimeout)) return found;
      for (let input = smaller.next(); input !== null; input = smaller.next()) {
        const made = this.#isAs(source, input) ? await fails(input) : null;
        if (made === null) continue;
        smallest = made;
        smaller.accept(input);
      }
      return smallest;
    } catch (error) {
      // What was found so far counts.
      if (error instanceof Ended) this.#keepFaulty(smallest);
      throw error;
    }
  }

  /** Sends valid inputs again, and looks for the smallest one that is answered in two ways. */
  async #repeat(): Promise<void> {
    // The smallest have most edges, and are answered soonest. Where there is room for more, the others are as long as any.
    const inputOf = ({ call }: InstanceRun): JsonObject => call?.input ?? {};
    const { again: most } = this.#settings;
    const sorted = this.#repeatable.toSorted((one, other) =>
      isSmaller(inputOf(one), inputOf(other)) ? -1 : 1,
    );
    const few = Math.min(most, MAX_SMALLEST_AGAIN);
    const before = [...sorted.slice(0, few), ...chooseEvenly(sorted.slice(few), most - few)];
    let smallest: JsonObject | null = null;
    for (const [index, first] of before.entries()) {
      const input = inputOf(first);
      const again = await this.#call(input, 'explored', `again-${index + 1}`);
      this.#keep([again]);
      const differs = differenceIn(exploredCalls([first, again].flatMap(askedOf))) !== null;
      if (differs && (smallest === null || isSmaller(input, smallest))) smallest = input;
    }
    if (smallest === null) return;
    const smaller = new SmallerInputs(smallest, this.#settings.smaller);
    let calls = MAX_REPEATED;
    for (let input = smaller.next(); input !== null; input = smaller.next()) {
      if (!this.#isAs('explored', input)) continue;
      const made = await this.#callUntilItDiffers(input, calls, smaller.number);
      if (made === null) continue;
      calls = made.length;
      this.#keep(made);
      smaller.accept(input);
    }
  }

  /** Whether the declared parameters decide on the input as its source says. */
  #isAs(source: Source, input: JsonObject): boolean {
    const kind = source === 'explored' ? 'valid' : 'invalid';
    return this.#schema.kind === 'usable' && this.#schema.apply(input).kind === kind;
  }

  async #callUntilItDiffers(
    input: JsonObject,
    most: number,
    number: number,
  ): Promise<readonly InstanceRun[] | null> {
    const made: InstanceRun[] = [];
    while (made.length < most) {
      made.push(await this.#call(input, 'explored', `repeated-${number}-${made.length + 1}`));
      if (differenceIn(exploredCalls(made.flatMap(askedOf))) !== null) return made;
    }
    return null;
  }

  /** Calls with both inputs of a pair, and with other values as long as the answers are mixed up. */
  async #tryPair(number: number, make: MakePair): Promise<void> {
    const start = 3 * number;
    const [alone, ...inputs] = Array.from({ length: 1 + PAIR_TRIALS.length }, (_, trial) =>
      make(start + trial),
    );
    if (alone == null || inputs[0] == null) return;
    const call = (role: PairRole, input: JsonObject) => this.#call(input, 'explored', pairCase(number, role));
    const made = [await call('control', alone.second)];
    const [control] = exploredCalls(made.flatMap(askedOf));
    let before = control;
    for (const [trial, [firstRole, secondRole]] of PAIR_TRIALS.entries()) {
      const input = inputs[trial];
      if (input == null) break;
      const both = [await call(firstRole, input.first), await call(secondRole, input.second)];
      made.push(...both);
      const [first, second] = exploredCalls(both.flatMap(askedOf));
      if (borrowed(control, first, second, before).length === 0) break;
      before = second;
    }
    this.#keep(made);
  }

  /** Each fault of a single answer is kept once. */
  #keep(made: readonly InstanceRun[]): void {
    for (const one of made) {
      const failed = this.#calls.failed(one);
      if (saysNothing(one)) continue;
      if (failed.length === 0) this.#passing.push(one);
      else if (failed.some((requirement) => !this.#failed.has(requirement))) this.#keepFaulty(one);
      for (const requirement of failed) this.#failed.add(requirement);
    }
  }

  #keepFaulty(one: InstanceRun): void {
    if (one.exchanges.some(lostConnection)) this.lost ??= one;
    else this.#faulty.push(one);
  }

  #call(input: JsonObject, source: Source, name: string, caseId: string | null = name): Promise<InstanceRun> {
    return this.#calls.make(this.#planned, { input, source, name, caseId });
  }
}

const LOST: ReadonlySet<string> = new Set(['closed-early', 'connection-reset']);

/** A single answer that the harness could not read, for example because it was suspended meanwhile. */
function saysNothing({ exchanges }: InstanceRun): boolean {
  return exchanges.some((exchange) => exchange.kind === 'unanswered' && saysNothingOfServer(exchange.reason));
}

function isTimeout(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && exchange.reason.code === 'timeout';
}

function lostConnection(exchange: Exchange): boolean {
  return exchange.kind === 'unanswered' && LOST.has(exchange.reason.code);
}

function askedOf({ exchanges, call, item, caseId }: InstanceRun) {
  return exchanges.map((exchange) => ({ exchange, call, item, caseId }));
}
