import type { Step } from '../model/suite.ts';
import type { Skip } from './record.ts';
import type { RunState } from './run-state.ts';

/** Decides whether a step runs, from what is known when its turn comes. Pure. */
export type Policy<Besides = unknown> = (step: Step, state: RunState & Besides) => Decision;

export type Decision = { readonly kind: 'run' } | Skip;

export const RUN: Decision = { kind: 'run' };
