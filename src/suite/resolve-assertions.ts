import type { Check } from '../checks/define-check.ts';
import { MIN_SAMPLES } from '../latency/percentiles.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { PERCENTILES } from '../model/percentile.ts';
import type { Assertion, AssertionIdentity, Condition, NodeExpectation } from '../model/suite.ts';
import { didYouMean, type Place } from './diagnostic.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { Placed } from './shape.ts';
import type {
  RawBodyAssertion,
  RawBudget,
  RawCheck,
  RawExpectation,
  RawHeaderAssertion,
  RawIdentity,
  RawStep,
} from './suite-language.ts';

const NO_CONDITION: Condition = { form: null, present: null, otherwise: null };

export function resolveCondition(raw: RawIdentity['when'], context: ResolveContext): Condition {
  if (raw === undefined) return NO_CONDITION;
  if (raw.otherwise !== undefined && raw.present === undefined)
    context.report(
      'one-of-keys',
      raw.otherwise.place,
      '`otherwise` has no effect without `present`',
      'Add `present:`, or remove it.',
    );
  return {
    form: raw.form ?? null,
    present: raw.present ? context.selector(raw.present) : null,
    otherwise: raw.otherwise?.value ?? null,
  };
}

/** All assertions of a step, in the order in which they are judged. */
export function resolveAssertions(
  step: RawStep,
  context: ResolveContext,
  isUsed: boolean,
): readonly Assertion[] {
  const expect: Partial<RawExpectation> = step.expect ?? {};
  const assertions = [
    ...(expect.status ?? []).map((raw): Assertion => {
      exactlyOneOf(raw, ['is', 'not'], 'a status assertion', context);
      const own = { ...identity(raw, context), kind: 'status' } as const;
      return raw.is === undefined
        ? { ...own, is: null, not: raw.not ?? [] }
        : { ...own, is: raw.is, not: null };
    }),
    ...(expect.checks ?? []).map((raw) => checkAssertion(raw, context)),
    ...(expect.headers ?? []).map((raw): Assertion => {
      return {
        ...identity(raw, context),
        kind: 'header',
        name: raw.name.toLowerCase(),
        expectation: headerExpectation(raw, context),
        message: raw.message ?? null,
      };
    }),
    ...(expect.body ?? []).map((raw): Assertion => {
      return {
        ...identity(raw, context),
        kind: 'body',
        at: context.selector(raw.at),
        expectation: bodyExpectation(raw, context),
        message: raw.message ?? null,
      };
    }),
    ...(expect.time
      ? [{ ...identity(expect.time, context), kind: 'time', maxMs: expect.time.maxMs } as const]
      : []),
    ...(step.budget ?? []).map((raw) => budgetAssertion(raw, step.sample, context)),
  ];
  // An aborted request has no answer to expect; another step judges its effect. A step that only provides data for
  // others needs no expectation.
  const providesData = isUsed || step.choose !== undefined;
  if (assertions.length === 0 && step.request?.abort === undefined && !providesData) {
    context.report(
      'expects-nothing',
      step.id.place,
      `the step "${step.id.value}" expects nothing, so it cannot fail`,
      'Add `expect` with at least a status.',
    );
  }
  return assertions;
}

function identity(raw: RawIdentity & { readonly place: Place }, context: ResolveContext): AssertionIdentity {
  const where = context.locate(raw.place);
  const common = {
    where,
    when: resolveCondition(raw.when, context),
    needs: raw.needs ? qualified(raw.needs.value, context) : null,
  };
  if (raw.requirement !== undefined) return { ...common, ...fromRegistry(raw, raw.requirement, context) };
  if (raw.id === undefined) {
    context.report(
      'one-of-keys',
      raw.place,
      'an assertion needs `requirement` or its own `id`',
      'Add `requirement: …`, or `id:` and `level:`.',
    );
  }
  const own = `${context.suiteId}/${raw.id?.value ?? 'unnamed'}`;
  if (raw.id !== undefined && context.catalogue.registry.has(own)) {
    context.report(
      'duplicate-id',
      raw.id.place,
      `"${own}" is a requirement of the registry`,
      `Write \`requirement: ${own}\`, or choose another id.`,
    );
  }
  return {
    ...common,
    requirement: own,
    level: raw.level ?? 'SHOULD',
    text: '',
    why: raw.why ?? '',
    fix: raw.fix ?? '',
    spec: '-',
  };
}

