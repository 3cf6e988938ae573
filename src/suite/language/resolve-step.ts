import type { Json } from '../../json/json.ts';
import type { ExperimentName } from '../../model/generated/experiments.ts';
import type { RuleWire } from '../../model/requirement.ts';
import type { Experiment, Save, Step, Use, UsedSteps } from '../../model/suite.ts';
import { didYouMean } from '../yaml/diagnostic.ts';
import { valuesByKey } from '../yaml/mapping.ts';
import { EVERY_STEP } from '../yaml/names.ts';
import { checkReferences } from './check-references.ts';
import { valueFor } from './per-wire.ts';
import { resolveAssertions } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import { resolveCondition } from './resolve-identity.ts';
import { resolveRequest } from './resolve-request.ts';
import type { BeforeStep } from './step-links.ts';
import type { RawStep, RawSuite } from './suite-language.ts';

/** Names that every step may refer to: `${run.seed}` and `${run.id}`. */
const BUILT_IN_NAMES = ['run'];

/** A step with its references resolved. A step that another one uses needs no expectations. */
export function resolveStep(
  raw: RawStep,
  defaults: RawSuite['defaults'],
  before: BeforeStep,
  context: ResolveContext,
  isUsed: boolean,
): Step {
  const outer = context.with([...BUILT_IN_NAMES, ...before.savedNames]);
  const inner = outer.with([...(raw.forEach ? [raw.forEach.as] : []), ...(raw.cases ? ['case'] : [])]);
  const use = resolveUse(raw, context);
  refuseWrongParts(raw, use, context);
  refuseWrongExperiment(raw, context);
  const { times = 1, apartMs = 0, soonerMs, atOnce = false } = raw.repeat ?? {};
  const expect = resolveAssertions(raw, context, isUsed);
  checkReferences(raw, expect, before, context);
  return {
    id: `${context.suiteId}/${raw.id.value}`,
    title: raw.title ?? raw.id.value,
    where: context.locate(raw.id.place),
    request: raw.request === undefined ? null : resolveRequest(raw.request, raw, defaults, inner),
    use,
    experiment: resolveExperiment(raw),
    needs: (raw.needs ?? []).map(({ value }) => context.qualified(value)),
    when: resolveCondition(raw.when, context),
    rounds: {
      forEach: resolveForEach(raw.forEach, outer),
      cases: resolveCases(raw.cases, context),
      times: atOnce ? 1 : times,
      apartMs,
      soonerMs: soonerMs?.value ?? null,
      copies: atOnce ? times : 1,
      alone: false,
    },
    phase: raw.phase ?? null,
    expect,
    save: valuesByKey((raw.save ?? []).map((one) => ({ key: one.key, value: resolveSave(one, context) }))),
  };
}

function refuseWrongParts(raw: RawStep, use: Use, { report }: ResolveContext): void {
  const { place, value: id } = raw.id;
  const hasUse = use.kind !== 'none' || (raw.use === undefined && Object.hasOwn(raw.keyPlaces, 'use'));
  if (!Object.hasOwn(raw.keyPlaces, 'request') && !hasUse) {
    const message = `the step "${id}" sends nothing and uses no other step`;
    report('one-of-keys', place, message, 'Add `request` or `use`.');
  }
  if (raw.request !== undefined && use.kind !== 'none' && use.kind !== 'named') {
    const message = 'a step with a request must name the steps that it uses';
    report('one-of-keys', place, message, 'Write `use: { name: step }`.');
  }
  const { apartMs = 0, soonerMs } = raw.repeat ?? {};
  if (soonerMs !== undefined && soonerMs.value >= apartMs) {
    const message = `\`soonerMs\` is ${soonerMs.value}, and \`apartMs\` only ${apartMs}`;
    report('one-of-keys', soonerMs.place, message, 'Write a longer `apartMs`, or leave out `soonerMs`.');
  }
  if (raw.when?.present !== undefined) {
    const message = '`present` needs an answer, which a step does not have yet';
    report('wrong-value', raw.when.present.place, message, 'Move it to the assertions.');
  }
  const isFound = raw.save?.some(({ value }) => value.pick === undefined) === true;
  if (isFound && (raw.forEach !== undefined || raw.cases !== undefined)) {
    const message = 'a step that runs several times cannot `save`';
    report('one-of-keys', place, message, 'Save in a separate step that runs once.');
  }
}

/** By name alone, or with the number of its calls. */
function resolveExperiment({ experiment }: RawStep): Experiment | null {
  if (experiment === undefined) return null;
  const { value } = experiment;
  if (typeof value === 'string') return { name: value, calls: 'default' };
  const [name] = Object.keys(value.keyPlaces) as readonly ExperimentName[];
  return { name: name ?? 'timed-calls', calls: value['timed-calls'] ?? value.burst ?? 'default' };
}

