import type { Json } from '../../json/json.ts';
import type { ExperimentName } from '../../model/generated/experiments.ts';
import type { RuleWire } from '../../model/requirement.ts';
import type { Experiment, Save, Step, Use, UsedSteps } from '../../model/suite.ts';
import { didYouMean } from '../diagnostic.ts';
import { checkReferences } from './check-references.ts';
import { valueFor } from './per-wire.ts';
import { resolveAssertions } from './resolve-assertions.ts';
import type { ResolveContext } from './resolve-context.ts';
import { qualified, resolveCondition } from './resolve-identity.ts';
import { resolveRequest } from './resolve-request.ts';
import type { BeforeStep } from './step-links.ts';
import { EVERY_STEP, type RawStep, type RawSuite } from './suite-language.ts';

/** Names that every step may refer to: `${run.seed}` and `${run.id}`. */
const BUILT_IN_NAMES = ['run'];

type Defaults = RawSuite['defaults'];

/** A step with its references resolved. A step that another one uses needs no expectations. */
export function resolveStep(
  raw: RawStep,
  defaults: Defaults,
  before: BeforeStep,
  context: ResolveContext,
  isUsed: boolean,
): Step {
  const outer = [...BUILT_IN_NAMES, ...before.savedNames];
  const inner = [...outer, ...(raw.forEach ? [raw.forEach.as] : []), ...(raw.cases ? ['case'] : [])];
  const use = resolveUse(raw, context);
  const wrongUse = raw.use === undefined && Object.hasOwn(raw.keyPlaces, 'use');
  if (!Object.hasOwn(raw.keyPlaces, 'request') && use.kind === 'none' && !wrongUse) {
    context.report(
      'one-of-keys',
      raw.id.place,
      `the step "${raw.id.value}" sends nothing and uses no other step`,
      'Add `request` or `use`.',
    );
  }
  if (raw.request !== undefined && use.kind !== 'none' && use.kind !== 'named') {
    context.report(
      'one-of-keys',
      raw.id.place,
      'a step with a request must name the steps that it uses',
      'Write `use: { name: step }`.',
    );
  }
  if (raw.when?.present !== undefined) {
    context.report(
      'wrong-value',
      raw.when.present.place,
      '`present` needs an answer, which a step does not have yet',
      'Move it to the assertions.',
    );
  }
  const isFound = raw.save?.some(({ value }) => value.pick === undefined) === true;
  if (isFound && (raw.forEach !== undefined || raw.cases !== undefined)) {
    context.report(
      'one-of-keys',
      raw.id.place,
      'a step that runs several times cannot `save`',
      'Save in a separate step that runs once.',
    );
  }
  refuseWrongExperiment(raw, context);
  const { times = 1, apartMs = 0, atOnce = false } = raw.repeat ?? {};
  const expect = resolveAssertions(raw, context, isUsed);
  checkReferences(raw, expect, before, context);
  return {
    id: `${context.suiteId}/${raw.id.value}`,
    title: raw.title ?? raw.id.value,
    where: context.locate(raw.id.place),
    request: raw.request === undefined ? null : resolveRequest(raw.request, raw, defaults, inner, context),
    use,
    experiment: resolveExperiment(raw),
    needs: (raw.needs ?? []).map(({ value }) => qualified(value, context)),
    when: resolveCondition(raw.when, context),
    rounds: {
      forEach: resolveForEach(raw.forEach, outer, context),
      cases: resolveCases(raw.cases, context),
      times: atOnce ? 1 : times,
      apartMs,
      copies: atOnce ? times : 1,
      alone: false,
    },
    phase: raw.phase ?? null,
    expect,
    save: resolveSave(raw.save, context),
  };
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
  if (raw.experiment === undefined) return;
  const { value, place } = raw.experiment;
  const report = (message: string, remedy: string): void => {
    context.report('one-of-keys', place, message, remedy);
  };
  if (typeof value !== 'string' && Object.keys(value.keyPlaces).length !== 1)
    report('a step makes one experiment', 'Name one of them.');
  const name = resolveExperiment(raw)?.name;
  if (value === 'burst') report('`burst` needs a number', 'Write `experiment: { burst: 600 }`.');
  const { request } = raw;
  if (request === undefined || (!SENDS_ANY_REQUEST.has(name) && request.execute === undefined))
    report(
      `\`experiment: ${name}\` has nothing to send`,
      request === undefined ? 'Add `request`.' : 'Write `request: { execute: "${fn.name}" }`.',
    );
  const found = [
    ...(raw.repeat === undefined ? [] : ['repeat']),
    ...(name === 'timed-calls' && raw.phase !== undefined ? ['phase'] : []),
    ...(name === 'timed-calls' ? NOT_TIMED : [])
      .filter((key) => request?.[key] !== undefined && request[key] !== false)
      .map((key) => `request.${key}`),
  ];
  if (found.length > 0)
    report(
      `\`experiment: ${name}\` cannot be combined with ${found.join(' and ')}`,
      'Do it in a separate step.',
    );
}