function fromRegistry(
  raw: RawIdentity & { readonly place: Place },
  requirement: Placed<string>,
  context: ResolveContext,
) {
  const { registry } = context.catalogue;
  const row = registry.get(requirement.value);
  if (row === undefined) {
    context.report(
      'unknown-requirement',
      requirement.place,
      `unknown requirement "${requirement.value}"`,
      didYouMean(requirement.value, [...registry.keys()], 'Or give the assertion its own `id`.'),
    );
  }
  if (raw.id !== undefined) {
    context.report(
      'one-of-keys',
      raw.id.place,
      'an assertion has `requirement` or `id`, not both',
      'Remove `id`.',
    );
  }
  if (raw.level !== undefined) {
    context.report(
      'one-of-keys',
      raw.place,
      'the level of a requirement comes from the registry',
      'Remove `level`.',
    );
  }
  return {
    requirement: requirement.value,
    level: row?.level ?? 'SHOULD',
    text: row?.text ?? '',
    why: raw.why ?? row?.why ?? '',
    fix: raw.fix ?? row?.fix ?? '',
    ...(raw.fix !== undefined || row?.fixMcp === undefined ? {} : { fixMcp: row.fixMcp }),
    spec: row?.spec ?? '-',
    wire: row?.wire,
  } as const;
}

/** A user's own id may omit its suite. */
export function qualified(reference: string, context: ResolveContext): string {
  return reference.includes('/') ? reference : `${context.suiteId}/${reference}`;
}

function exactlyOneOf(
  raw: { readonly place: Place; readonly keyPlaces: Readonly<Record<string, Place>> },
  keys: readonly string[],
  words: string,
  context: ResolveContext,
): string | undefined {
  // A key with a wrong value counts as present; its value was reported already.
  const given = keys.filter((key) => Object.hasOwn(raw.keyPlaces, key));
  if (given.length === 1) return given[0];
  context.report(
    'one-of-keys',
    raw.place,
    `${words} needs exactly one of ${keys.join(', ')}, found ${given.join(' and ') || 'none'}`,
    `Keep one of ${keys.join(', ')}.`,
  );
  return undefined;
}

function headerExpectation(raw: RawHeaderAssertion, context: ResolveContext): NodeExpectation {
  const kind = exactlyOneOf(raw, ['is', 'absent'], 'a header assertion', context);
  if (kind !== 'is' || raw.is === undefined) return absentTrue(raw.absent, raw.place, context);
  return { kind, schema: context.schema(raw.is) };
}

function bodyExpectation(raw: RawBodyAssertion, context: ResolveContext): NodeExpectation {
  const kind = exactlyOneOf(
    raw,
    ['is', 'each', 'any', 'none', 'count', 'absent'],
    'a body assertion',
    context,
  );
  if (kind === 'absent' || kind === undefined) return absentTrue(raw.absent, raw.place, context);
  const expected = raw[kind as 'is' | 'each' | 'any' | 'none' | 'count'] as Placed<Json>;
  if (kind === 'count' && typeof expected.value === 'number')
    return { kind, schema: { const: expected.value } };
  return { kind: kind as 'is', schema: context.schema(expected) };
}

function absentTrue(absent: boolean | undefined, place: Place, context: ResolveContext): NodeExpectation {
  if (absent === false)
    context.report(
      'wrong-value',
      place,
      '`absent: false` has no effect',
      'Write `is:` or `each:` with a schema; a node must be found then.',
    );
  return { kind: 'absent' };
}

