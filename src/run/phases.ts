import { type Step, usesEveryStep } from '../model/suite.ts';
import { asksExecute, isExploring } from './operation.ts';
import { endsAwaitedBy, prerequisitesOf } from './selection.ts';

/**
 * Calls are repeated after all first calls. Timed calls run when nothing else does, also while a repeated read waits.
 * Invalid requests come after valid ones, then functions are explored, and the steps that judge all answers come last.
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
  readonly timed: readonly Step[];
  /** Ordinary reads whose repetitions wait for the end of the timed calls. */
  readonly unhurried: ReadonlySet<Step>;
  /** Ordinary steps that begin after the end of an unhurried one. */
  readonly belated: ReadonlySet<Step>;
  /** The steps of all later phases, in order. */
  readonly later: readonly Step[];
}

export function inPhases(steps: readonly Step[]): PhasedSteps {
  const phases = phasesOf(steps);
  const [ordinary = [], following = [], timed = [], ...later] = PHASES.map((phase) =>
    steps.filter(({ id }) => phases.get(id) === phase),
  );
  const calls = ordinary.filter(({ request }) => asksExecute(request));
  const awaited = awaitedBy([...calls, ...following, ...timed], steps);
  const unhurried = new Set(
    ordinary.filter((step) => waits(step) && !calls.includes(step) && !awaited.has(step.id)),
  );
  const belated = new Set<Step>();
  for (const step of ordinary) {
    const isAwaited = (other: Step): boolean =>
      (unhurried.has(other) && endsAwaitedBy(step).includes(other.id)) ||
      (belated.has(other) && prerequisitesOf(step).includes(other.id));
    if (ordinary.some(isAwaited)) belated.add(step);
  }
  return { ordinary, following, timed, unhurried, belated, later: later.flat() };
}

function waits({ forEach, repeat }: Step): boolean {
  return forEach === null && repeat.apartMs > 0;
}

/** The steps whose end others wait for, directly or not. */
function awaitedBy(waiting: readonly Step[], steps: readonly Step[]): ReadonlySet<string> {
  const awaited = new Set<string>();
  const looked = new Set<string>();
  const look = (step: Step): void => {
    if (looked.has(step.id)) return;
    looked.add(step.id);
    const ends = endsAwaitedBy(step);
    for (const id of ends) awaited.add(id);
    for (const other of steps) if (step.needs.includes(other.id) || ends.includes(other.id)) look(other);
  };
  for (const step of waiting) look(step);
  return awaited;
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
