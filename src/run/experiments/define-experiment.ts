import type { Step } from '../../model/suite.ts';
import type { InstanceRun, Skip } from '../state/record.ts';
import type { Laboratory } from './laboratory.ts';

export interface ExperimentCode {
  readonly run: (lab: Laboratory) => Promise<Skip | readonly InstanceRun[]>;
  /** The step whose calls the experiment gets; null if it makes only its own rounds. */
  readonly callsOf: ((step: Step) => Step) | null;
}

/**
 * An experiment that suites can name. The build finds it by its export, and copies its words, which say what it calls,
 * into the documentation of the suite language.
 */
export function defineExperiment(
  _name: string,
  _words: string,
  run: ExperimentCode['run'],
  callsOf: ExperimentCode['callsOf'] = null,
): ExperimentCode {
  return { run, callsOf };
}
