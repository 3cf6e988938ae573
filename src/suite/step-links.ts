import type { Step } from '../model/suite.ts';
import { qualified } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import { resolveUse } from './resolve-step.ts';
import type { Placed } from './shape.ts';
import type { RawStep } from './suite-language.ts';

/** What other steps may know of a step, and what it rests on itself; all ids with their suite. */
export interface StepLinks {
  readonly needs: readonly string[];
  /** Everything that must run before: needs, use, and the step that a loop follows. */
  readonly before: readonly string[];
  readonly savedNames: readonly string[];
  readonly decides: readonly string[];
}

export type LinkedSteps = ReadonlyMap<string, StepLinks>;

/** The links of a step as it stands in a file, each with its place, before anything is known to exist. */
export function placedLinks(step: RawStep, context: ResolveContext): readonly Placed<string>[] {
  const reference = ({ value, place }: Placed<string>): Placed<string> => ({
    value: qualified(value, context),
    place,
  });
  const used = Object.values(resolveUse(step, context)).map((value) => ({ value, place: step.id.place }));
  const followed = step.forEach?.succeeded ? [reference(step.forEach.succeeded)] : [];
  return [...(step.needs ?? []).map(reference), ...used, ...followed];
}

export function linksOfRaw(step: RawStep, context: ResolveContext): StepLinks {
  const { expect, budget } = step;
  const assertions = [
    ...(expect?.status ?? []),
    ...(expect?.headers ?? []),
    ...(expect?.body ?? []),
    ...(expect?.checks ?? []),
    ...(expect?.time ? [expect.time] : []),
    ...(budget ?? []),
  ];
  return {
    needs: (step.needs ?? []).map(({ value }) => qualified(value, context)),
    before: placedLinks(step, context).map(({ value }) => value),
    savedNames: (step.save ?? []).map(({ key }) => key),
    decides: assertions.map((raw) => raw.requirement?.value ?? `${context.suiteId}/${raw.id?.value}`),
  };
}

export function linksOfStep(step: Step): StepLinks {
  const followed = step.forEach?.succeeded ? [step.forEach.succeeded] : [];
  return {
    needs: step.needs,
    before: [...step.needs, ...Object.values(step.use), ...followed],
    savedNames: Object.keys(step.save),
    decides: step.expect.map(({ requirement }) => requirement),
  };
}

/** The way from a step back to itself, if there is one. */
export function findCycle(start: string, steps: LinkedSteps): readonly string[] | undefined {
  const visited = new Set<string>();
  const walk = (id: string, trail: readonly string[]): readonly string[] | undefined => {
    for (const next of steps.get(id)?.before ?? []) {
      if (next === start) return [...trail, start];
      if (visited.has(next)) continue;
      visited.add(next);
      const found = walk(next, [...trail, next]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(start, [start]);
}

/** Names that the steps which a step needs have saved, at whatever remove. */
export function savedNamesFor(id: string, steps: LinkedSteps): readonly string[] {
  const names = new Set<string>();
  const visited = new Set<string>([id]);
  const pending = [...(steps.get(id)?.needs ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const links = steps.get(next);
    if (links === undefined || visited.has(next)) continue;
    visited.add(next);
    for (const name of links.savedNames) names.add(name);
    pending.push(...links.needs);
  }
  return [...names];
}

/** Requirements that the steps which a step needs or uses decide. */
export function decidedBefore(id: string, steps: LinkedSteps): ReadonlySet<string> {
  return new Set((steps.get(id)?.before ?? []).flatMap((earlier) => steps.get(earlier)?.decides ?? []));
}
