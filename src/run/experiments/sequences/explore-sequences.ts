import { callSequences, type SequenceFunction, type Unmade } from '../../../inputs/explore/call-sequences.ts';
import type { JsonObject } from '../../../json/json.ts';
import type { ExploringSettings } from '../../../model/report.ts';
import type { RunState } from '../../calls/run-state.ts';
import { hasResult } from '../../requests/call-again.ts';
import { type InstanceRun, instancesOf, type Skip } from '../../state/record.ts';
import type { RunInput } from '../../state/run-input.ts';
import { exploringOf, timeForMs } from '../../steps/exploring-settings.ts';
import { asksExecute } from '../../steps/step-kinds.ts';
import { defineExperiment } from '../define-experiment.ts';
import { Ended, explorableCalls, exploringCalls, wantedOf } from '../exploring-calls.ts';
import { again, faultOf, type Next, type Played, passingIn, SequencePlayer } from '../play-sequence.ts';
import { intended } from './link-calls.ts';
import { shorten } from './shorten-sequence.ts';

/**
 * Calls functions one after the other, each with values of the calls before, and looks for the shortest sequence that
 * shows each fault.
 */
export const sequences = defineExperiment(
  'sequences',
  'functions one after the other with values of the calls before; only `probity fuzz` does',
  async (lab) => {
    const { turn, instances, runner, input } = lab;
    const settings = exploringOf(input.settings);
    const none = (reason: string): Skip => ({ kind: 'inapplicable', reason });
    if ((settings.sequences ?? 0) === 0 || input.planning === true)
      return none('sequences are called by probity fuzz --allow-mutating only');
    const wanted = wantedOf(instances, settings);
    if ('kind' in wanted) return wanted;
    const callable = wanted.filter(({ item }) => turn.restraint.of(item) === null);
    if (!callable.some(({ item }) => turn.restraint.mayChange(item)))
      return none('no function changes something and may be called often');
    const calls = exploringCalls(turn, timeForMs('sequences', settings), runner, input)();
    const state = lab.state();
    const player = new SequencePlayer(turn, calls, callable, input, state.learned.inputs);
    const explorer = new SequenceExplorer(player, input, calledWithResult(state));
    const made = await explorer.explore();
    lab.notes.inSequences = { faults: explorer.faults, single: explorer.single };
    if (made.length > 0) return made;
    const received = calls.endedBy ?? 'no answer';
    return {
      kind: 'undecided',
      doubt: { message: 'no sequence of calls was made', expected: 'an answer', received },
    };
  },
  explorableCalls,
);

/** Functions that are also called alone: the others already failed. */
function calledWithResult({ ended }: RunState): ReadonlySet<string> {
  const calls = [...ended.values()].filter(({ step }) => asksExecute(step.request)).flatMap(instancesOf);
  return new Set(calls.filter(hasResult).map(({ functionName }) => functionName ?? ''));
}

const MAX_WATCHING = 3;
/** A fault that is not seen again is looked for this often. */
const MAX_UNSTEADY = 5;

class SequenceExplorer {
  readonly #player: SequencePlayer;
  readonly #input: RunInput;
  readonly #settings: ExploringSettings;
  readonly #calledAlone: ReadonlySet<string>;
  /** Functions without parameters that only read, and so show what others did. */
  #watching: readonly string[] = [];
  readonly #passing: InstanceRun[] = [];
  /** The last calls of the shortest sequences that fail. */
  readonly #faulty: InstanceRun[] = [];
  readonly faults = new Set<string>();
  readonly single = new Map<string, JsonObject[]>();
  /** Faults that every later call of the function shows. */
  readonly #broken = new Set<string>();
  /** Of faults that were not seen again in a sequence: how often, and the first sequence. */
  readonly #unsteady = new Map<string, { readonly times: number; readonly found: Played }>();

