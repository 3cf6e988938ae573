import { borrowed, PAIR_TRIALS, type PairRole, pairCase } from '../../checks/inputs/callers-apart.ts';
import { exploredCalls } from '../../checks/inputs/explored-calls.ts';
import { differenceIn } from '../../checks/inputs/same-kind.ts';
import { exploringInputs } from '../../inputs/explore/exploring-inputs.ts';
import { type MakePair, pairedInputs } from '../../inputs/explore/paired-inputs.ts';
import { isSmaller, SmallerInputs } from '../../inputs/explore/smaller-inputs.ts';
import { withShortWaits } from '../../inputs/short-waits.ts';
import { type JsonObject, ownProperty } from '../../json/json.ts';
import type { ForeignSchema } from '../../model/schema-evaluator.ts';
import { chooseEvenly } from '../calls/expand.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { InstanceRun } from '../state/record.ts';
import { failedBy } from '../state/request-outcome.ts';
import type { RunInput } from '../state/run-input.ts';
import type { ExploringOfEach } from '../steps/exploring-settings.ts';
import { Ended, type ExploringCalls, KeptCalls } from './exploring-calls.ts';
import type { FoundInSequences } from './laboratory.ts';
import { faultIn } from './play-sequence.ts';

/** Of an input that is answered in two ways: a fault may show at every few calls only. */
const MAX_REPEATED = 8;

type Source = 'explored' | 'explored-invalid';

const MAX_SMALLEST_AGAIN = 10;

/** Calls a function with many inputs, and looks for the smallest one that shows each fault. */
export class FunctionExplorer {
  readonly #calls: ExploringCalls;
  readonly #planned: PlannedInstance;
  readonly #input: RunInput;
  readonly #settings: ExploringOfEach;
  /** Of the parameters. */
  readonly #schema: ForeignSchema;
  /** The calls with valid inputs that show no fault of a single answer, and those of which nothing is known. */
  readonly #repeatable: InstanceRun[] = [];
  readonly kept: KeptCalls;
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
    this.kept = new KeptCalls(calls);
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
      if (this.mayChange) return this.kept.all();
      await this.#repeat();
      const makers =
        pairs === 0 ? [] : pairedInputs(withShortWaits(parameters), proven, schemas).slice(0, pairs);
      for (const [index, make] of makers.entries()) await this.#tryPair(index + 1, make);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      // A run that is cut short is not a pass.
      if (error.cutShort !== null) this.kept.passing.push(error.cutShort);
    }
    return this.kept.all();
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
      if (!this.#calls.saysNothing(made)) this.kept.passing.push(made);
      if (source === 'explored') this.#repeatable.push(made);
    }
    if (this.#inSequences.faults.has(faultIn(made))) return;
    for (const requirement of failed) {
      if (this.kept.failed.has(requirement)) continue;
      this.kept.failed.add(requirement);
      const smallest = await this.#smallest(made, requirement, source);
      if (smallest !== null) this.kept.faulty.push(smallest);
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
      if (found.exchanges.some((exchange) => failedBy(exchange, 'timeout'))) return found;
      for (let input = smaller.next(); input !== null; input = smaller.next()) {
        const made = this.#isAs(source, input) ? await fails(input) : null;
        if (made === null) continue;
        smallest = made;
        smaller.accept(input);
      }
      return smallest;
    } catch (error) {
      // What was found so far counts.
      if (error instanceof Ended) this.kept.addFaulty(smallest);
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
      this.kept.add([again]);
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
      this.kept.add(made);
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
    this.kept.add(made);
  }

  #call(input: JsonObject, source: Source, name: string, caseId: string | null = name): Promise<InstanceRun> {
    return this.#calls.make(this.#planned, { input, source, name, caseId });
  }
}

function askedOf({ exchanges, call, item, caseId }: InstanceRun) {
  return exchanges.map((exchange) => ({ exchange, call, item, caseId }));
}
