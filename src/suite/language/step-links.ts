import { type AssertionIdentity, type Step, usedStepIds } from '../../model/suite.ts';
import { EVERY_STEP } from '../yaml/names.ts';
import type { Placed } from '../yaml/shape.ts';
import { assertionsOf } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import { decidedBy, wiresOf } from './resolve-identity.ts';
import type { RawStep } from './suite-language.ts';

/** A requirement, and the wire for whose servers it is decided; undefined: both. */
export type Decided = Pick<AssertionIdentity, 'requirement' | 'wire'>;

/** What a step provides to other steps, and what it depends on; all ids include their suite. */
export interface StepLinks {
  readonly needs: readonly string[];
  /** Everything that must run before: needs, use, and the step that a loop follows. */
  readonly before: readonly string[];
  readonly savedNames: readonly string[];
  readonly decides: readonly Decided[];
}

export type LinkedSteps = ReadonlyMap<string, StepLinks>;

/** The links of a step in the file, each with its place, before their targets are resolved. */
export function placedLinks(step: RawStep, context: ResolveContext): readonly Placed<string>[] {
  const used =
    step.use === undefined ? [] : 'place' in step.use ? [step.use] : step.use.map(({ value }) => value);
  const named = used.filter(({ value }) => value !== EVERY_STEP);
  const followed = step.forEach?.succeeded ? [step.forEach.succeeded] : [];
  const links = [...(step.needs ?? []), ...named, ...followed];
  return links.map(({ value, place }) => ({ value: context.qualified(value), place }));
}

export function linksOfRaw(step: RawStep, context: ResolveContext): StepLinks {
  return {
    needs: (step.needs ?? []).map(({ value }) => context.qualified(value)),
    before: placedLinks(step, context).map(({ value }) => value),
    savedNames: (step.save ?? []).map(({ key }) => key),
    decides: assertionsOf(step).flatMap((raw) =>
      wiresOf(raw, context).map((wire) => ({ requirement: decidedBy(raw, wire, context), wire })),
    ),
  };
}

export function linksOfStep(step: Step): StepLinks {
  const { forEach } = step.rounds;
  const followed = forEach?.succeeded ? [forEach.succeeded] : [];
  return {
    needs: step.needs,
    before: [...step.needs, ...usedStepIds(step), ...followed],
    savedNames: Object.keys(step.save),
    decides: step.expect,
  };
}

interface Trail {
  readonly id: string;
  readonly before: Trail | null;
}

/** The path from something back to itself, if any. Iterative, because a chain may have any length. */
export function findCycle(
  start: string,
  nextOf: (id: string) => readonly string[],
): readonly string[] | undefined {
  const seen = new Set<string>();
  const pending: Trail[] = [{ id: start, before: null }];
  for (let trail = pending.pop(); trail !== undefined; trail = pending.pop()) {
    for (const id of nextOf(trail.id)) {
      if (id === start) return pathOf({ id, before: trail });
      if (seen.has(id)) continue;
      seen.add(id);
      pending.push({ id, before: trail });
    }
  }
  return undefined;
}

function pathOf(trail: Trail): readonly string[] {
  const path: string[] = [];
  for (let at: Trail | null = trail; at !== null; at = at.before) path.unshift(at.id);
  return path;
}

/** What a step can refer to. */
export interface BeforeStep {
  /** Names that the steps which it needs have saved, directly or indirectly. */
  readonly savedNames: readonly string[];
  /** Requirements that the steps which it needs or uses decide. */
  readonly decided: readonly Decided[];
  /** Requirements that any step decides. */
  readonly decidedAnywhere: () => readonly Decided[];
}

export function beforeStep(id: string, steps: LinkedSteps): BeforeStep {
  const before = steps.get(id)?.before ?? [];
  return {
    savedNames: savedNamesFor(id, steps),
    decided: before.flatMap((earlier) => steps.get(earlier)?.decides ?? []),
    decidedAnywhere: () => [...steps.values()].flatMap(({ decides }) => decides),
  };
}

function savedNamesFor(id: string, steps: LinkedSteps): readonly string[] {
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
