import { isReadChangedByCalls, type RoundCall, roundCall } from '../../checks/mcp/nothing-changed.ts';
import { repeatedKey } from '../../model/exchange-key.ts';
import { usedStepIds } from '../../model/suite.ts';
import { createCallAgain } from '../call-again.ts';
import type { PlannedInstance } from '../expand-context.ts';
import type { InstanceRun } from '../record.ts';
import type { InstanceRunner, StepTurn } from '../run-instances.ts';
import type { RunState } from '../run-state.ts';

const PAUSES = 2;
const MIN_PAUSE_MS = 300;
/** A change that needs longer calls to be seen stays undecided. */
const MAX_PAUSE_MS = 10_000;

/**
 * Calls functions in rounds, one for each case of the step, and repeats the reads of another step before the first round
 * and after each. Only if a read differs after every round, it is repeated after two pauses as well, each as long as all
 * rounds together: what changes by itself changes in them too, however slow the calls are.
 */
export async function readsAroundCalls(
  turn: StepTurn,
  instances: readonly PlannedInstance[],
  runner: InstanceRunner,
  state: RunState,
): Promise<readonly InstanceRun[]> {
  const { step } = turn;
  const [readStep] = usedStepIds(step);
  const read = state.steps.find(({ id }) => id === readStep);
  const run = read === undefined ? undefined : state.ended.get(read.id);
  if (read === undefined || run?.kind !== 'ran') return runner.run(turn, instances, () => undefined);
  const made: InstanceRun[] = [];
  const callAgain = createCallAgain(
    read,
    state,
    runner,
    (call, number) => repeatedKey(call, step.id, number),
    (again) => made.push(again),
  );
  const readAll = async (): Promise<void> => {
    for (const one of run.instances) await callAgain(one, one.call?.input ?? {}, 'proven');
  };
  await readAll();
  for (const round of new Set(instances.map(({ caseId }) => caseId))) {
    const called = instances.filter(({ caseId }) => caseId === round);
    made.push(...(await runner.run(turn, called, () => undefined)));
    await readAll();
  }
  const rounds = callsOf(made);
  if (!isReadChangedByCalls(rounds)) return made;
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, spanMs(rounds)));
  for (let pauses = 0; pauses < PAUSES; pauses += 1) {
    await runner.wait(pauseMs, turn.endsAtMs);
    // Servers that take turns answer every second read alike: with one call more, the other one is seen too.
    const [first] = run.instances;
    if (pauses > 0 && first !== undefined) await callAgain(first, first.call?.input ?? {}, 'proven');
    await readAll();
  }
  return made;
}

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
