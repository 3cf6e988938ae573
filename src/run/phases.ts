import { EVERY_STEP, type Step } from '../model/suite.ts';
import { prerequisitesOf } from './selection.ts';

/**
 * Timed calls go out when nothing else disturbs them; what no client would send comes after what any would; what looks
 * back comes last.
 */
export const PHASES = ['ordinary', 'timed', 'abusive', 'finally', 'looking-back'] as const;
type Phase = (typeof PHASES)[number];

export function phasesOf(steps: readonly Step[]): ReadonlyMap<string, Phase> {
  const phases = new Map<string, Phase>();
  // Each step comes after those that it rests on.
  for (const step of steps) {
    const own = ownPhaseOf(step);
    const restsOnTimed = prerequisitesOf(step).some((id) => phases.get(id) === 'timed');
    phases.set(step.id, own === 'ordinary' && restsOnTimed ? 'timed' : own);
  }
  return phases;
}

function ownPhaseOf(step: Step): Phase {
  if (Object.values(step.use).includes(EVERY_STEP) && step.request === null) return 'looking-back';
  if (step.finally) return 'finally';
  if (step.abusive) return 'abusive';
  return step.sample === 0 ? 'ordinary' : 'timed';
}
