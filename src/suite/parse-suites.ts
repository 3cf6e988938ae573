import type { Step, Suite } from '../model/suite.ts';
import { type Diagnostic, didYouMean, SuiteError } from './diagnostic.ts';
import { qualified } from './resolve-assertions.ts';
import { type Catalogue, ResolveContext } from './resolve-context.ts';
import { resolveStep, resolveUse } from './resolve-step.ts';
import { type Placed, reporterInto } from './shape.ts';
import { type RawStep, type RawSuite, suiteShape } from './suite-language.ts';
import { parseYaml } from './yaml-tree.ts';

export interface SuiteSource {
  /** Path as the user would write it; stands in every message. */
  readonly file: string;
  readonly text: string;
  readonly digest: string;
}

interface ReadSuite {
  readonly source: SuiteSource;
  readonly raw: RawSuite;
  readonly context: ResolveContext;
}

interface StepLinks {
  readonly step: RawStep;
  readonly context: ResolveContext;
  readonly needs: readonly Placed<string>[];
  /** Everything that must run before: needs, use, and the step that a loop follows. */
  readonly before: readonly Placed<string>[];
}

/** Reads suites that may refer to each other; throws one SuiteError with everything that is wrong. Pure. */
export function parseSuites(sources: readonly SuiteSource[], catalogue: Catalogue): readonly Suite[] {
  const diagnostics: Diagnostic[] = [];
  const suites = sources.flatMap((source) => readSuite(source, catalogue, diagnostics));
  const steps = linkSteps(suites);
  for (const links of steps.values()) checkLinks(links, steps);
  const resolved = suites.map(({ source, raw, context }): Suite => {
    return {
      id: raw.id.value,
      title: raw.title,
      file: source.file,
      digest: source.digest,
      steps: raw.steps.map((step) => {
        const id = qualified(step.id.value, context);
        return resolveStep(step, raw.defaults, savedNamesFor(id, steps), context, decidedBefore(id, steps));
      }),
    };
  });
  checkOwnIds(suites, resolved);
  if (diagnostics.length > 0) {
    const sorted = [...diagnostics].sort(
      (left, right) =>
        left.file.localeCompare(right.file) ||
        left.place.line - right.place.line ||
        left.place.column - right.place.column,
    );
    throw new SuiteError(sorted, new Map(sources.map(({ file, text }) => [file, text])));
  }
  return resolved;
}

function readSuite(
  source: SuiteSource,
  catalogue: Catalogue,
  diagnostics: Diagnostic[],
): readonly ReadSuite[] {
  const parsed = parseYaml(source.text, source.file);
  diagnostics.push(...parsed.diagnostics);
  if (parsed.tree === null) return [];
  const report = reporterInto(diagnostics, source.file);
  const raw = suiteShape.read(parsed.tree, report);
  if (raw === undefined) return [];
  return [{ source, raw, context: new ResolveContext(raw.id.value, source.file, catalogue, report) }];
}

function linkSteps(suites: readonly ReadSuite[]): ReadonlyMap<string, StepLinks> {
  const steps = new Map<string, StepLinks>();
  const suiteIds = new Set<string>();
  for (const { raw, context } of suites) {
    if (suiteIds.has(raw.id.value)) {
      context.report(
        'duplicate-id',
        raw.id.place,
        `another suite is called "${raw.id.value}"`,
        'Give each suite an id of its own.',
      );
      continue;
    }
    suiteIds.add(raw.id.value);
    for (const step of raw.steps) {
      const id = qualified(step.id.value, context);
      if (steps.has(id)) {
        context.report(
          'duplicate-id',
          step.id.place,
          `the step "${step.id.value}" stands twice`,
          'Step ids are unique within a suite.',
        );
        continue;
      }
      const reference = ({ value, place }: Placed<string>): Placed<string> => ({
        value: qualified(value, context),
        place,
      });
      const needs = (step.needs ?? []).map(reference);
      const use = Object.values(resolveUse(step, context)).map((value) => ({ value, place: step.id.place }));
      const followed = step.forEach?.succeeded ? [reference(step.forEach.succeeded)] : [];
      steps.set(id, { step, context, needs, before: [...needs, ...use, ...followed] });
    }
  }
  return steps;
}

function checkLinks({ step, context, before }: StepLinks, steps: ReadonlyMap<string, StepLinks>): void {
  for (const { value, place } of before) {
    if (steps.has(value)) continue;
    context.report(
      'unknown-step',
      place,
      `there is no step "${value}"`,
      didYouMean(value, [...steps.keys()], ''),
    );
  }
  const own = qualified(step.id.value, context);
  const cycle = findCycle(own, steps);
  if (cycle !== undefined) {
    context.report(
      'circular-needs',
      step.id.place,
      `the step waits for itself: ${cycle.join(' needs ')}`,
      'Remove one of these needs.',
    );
  }
}

function findCycle(start: string, steps: ReadonlyMap<string, StepLinks>): readonly string[] | undefined {
  const visited = new Set<string>();
  const walk = (id: string, trail: readonly string[]): readonly string[] | undefined => {
    for (const { value } of steps.get(id)?.before ?? []) {
      if (value === start) return [...trail, start];
      if (visited.has(value)) continue;
      visited.add(value);
      const found = walk(value, [...trail, value]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(start, [start]);
}

function savedNamesFor(id: string, steps: ReadonlyMap<string, StepLinks>): readonly string[] {
  const names = new Set<string>();
  const visited = new Set<string>([id]);
  const pending = [...(steps.get(id)?.needs ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const links = steps.get(next.value);
    if (links === undefined || visited.has(next.value)) continue;
    visited.add(next.value);
    for (const { key } of links.step.save ?? []) names.add(key);
    pending.push(...links.needs);
  }
  return [...names];
}

function decidedBefore(id: string, steps: ReadonlyMap<string, StepLinks>): ReadonlySet<string> {
  const earlier = (steps.get(id)?.before ?? [])
    .map(({ value }) => steps.get(value))
    .filter((links) => links !== undefined);
  return new Set(
    earlier.flatMap(({ step: { expect, budget }, context }) =>
      [
        ...(expect?.status ?? []),
        ...(expect?.headers ?? []),
        ...(expect?.body ?? []),
        ...(expect?.checks ?? []),
        ...(budget ?? []),
      ].map((raw) => raw.requirement?.value ?? `${context.suiteId}/${raw.id?.value}`),
    ),
  );
}

/** A user's own ids name rows of the result, so each stands for one assertion. */
function checkOwnIds(suites: readonly ReadSuite[], resolved: readonly Suite[]): void {
  for (const [index, { context }] of suites.entries()) {
    const seen = new Set<string>();
    for (const { expect } of (resolved[index]?.steps ?? []) as readonly Step[]) {
      for (const { requirement, where } of expect) {
        if (context.catalogue.registry.has(requirement)) continue;
        if (seen.has(requirement) && !requirement.endsWith('/unnamed')) {
          const place = { line: where.line, column: where.column, length: 1 };
          context.report(
            'duplicate-id',
            place,
            `the assertion "${requirement}" stands twice`,
            'Give each assertion an id of its own.',
          );
        }
        seen.add(requirement);
      }
    }
  }
}
