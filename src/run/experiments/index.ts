import type { Experiment, Step } from '../../model/suite.ts';
import type { InstanceRun, Skip } from '../record.ts';
import { burst } from './burst.ts';
import { concurrentCalls } from './concurrent-calls.ts';
import { concurrentCreations } from './concurrent-creations.ts';
import { generatedInputs } from './generated-inputs.ts';
import type { Laboratory } from './laboratory.ts';
import { readsAroundCalls } from './reads-around-calls.ts';
import { sequences } from './sequences/explore-sequences.ts';
import { timedCalls } from './timed-calls.ts';
import { watchedCalls } from './watched-calls.ts';

interface ExperimentInCode {
  readonly run: (lab: Laboratory) => Promise<Skip | readonly InstanceRun[]>;
  /** The step whose calls the experiment gets; null if it makes only rounds of its own. */
  readonly callsOf: ((step: Step) => Step) | null;
}

/** Each experiment that a suite can name. To add one: a file here, and its name in model/suite.ts. */
export const EXPERIMENT_CODE: Readonly<Record<Experiment['name'], ExperimentInCode>> = {
  'timed-calls': { run: timedCalls, callsOf: (step) => step },
  'watched-calls': { run: watchedCalls, callsOf: null },
  'concurrent-calls': { run: concurrentCalls, callsOf: null },
  'concurrent-creations': { run: concurrentCreations, callsOf: null },
  'reads-around-calls': { run: readsAroundCalls, callsOf: annotatedCalls },
  'generated-inputs': { run: generatedInputs, callsOf: explorableCalls },
  sequences: { run: sequences, callsOf: explorableCalls },
  burst: { run: burst, callsOf: (step) => step },
};

function explorableCalls(step: Step): Step {
  const { request, rounds } = step;
  return {
    ...step,
    request: request?.kind === 'execute' ? { ...request, arguments: { kind: 'generated' } } : request,
    rounds: { ...rounds, forEach: rounds.forEach && { ...rounds.forEach, functions: 'explorable' } },
  };
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
