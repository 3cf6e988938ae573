import type { Json } from '../json/json.ts';
import type { RuleWire } from '../model/requirement.ts';
import type { Retry, Save, Step, Use, UsedSteps } from '../model/suite.ts';
import { checkReferences } from './check-references.ts';
import { didYouMean } from './diagnostic.ts';
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
  if (raw.save !== undefined && (raw.forEach !== undefined || raw.cases !== undefined)) {
    context.report(
      'one-of-keys',
      raw.id.place,
      'a step that runs several times cannot `save`',
      'Save in a separate step that runs once.',
    );
  }
  refuseUntimeable(raw, context);
  const expect = resolveAssertions(raw, context, isUsed);
  checkReferences(raw, expect, before, context);
  return {
    id: `${context.suiteId}/${raw.id.value}`,
    title: raw.title ?? raw.id.value,
    where: context.locate(raw.id.place),
    request: raw.request === undefined ? null : resolveRequest(raw.request, raw, defaults, inner, context),
    use,
    needs: (raw.needs ?? []).map(({ value }) => qualified(value, context)),
    when: resolveCondition(raw.when, context),
    forEach: resolveForEach(raw.forEach, outer, context),
    cases: resolveCases(raw.cases, context),
    repeat: { times: raw.repeat?.times ?? 1, apartMs: raw.repeat?.apartMs ?? 0 },
    parallel: raw.parallel ?? 1,
    alone: raw.alone ?? false,
    experiment: raw.experiment ?? null,
    sample: raw.sample ?? 0,
    retry: resolveRetry(raw.retry ?? defaults?.retry),
    negative: raw.negative ?? false,
    finally: raw.finally ?? false,
    last: raw.last ?? false,
    expect,
    burst: raw.burst ?? 0,
    save: resolveSave(raw.save, context),
    choose: resolvePickers(raw.choose, context),
  };
}

function resolvePickers(raw: RawStep['choose'], context: ResolveContext): Readonly<Record<string, string>> {
  const { pickers } = context.catalogue;
  for (const { value } of raw ?? [])
    if (!pickers.has(value.value))
      context.report(
        'unknown-picker',
        value.place,
        `unknown picker "${value.value}"`,
        didYouMean(value.value, [...pickers.keys()], ''),
      );
  return Object.fromEntries((raw ?? []).map(({ key, value }) => [key, value.value]));
}

/** Keys that cannot be combined with `sample`: timed calls are many, identical, and sent one after the other. */
const NOT_TIMED = ['repeat', 'parallel', 'negative', 'finally', 'burst'] as const;

function refuseUntimeable(raw: RawStep, context: ResolveContext): void {
  if (raw.sample === undefined) return;
  const { request } = raw;
  const found = [
    ...NOT_TIMED.filter((key) => raw[key] !== undefined && raw[key] !== false),
    ...(['abort', 'websocket', 'keepConnection'] as const)
      .filter((key) => request?.[key] !== undefined && request[key] !== false)
      .map((key) => `request.${key}`),
  ];
  if (found.length > 0)
    context.report(
      'one-of-keys',
      raw.keyPlaces.sample ?? raw.id.place,
      `\`sample\` cannot be combined with ${found.join(' and ')}`,
      'Time the request in a separate step.',
    );
}

export function resolveUse({ use }: RawStep, context: ResolveContext): Use {
  const used = (value: string): UsedSteps =>
    value === EVERY_STEP ? { kind: 'every-step' } : { kind: 'step', id: qualified(value, context) };
  if (use === undefined) return { kind: 'none' };
  if ('place' in use) return used(use.value);
  return { kind: 'named', steps: Object.fromEntries(use.map(({ key, value }) => [key, used(value.value)])) };
}

function resolveRetry(raw: NonNullable<Defaults>['retry']): Retry | null {
  return raw === undefined ? null : { attempts: raw.attempts, waitMs: raw.waitMs ?? 0, on: raw.on };
}

function resolveForEach(
  raw: RawStep['forEach'],
  scope: readonly string[],
  context: ResolveContext,
): Step['forEach'] {
  if (raw === undefined) return null;
  return {
    in: context.template(raw.in, scope),
    as: raw.as,
    key: context.template(raw.key, [...scope, raw.as]),
    where: raw.where === undefined ? null : context.schema(raw.where),
    succeeded: raw.succeeded === undefined ? null : qualified(raw.succeeded.value, context),
    first: raw.first ?? null,
    functions: raw.functions ?? null,
  };
}

function resolveCases(raw: RawStep['cases'], context: ResolveContext): Step['cases'] {
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
  return Object.fromEntries(
    (raw ?? []).map(({ key, value: { at, many = false, needs } }) => {
      const neededBy = (wire: RuleWire): string | null => {
        const needed = valueFor(needs, wire);
        return needed === undefined ? null : qualified(needed.value, context);
      };
      const save: Save = {
        at: context.selector(at),
        many,
        needs: { rest: neededBy('rest'), mcp: neededBy('mcp') },
      };
      return [key, save];
    }),
  );
}
