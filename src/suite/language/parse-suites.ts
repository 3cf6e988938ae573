// From the texts of suites to a model in which every name is resolved. First the language of suites reads each text
// (suite-language.ts, with request-language.ts and assertion-language.ts); then the links between the steps of all suites
// are known (step-links.ts); then each step is resolved with what is before it (resolve-step.ts and the files beside it),
// which reports what a shape cannot know: names without a meaning, cycles, and keys that exclude each other.
import { isFor, type Suite, TARGET_KINDS, type TargetKind, usedStepIds } from '../../model/suite.ts';
import { type Diagnostic, didYouMean, SuiteError } from '../yaml/diagnostic.ts';
import { reporterInto } from '../yaml/shape.ts';
import { parseYaml } from '../yaml/yaml-tree.ts';
import { assertionsOf } from './resolve-assertions.ts';
import { type Catalogue, ResolveContext } from './resolve-context.ts';
import { resolveStep, resolveUse } from './resolve-step.ts';
import {
  beforeStep,
  findCycle,
  type LinkedSteps,
  linksOfRaw,
  linksOfStep,
  placedLinks,
  type StepLinks,
} from './step-links.ts';
import { type RawStep, type RawSuite, suiteShape } from './suite-language.ts';

export interface SuiteSource {
  /** Path as the user would write it; part of every message. */
  readonly file: string;
  readonly text: string;
  readonly digest: string;
}

interface ReadSuite {
  readonly source: SuiteSource;
  readonly raw: RawSuite;
  readonly target: TargetKind;
  readonly context: ResolveContext;
}

/**
 * Reads suites that may refer to each other and to those already known. Throws one SuiteError with everything that is
 * wrong. Pure.
 */
export function parseSuites(
  sources: readonly SuiteSource[],
  catalogue: Catalogue,
  known: readonly Suite[] = [],
): readonly Suite[] {
  const diagnostics: Diagnostic[] = [];
  const suites = sources.flatMap((source) => readSuite(source, catalogue, diagnostics));
  // Steps refer only to those that run for the same targets.
  const linked = new Map<TargetKind, LinkedSteps>();
  for (const kind of TARGET_KINDS) {
    const own = suites.filter(({ target }) => target === kind);
    const others = known.filter((suite) => isFor(kind, suite));
    linked.set(kind, linkSteps(own, others));
  }
  const resolved = suites.map((suite) => resolveSuite(suite, linked.get(suite.target) ?? new Map()));
  if (diagnostics.length > 0)
    throw new SuiteError(diagnostics, new Map(sources.map(({ file, text }) => [file, text])));
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
  const context = new ResolveContext(raw.id.value, source.file, catalogue, report);
  return [{ source, raw, target: raw.target ?? 'server', context }];
}

function resolveSuite({ source, raw, target, context }: ReadSuite, linked: LinkedSteps): Suite {
  for (const step of raw.steps) checkLinks(step, context, linked);
  const used = new Set(raw.steps.flatMap((step) => usedStepIds({ use: resolveUse(step, context) })));
  const steps = raw.steps.map((step) => {
    const id = context.qualified(step.id.value);
    return resolveStep(step, raw.defaults, beforeStep(id, linked), context, used.has(id));
  });
  checkOwnIds(raw, context);
  const { file, digest } = source;
  return { target, id: raw.id.value, title: raw.title, file, digest, steps };
}

function linkSteps(suites: readonly ReadSuite[], known: readonly Suite[]): LinkedSteps {
  const steps = new Map<string, StepLinks>(
    known.flatMap((suite) => suite.steps.map((step) => [step.id, linksOfStep(step)] as const)),
  );
  const suiteIds = new Set<string>(known.map(({ id }) => id));
  for (const { raw, context } of suites) {
    if (suiteIds.has(raw.id.value)) {
      const message = `another suite has the id "${raw.id.value}"`;
      context.report('duplicate-id', raw.id.place, message, 'Give each suite a unique id.');
      continue;
    }
    suiteIds.add(raw.id.value);
    for (const step of raw.steps) {
      const id = context.qualified(step.id.value);
      if (steps.has(id)) {
        const message = `duplicate step "${step.id.value}"`;
        context.report('duplicate-id', step.id.place, message, 'Step ids are unique within a suite.');
        continue;
      }
      steps.set(id, linksOfRaw(step, context));
    }
  }
  return steps;
}

function checkLinks(step: RawStep, context: ResolveContext, steps: LinkedSteps): void {
  for (const { value, place } of placedLinks(step, context)) {
    if (steps.has(value)) continue;
    const remedy = didYouMean(value, [...steps.keys()], '');
    context.report('unknown-step', place, `unknown step "${value}"`, remedy);
  }
  const cycle = findCycle(context.qualified(step.id.value), (id) => steps.get(id)?.before ?? []);
  if (cycle === undefined) return;
  const message = `the step needs itself: ${cycle.join(' needs ')}`;
  context.report('circular-needs', step.id.place, message, 'Remove one of these needs.');
}

/** A user's own ids name rows of the result, so each must belong to one assertion. */
function checkOwnIds(suite: RawSuite, context: ResolveContext): void {
  const seen = new Set<string>();
  for (const { id, requirement } of suite.steps.flatMap(assertionsOf)) {
    if (id === undefined || requirement !== undefined) continue;
    if (seen.has(id.value)) {
      const message = `duplicate assertion "${context.suiteId}/${id.value}"`;
      context.report('duplicate-id', id.place, message, 'Give each assertion a unique id.');
    }
    seen.add(id.value);
  }
}