function refuseWrongExperiment(raw: RawStep, context: ResolveContext): void {
  const { experiment, request } = raw;
  const name = resolveExperiment(raw)?.name;
  if (experiment === undefined) return;
  const { value, place } = experiment;
  const refuse = (message: string, remedy: string): void =>
    context.report('one-of-keys', place, message, remedy);
  if (typeof value !== 'string' && Object.keys(value.keyPlaces).length !== 1)
    refuse('a step makes one experiment', 'Name one of them.');
  if (value === 'burst') refuse('`burst` needs a number', 'Write `experiment: { burst: 600 }`.');
  const nothing = `\`experiment: ${name}\` has nothing to send`;
  if (name === 'authorization-metadata' && request === undefined) return;
  if (request === undefined) refuse(nothing, 'Add `request`.');
  else if (!SENDS_ANY_REQUEST.has(name) && request.execute === undefined)
    refuse(nothing, 'Write `request: { execute: "${fn.name}" }`.');
  const isTimed = name === 'timed-calls';
  const untimed = NOT_TIMED.filter((key) => request?.[key] !== undefined && request[key] !== false);
  const found = [
    ...(raw.repeat === undefined ? [] : ['repeat']),
    ...(isTimed && raw.phase !== undefined ? ['phase'] : []),
    ...(isTimed ? untimed.map((key) => `request.${key}`) : []),
  ].join(' and ');
  if (found !== '')
    refuse(`\`experiment: ${name}\` cannot be combined with ${found}`, 'Do it in a separate step.');
}

/** Timed calls are many, identical, and sent one after the other. */
const NOT_TIMED = ['abort', 'websocket', 'keepConnection'] as const;

/** The other experiments call functions. */
const SENDS_ANY_REQUEST: ReadonlySet<ExperimentName | undefined> = new Set(['timed-calls', 'burst']);

export function resolveUse({ use }: RawStep, context: ResolveContext): Use {
  const used = (value: string): UsedSteps =>
    value === EVERY_STEP ? { kind: 'every-step' } : { kind: 'step', id: context.qualified(value) };
  if (use === undefined) return { kind: 'none' };
  if ('place' in use) return used(use.value);
  return { kind: 'named', steps: Object.fromEntries(use.map(({ key, value }) => [key, used(value.value)])) };
}

function resolveForEach(raw: RawStep['forEach'], context: ResolveContext): Step['rounds']['forEach'] {
  if (raw === undefined) return null;
  return {
    in: context.template(raw.in),
    as: raw.as,
    key: context.with([raw.as]).template(raw.key),
    where: raw.where === undefined ? null : context.schema(raw.where),
    succeeded: raw.succeeded === undefined ? null : context.qualified(raw.succeeded.value),
    first: raw.first ?? null,
    functions: null,
  };
}

function resolveCases(raw: RawStep['cases'], { report }: ResolveContext): Step['rounds']['cases'] {
  if (raw === undefined) return null;
  const ids = new Set<Json>();
  for (const { value, place } of raw) {
    const id = Object.hasOwn(value, 'id') ? value.id : undefined;
    if (typeof id !== 'string' || id === '')
      report('missing-key', place, 'the case has no `id`', 'Add `id:` with a short name.');
    else if (ids.has(id))
      report('duplicate-id', place, `duplicate case "${id}"`, 'Case ids are unique within a step.');
    if (id !== undefined) ids.add(id);
  }
  return raw.map(({ value }) => value);
}

type RawSave = NonNullable<RawStep['save']>[number];

function resolveSave({ key: name, value: raw }: RawSave, context: ResolveContext): Save {
  const { at, pick, many = false, needs, blockedBy = [], place, keyPlaces } = raw;
  const isPicked = pick !== undefined;
  if (isPicked ? Object.keys(keyPlaces).length > 1 : at === undefined) {
    const message = `the value "${name}" is found with \`at\` or chosen with \`pick\``;
    const remedy = isPicked ? 'Write `pick` alone.' : 'Add `at` with a JSONPath.';
    context.report('one-of-keys', place, message, remedy);
  }
  if (isPicked) {
    const pickers = [...context.catalogue.pickers.keys()];
    const { value: picker } = pick;
    if (!pickers.includes(picker)) {
      const remedy = didYouMean(picker, pickers, '');
      context.report('unknown-picker', pick.place, `unknown picker "${picker}"`, remedy);
    }
    return { kind: 'picked', picker };
  }
  const neededBy = (wire: RuleWire): string | null => {
    const needed = valueFor(needs, wire);
    return needed === undefined ? null : context.qualified(needed.value);
  };
  return {
    kind: 'found',
    at: at === undefined ? '$' : context.selector(at),
    many,
    needs: { rest: neededBy('rest'), mcp: neededBy('mcp') },
    blockedBy: valuesByKey(blockedBy.map((one) => ({ ...one, value: context.qualified(one.value) }))),
  };
}
