import type { InstanceRun } from '../state/record.ts';
import { exploringOf, exploringOfEach, timeForMs } from '../steps/exploring-settings.ts';
import { defineExperiment } from './define-experiment.ts';
import { explorableCalls, exploringCalls, wantedOf } from './exploring-calls.ts';
import { FunctionExplorer } from './function-explorer.ts';

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
    const explored = [...calls, ...firstLost(explorers.flatMap(({ kept }) => kept.lost ?? []))];
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
