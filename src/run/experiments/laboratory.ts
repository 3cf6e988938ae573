import type { JsonObject } from '../../json/json.ts';
import type { NamedArguments } from '../../model/request-template.ts';
import type { FunctionKind, Step } from '../../model/suite.ts';
import type { PlannedInstance } from '../calls/expand-context.ts';
import type { RunState, StepTurn } from '../calls/run-state.ts';
import type { InstanceRunner } from '../requests/run-instances.ts';
import type { Answered } from '../state/learned.ts';
import { type InstanceRun, instancesOf, type Skip, type StepRun } from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';

/**
 * What an experiment works with. An experiment is a step of a suite that needs several requests whose answers are
 * compared: it makes the calls that its file tells, in that order, and leaves their exchanges to the checks of its step.
 */
export interface Laboratory {
  readonly turn: StepTurn;
  /** The calls of the step itself, one for each item and case. */
  readonly instances: readonly PlannedInstance[];
  readonly runner: InstanceRunner;
  readonly input: RunInput;
  /** As it is now: calls of a round change it. */
  state(): RunState;
  /** Gives the first answers to the steps that wait for them. */
  onFirst(firsts: readonly Answered[]): void;
  /** Makes a round of calls, once in a run for each role. */
  round(round: Round): Promise<StepRun>;
  /** What sequences of calls found out, for the experiments after them. */
  readonly notes: { inSequences: FoundInSequences };
}

/** What sequences show about functions that are also called alone. */
export interface FoundInSequences {
  /** Faults that need several calls, which a single call shows only as long as their traces are left. */
  readonly faults: ReadonlySet<string>;
  /** Inputs that fail alone, by function. */
  readonly single: ReadonlyMap<string, readonly JsonObject[]>;
}

export const NOTHING_FOUND: FoundInSequences = { faults: new Set(), single: new Map() };

/** Calls of functions of one kind, all in the same way. */
export interface Round {
  /** Names its exchanges, and what the checks of the step see of them. */
  readonly role: string;
  readonly functions: FunctionKind;
  /** Of how many functions at most. */
  readonly first: number;
  readonly input: NamedArguments;
  /** Names of the inputs, one call each. */
  readonly inputs?: readonly string[];
  readonly times?: number;
  readonly copies?: number;
  readonly alone?: boolean;
  /** JSON Schema for the descriptors. */
  readonly where?: NonNullable<Step['rounds']['forEach']>['where'];
}

/** The step of a round: that of the experiment, for other functions and in another way. */
export function stepOfRound(
  { id, request, rounds, ...step }: Step,
  { role, functions, first, input, inputs, times = 1, copies = 1, alone = false, where = null }: Round,
): Step {
  const { forEach } = rounds;
  return {
    ...step,
    id: `${id.split('/', 1)[0]}/${role}`,
    // Rounds serve other rounds: what is expected of their answers is judged when all are there.
    use: { kind: 'none' },
    experiment: null,
    request: request?.kind === 'execute' ? { ...request, arguments: { kind: input } } : request,
    rounds: {
      forEach: forEach === null ? null : { ...forEach, functions, first, where },
      cases: inputs?.map((name) => ({ id: name })) ?? null,
      times,
      apartMs: 0,
      soonerMs: null,
      copies,
      alone,
    },
  };
}

/** The rounds as what the step received; why `main` made no calls, if none did. */
export function together(
  rounds: readonly StepRun[],
  main: StepRun | undefined,
): Skip | readonly InstanceRun[] {
  if (main !== undefined && main.kind !== 'ran' && rounds.every(({ kind }) => kind !== 'ran')) return main;
  return rounds.flatMap((run) =>
    instancesOf(run).map((instance) => ({
      ...instance,
      role: run.step.id.split('/').at(-1) ?? null,
      isAtOnce: run.step.rounds.copies > 1,
    })),
  );
}