  constructor(player: SequencePlayer, input: RunInput, calledAlone: ReadonlySet<string>) {
    this.#player = player;
    this.#input = input;
    this.#settings = exploringOf(input.settings);
    this.#calledAlone = calledAlone;
  }

  async explore(): Promise<readonly InstanceRun[]> {
    const { producers = {}, seed } = this.#input.settings;
    const { sequences: perGroup = 0, firstSequences = [] } = this.#settings;
    try {
      // A name may be taken since, or the fault may need the very value.
      for (const [index, calls] of firstSequences.entries())
        for (const isFresh of [false, true])
          await this.#try(
            again(calls.map((call) => ({ ...call, isFresh }))),
            `known-${isFresh ? 'fresh' : 'same'}-${index + 1}`,
          );
      const functions: SequenceFunction[] = [];
      for (const [name, subject] of this.#player.subjects) {
        const { made } = await this.#try(
          intended([{ name, input: 'fresh', choice: 0 }], this.#player, this.#input),
          'alone',
        );
        functions.push({ ...subject, name, alone: made[0]?.observed ?? null });
      }
      this.#watching = functions
        .filter(
          ({ mayChange, proven, alone }) => !mayChange && Object.keys(proven).length === 0 && alone !== null,
        )
        .map(({ name }) => name)
        .slice(0, MAX_WATCHING);
      const plans = callSequences(functions, producers, this.#input.schemas, { seed, perGroup });
      for (const [index, plan] of plans.entries())
        await this.#try(intended(plan, this.#player, this.#input), `sequence-${index + 1}`);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      if (error.cutShort !== null) this.#passing.push(error.cutShort);
    }
    for (const fault of this.#broken) {
      const found = this.#unsteady.get(fault)?.found;
      if (found !== undefined && !this.faults.has(fault)) this.#keep(found);
    }
    return [...this.#passing, ...this.#faulty];
  }

  async #try(next: Next, name: string): Promise<Played> {
    const played = await this.#player.play(next, name);
    const found = played.fails ? played : await this.#watch(played, name);
    this.#passing.push(...passingIn(played));
    const fault = faultOf(found);
    if (fault === null || this.faults.has(fault)) return played;
    const before = this.#unsteady.get(fault) ?? { times: 0, found };
    if (before.times >= MAX_UNSTEADY) return played;
    this.#unsteady.set(fault, { ...before, times: before.times + 1 });
    await this.#keepShortest(found, fault, name);
    return played;
  }

  /** Looks for what the sequence broke for functions that are not part of it. */
  async #watch(played: Played, name: string): Promise<Played> {
    for (const [index, functionName] of this.#watching.entries()) {
      const last: Unmade = { functionName, input: {}, from: {}, isFresh: false };
      const watched = await this.#player.play(
        (made) => (made.length === 0 ? last : null),
        `${name}-watched-${index + 1}`,
        played.made,
      );
      if (watched.fails) return watched;
      this.#passing.push(...passingIn(watched).slice(played.made.length));
    }
    return played;
  }

  async #keepShortest(found: Played, fault: string, name: string): Promise<void> {
    let shortest: Played | null = null;
    try {
      const shortening = { found, fault, name, most: this.#settings.smaller };
      const { isBroken } = await shorten(this.#player, shortening, (shorter) => {
        shortest = shorter;
      });
      if (isBroken) this.#broken.add(fault);
    } catch (error) {
      // What was found so far counts.
      if (error instanceof Ended) shortest ??= found;
      throw error;
    } finally {
      if (shortest !== null) this.#keep(shortest);
    }
  }

  #keep(shortest: Played): void {
    const { made } = shortest;
    const [last, fault] = [made.at(-1), faultOf(shortest)];
    if (last === undefined || fault === null) return;
    const { functionName } = last.call;
    if (made.length === 1 && this.#calledAlone.has(functionName)) {
      this.single.set(functionName, [...(this.single.get(functionName) ?? []), last.input]);
      return;
    }
    this.faults.add(fault);
    this.#faulty.push(last.instance);
  }
}
