import { isReadChangedByCalls, type RoundCall, roundCall } from '../../checks/mcp/nothing-changed.ts';
import { repeatedKey } from '../../model/exchange-key.ts';
import type { Step } from '../../model/suite.ts';
import { createCallAgain } from '../requests/call-again.ts';
import type { InstanceRun } from '../state/record.ts';
import { defineExperiment } from './define-experiment.ts';

const PAUSES = 2;
const MIN_PAUSE_MS = 300;
/** A change that needs longer calls to be seen stays undecided. */
const MAX_PAUSE_MS = 10_000;

const MAX_READS = 3;
/** A call without parameters reads the same each time. */
const WITHOUT_PARAMETERS = { properties: { parameters: { properties: { required: { maxItems: 0 } } } } };

/**
 * Calls functions in rounds, one for each case of the step, and functions that read before the first round and after
 * each. Only if a read differs after every round, the reads are repeated after two pauses as well, each as long as all
 * rounds together: what changes by itself changes in them too, however slow the calls are.
 */
export const readsAroundCalls = defineExperiment(
  'reads-around-calls',
  'in rounds, one for each case, with calls of functions that read before and after each, and after pauses if they differ after every round',
  async (lab) => {
    const { turn, instances, runner } = lab;
    const reads = await lab.round({
      role: 'reads',
      functions: 'reads',
      first: MAX_READS,
      input: 'sample',
      alone: true,
      where: WITHOUT_PARAMETERS,
    });
    if (reads.kind !== 'ran') return runner.run(turn, instances);
    const made: InstanceRun[] = [];
    const callAgain = createCallAgain(
      reads.step,
      lab.state(),
      runner,
      (call, number) => repeatedKey(call, turn.step.id, number),
      (again) => made.push(again),
    );
    const readAll = async (): Promise<void> => {
      for (const one of reads.instances) await callAgain(one, one.call?.input ?? {}, 'proven');
    };
    await readAll();
    for (const round of new Set(instances.map(({ caseId }) => caseId))) {
      const called = instances.filter(({ caseId }) => caseId === round);
      made.push(...(await runner.run(turn, called)));
      await readAll();
    }
    const rounds = callsOf(made);
    if (!isReadChangedByCalls(rounds)) return made;
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, spanMs(rounds)));
    for (let pauses = 0; pauses < PAUSES; pauses += 1) {
      await runner.scheduler.wait(pauseMs, turn.endsAtMs);
      // Servers that take turns answer every second read alike: with one call more, the other one is seen too.
      const [first] = reads.instances;
      if (pauses > 0 && first !== undefined) await callAgain(first, first.call?.input ?? {}, 'proven');
      await readAll();
    }
    return made;
  },
  annotatedCalls,
);

function callsOf(made: readonly InstanceRun[]): readonly RoundCall[] {
  return made.flatMap(({ exchanges, call, caseId }) =>
    exchanges.flatMap((exchange) => roundCall({ exchange, call, caseId })),
  );
}

/** From the first call to the end of the last one. */
function spanMs(calls: readonly RoundCall[]): number {
  const [first, last] = [calls[0], calls.at(-1)];
  return first === undefined || last === undefined ? 0 : last.endedAtMs - first.startedAtMs;
}

/** Only functions that read, and quickly, get an input that nobody knows. */
function annotatedCalls(step: Step): Step {
  const { request, rounds } = step;
  const isKnown = request?.kind !== 'execute' || request.arguments.kind !== 'distinct';
  const functions = isKnown ? null : 'reads';
  return {
    ...step,
    rounds: { ...rounds, alone: true, forEach: rounds.forEach && { ...rounds.forEach, functions } },
  };
}
