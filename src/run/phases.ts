import { type Step, usesEveryStep } from '../model/suite.ts';
import { asksExecute, isExploring } from './operation.ts';
import { prerequisitesOf } from './selection.ts';

/**
 * Calls are repeated after all first calls. Timed calls run when nothing else does. Invalid requests come after valid
 * ones, then functions are explored, and the steps that judge all answers come last.
 */
const PHASES = [
  'ordinary',
  'following',
  'timed',
  'negative',
  'finally',
  'exploring',
  'last',
  'looking-back',
] as const;
type Phase = (typeof PHASES)[number];

export interface PhasedSteps {
  readonly ordinary: readonly Step[];
  readonly following: readonly Step[];
  /** The steps of all later phases, in order. */
  readonly later: readonly Step[];
}

export function inPhases(steps: readonly Step[]): PhasedSteps {
  const phases = phasesOf(steps);
  const [ordinary = [], following = [], ...later] = PHASES.map((phase) =>
    steps.filter(({ id }) => phases.get(id) === phase),
  );
  return { ordinary, following, later: later.flat() };
}

function phasesOf(steps: readonly Step[]): ReadonlyMap<string, Phase> {
  const phases = new Map<string, Phase>();
  // Each step comes after its prerequisites.
  for (const step of steps) {
    const own = ownPhaseOf(step);
    const before = prerequisitesOf(step).map((id) => phases.get(id));
    const waitsFor = (['timed', 'following'] as const).find((phase) => before.includes(phase));
    phases.set(step.id, isBefore(own, waitsFor) ? (waitsFor ?? own) : own);
  }
  return phases;
}

function isBefore(phase: Phase, other: Phase | undefined): boolean {
  return other !== undefined && PHASES.indexOf(phase) < PHASES.indexOf(other);
}

function ownPhaseOf(step: Step): Phase {
  if (usesEveryStep(step) && step.request === null) return 'looking-back';
  if (isExploring(step)) return 'exploring';
  if (step.last) return 'last';
  if (step.finally) return 'finally';
  if (step.negative) return 'negative';
  if (step.sample !== 0) return 'timed';
  return step.forEach?.succeeded != null && asksExecute(step.request) ? 'following' : 'ordinary';
}
