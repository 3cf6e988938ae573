// Which steps come before a step: those that it needs, uses and follows, and the one that lists the functions.
import { type Step, usedStepIds } from '../../model/suite.ts';

/** The name under which a suite saves the functions of the target. */
export const LISTED = 'functions';

export function isLister({ save }: Pick<Step, 'save'>): boolean {
  return Object.hasOwn(save, LISTED);
}

/** The step whose answer contains the form and the functions; every step that calls one depends on it. */
export function listerOf(steps: readonly Step[]): Step | null {
  return steps.find(isLister) ?? null;
}

export function withWhatTheyNeed(steps: readonly Step[]): readonly Step[] {
  const ids = new Set(steps.map(({ id }) => id));
  return steps.filter(({ needs }) => needs.every((id) => ids.has(id)));
}

export function prerequisitesOf(step: Step, lister: Step | null): readonly string[] {
  const { forEach } = step.rounds;
  const followed = forEach?.succeeded ? [forEach.succeeded] : [];
  const listed = step.request?.kind === 'execute' && lister !== null ? [lister.id] : [];
  return [...new Set([...step.needs, ...usedStepIds(step), ...followed, ...listed])];
}

/** The prerequisites of which a step needs every answer. Of the others, the first answers are enough. */
export function endsAwaitedBy(step: Step, lister: Step | null): readonly string[] {
  return prerequisitesOf(step, lister).filter(
    (id) => !step.needs.includes(id) && !(id === lister?.id && step.request?.kind === 'execute'),
  );
}

export function withPrerequisites(deciding: readonly Step[], available: readonly Step[]): readonly Step[] {
  const byId = new Map(available.map((step) => [step.id, step]));
  const lister = listerOf(available);
  const ordered = new Map<string, Step>();
  const add = (step: Step): void => {
    if (ordered.has(step.id)) return;
    for (const id of prerequisitesOf(step, lister)) {
      const prerequisite = byId.get(id);
      if (prerequisite !== undefined) add(prerequisite);
    }
    ordered.set(step.id, step);
  };
  for (const step of deciding) add(step);
  return [...ordered.values()];
}