/** Timed calls are many, identical, and sent one after the other. */
const NOT_TIMED = ['abort', 'websocket', 'keepConnection'] as const;

/** The other experiments call functions. */
const SENDS_ANY_REQUEST: ReadonlySet<ExperimentName | undefined> = new Set(['timed-calls', 'burst']);

export function resolveUse({ use }: RawStep, context: ResolveContext): Use {
  const used = (value: string): UsedSteps =>
    value === EVERY_STEP ? { kind: 'every-step' } : { kind: 'step', id: qualified(value, context) };
  if (use === undefined) return { kind: 'none' };
  if ('place' in use) return used(use.value);
  return { kind: 'named', steps: Object.fromEntries(use.map(({ key, value }) => [key, used(value.value)])) };
}

function resolveForEach(
  raw: RawStep['forEach'],
  scope: readonly string[],
  context: ResolveContext,
): Step['rounds']['forEach'] {
  if (raw === undefined) return null;
  return {
    in: context.template(raw.in, scope),
    as: raw.as,
    key: context.template(raw.key, [...scope, raw.as]),
    where: raw.where === undefined ? null : context.schema(raw.where),
    succeeded: raw.succeeded === undefined ? null : qualified(raw.succeeded.value, context),
    first: raw.first ?? null,
    functions: null,
  };
}

function resolveCases(raw: RawStep['cases'], context: ResolveContext): Step['rounds']['cases'] {
  if (raw === undefined) return null;
  const ids = new Set<Json>();
  for (const { value, place } of raw) {
    const id = Object.hasOwn(value, 'id') ? value.id : undefined;
    if (typeof id !== 'string' || id === '')
      context.report('missing-key', place, 'the case has no `id`', 'Add `id:` with a short name.');
    else if (ids.has(id))
      context.report('duplicate-id', place, `duplicate case "${id}"`, 'Case ids are unique within a step.');
    if (id !== undefined) ids.add(id);
  }
  return raw.map(({ value }) => value);
}

function resolveSave(raw: RawStep['save'], context: ResolveContext): Readonly<Record<string, Save>> {
  return Object.fromEntries((raw ?? []).map(({ key, value }) => [key, resolveValue(key, value, context)]));
}

function resolveValue(
  name: string,
  { at, pick, many, needs, blockedBy = [], place, keyPlaces }: NonNullable<RawStep['save']>[number]['value'],
  context: ResolveContext,
): Save {
  const isPicked = pick !== undefined;
  if (isPicked ? Object.keys(keyPlaces).length > 1 : at === undefined)
    context.report(
      'one-of-keys',
      place,
      `the value "${name}" is found with \`at\` or chosen with \`pick\``,
      isPicked ? 'Write `pick` alone.' : 'Add `at` with a JSONPath.',
    );
  if (isPicked) {
    const { pickers } = context.catalogue;
    if (!pickers.has(pick.value))
      context.report(
        'unknown-picker',
        pick.place,
        `unknown picker "${pick.value}"`,
        didYouMean(pick.value, [...pickers.keys()], ''),
      );
    return { kind: 'picked', picker: pick.value };
  }
  const neededBy = (wire: RuleWire): string | null => {
    const needed = valueFor(needs, wire);
    return needed === undefined ? null : qualified(needed.value, context);
  };
  return {
    kind: 'found',
    at: at === undefined ? '$' : context.selector(at),
    many: many ?? false,
    needs: { rest: neededBy('rest'), mcp: neededBy('mcp') },
    blockedBy: Object.fromEntries(blockedBy.map((one) => [one.key, qualified(one.value, context)])),
  };
}