function checkAssertion(raw: RawCheck, context: ResolveContext): Assertion {
  const blockedBy = (raw.blockedBy ?? []).map(({ key, value }) => [key, qualified(value.value, context)]);
  const assertion: Assertion = {
    ...identity(raw, context),
    kind: 'check',
    check: raw.check.value,
    options: raw.with ?? {},
    blockedBy: Object.fromEntries(blockedBy),
  };
  const { checks } = context.catalogue;
  const check = checks.get(raw.check.value);
  if (check === undefined) {
    context.report(
      'unknown-check',
      raw.check.place,
      `unknown check "${raw.check.value}"`,
      didYouMean(raw.check.value, [...checks.keys()], ''),
    );
    return assertion;
  }
  checkOptions(raw.check.place, check, assertion.options, context);
  const reasons = Object.keys(check.reasons);
  for (const { key, place } of raw.blockedBy ?? []) {
    if (reasons.includes(key)) continue;
    context.report(
      'unknown-key',
      place,
      `the check "${check.name}" has no reason "${key}" for which it cannot judge`,
      didYouMean(key, reasons, 'Remove it.'),
    );
  }
  return assertion;
}

function checkOptions(place: Place, check: Check, given: JsonObject, context: ResolveContext): void {
  const known = Object.keys(check.options);
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) {
      context.report(
        'unknown-key',
        place,
        `the check "${check.name}" has no option "${name}"`,
        didYouMean(name, known, 'Remove it.'),
      );
    } else if (check.options[name]?.schema === true) {
      context.schema({ value, place });
    }
  }
  for (const name of known) {
    if (!check.options[name]?.required || Object.hasOwn(given, name)) continue;
    context.report(
      'missing-key',
      place,
      `the check "${check.name}" needs the option "${name}"`,
      `Add it under \`with\`: ${check.options[name]?.doc}`,
    );
  }
}

function budgetAssertion(raw: RawBudget, sample: RawStep['sample'], context: ResolveContext): Assertion {
  const limitsMs: Record<string, number> = {};
  for (const percentile of PERCENTILES) {
    const limit = raw[`${percentile}Ms`];
    if (limit === undefined) continue;
    limitsMs[percentile] = limit;
    const minSamples = MIN_SAMPLES[percentile];
    // The number from the settings is known only at run time.
    if (sample === 'default' || (sample !== undefined && sample >= minSamples)) continue;
    context.report(
      'unsupported-percentile',
      raw.keyPlaces[`${percentile}Ms`] ?? raw.place,
      `a sample of ${sample ?? 0} calls is too small for ${percentile}, which needs ${minSamples}`,
      `Write \`sample: ${minSamples}\` or more, or remove the budget for ${percentile}.`,
    );
  }
  if (raw.maxMs !== undefined) limitsMs.max = raw.maxMs;
  const limits = Object.keys(limitsMs).length;
  if (raw.of !== undefined && limits > 0) {
    context.report(
      'one-of-keys',
      raw.place,
      'a budget has `of:` or its own limits, not both',
      'Keep `of:`, or the limits.',
    );
  } else if (raw.of === undefined && limits === 0) {
    context.report(
      'expects-nothing',
      raw.place,
      'the budget limits nothing',
      'Add p95Ms, maxMs or another limit, or `of:` for the limits of the settings.',
    );
  }
  if (sample === undefined && (raw.maxMs !== undefined || raw.of !== undefined)) {
    context.report(
      'one-of-keys',
      raw.place,
      'a budget needs `sample`: how many calls to time',
      'Add `sample:` to the step.',
    );
  }
  const own = identity(raw, context);
  return raw.of === undefined
    ? { ...own, kind: 'budget', of: null, limitsMs }
    : { ...own, kind: 'budget', of: raw.of };
}

/** The assertions of a step in the file, of every kind, in the order in which they are resolved. */
export function assertionsOf({ expect, budget }: RawStep): readonly RawIdentity[] {
  return [
    ...(expect?.status ?? []),
    ...(expect?.checks ?? []),
    ...(expect?.headers ?? []),
    ...(expect?.body ?? []),
    ...(expect?.time ? [expect.time] : []),
    ...(budget ?? []),
  ];
}
