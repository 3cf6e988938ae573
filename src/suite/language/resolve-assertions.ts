import type { Check } from '../../checks/define-check.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { MIN_SAMPLES } from '../../latency/percentiles.ts';
import { PERCENTILES } from '../../model/load.ts';
import type { Assertion, AssertionIdentity, NodeExpectation } from '../../model/suite.ts';
import { didYouMean, type Place } from '../diagnostic.ts';
import type { Placed } from '../shape.ts';
import { valueFor } from './per-wire.ts';
import type { ResolveContext } from './resolve-context.ts';
import { qualified, resolveIdentity, wiresOf } from './resolve-identity.ts';
import type {
  RawBodyAssertion,
  RawBudget,
  RawCheck,
  RawExpectation,
  RawHeaderAssertion,
  RawIdentity,
  RawStep,
} from './suite-language.ts';

/** All assertions of a step, in the order in which they are judged. */
export function resolveAssertions(
  step: RawStep,
  context: ResolveContext,
  isUsed: boolean,
): readonly Assertion[] {
  const expect: Partial<RawExpectation> = step.expect ?? {};
  const assertions = [
    ...forEachWire(expect.status, context, (raw, own) => {
      exactlyOneOf(raw, ['is', 'not'], 'a status assertion', context);
      return raw.is === undefined
        ? { ...own, kind: 'status', is: null, not: raw.not ?? [] }
        : { ...own, kind: 'status', is: raw.is, not: null };
    }),
    ...forEachWire(expect.outcome, context, ({ is }, own) => ({ ...own, kind: 'outcome', is })),
    ...forEachWire(expect.checks, context, (raw, own) => checkAssertion(raw, own, context)),
    ...forEachWire(expect.headers, context, (raw, own) => ({
      ...own,
      kind: 'header',
      name: raw.name.toLowerCase(),
      expectation: headerExpectation(raw, context),
      message: raw.message ?? null,
    })),
    ...forEachWire(expect.body, context, (raw, own) => ({
      ...own,
      kind: 'body',
      at: context.selector(raw.at),
      expectation: bodyExpectation(raw, context),
      message: raw.message ?? null,
    })),
    ...forEachWire(expect.time && [expect.time], context, ({ maxMs }, own) => ({
      ...own,
      kind: 'time',
      maxMs,
    })),
    ...forEachWire(expect.budget, context, (raw, own) =>
      budgetAssertion(raw, own, timedCalls(step), context),
    ),
  ];
  // A step that only provides data for others needs no expectation.
  const providesData = isUsed || step.save?.every(({ value }) => value.pick !== undefined) === true;
  if (assertions.length === 0 && !providesData && !awaitsNoAnswer(step.request)) {
    context.report(
      'expects-nothing',
      step.id.place,
      `the step "${step.id.value}" expects nothing, so it cannot fail`,
      'Add `expect` with at least a status.',
    );
  }
  return assertions;
}

/** An aborted request has no answer. Every message of a conversation is judged by the steps that use all answers. */
function awaitsNoAnswer(request: RawStep['request']): boolean {
  if (request === undefined) return false;
  const { abort, open, close, message, http, post, raw } = request;
  const isOfConversation = [open, close, message, http].some((one) => one !== undefined);
  return abort !== undefined || isOfConversation || (raw !== undefined && post === undefined);
}

/** An assertion as it is, or one for each wire where they differ. */
function forEachWire<Raw extends RawIdentity>(
  raws: readonly Raw[] | undefined,
  context: ResolveContext,
  resolve: (raw: Raw, own: AssertionIdentity) => Assertion,
): readonly Assertion[] {
  return (raws ?? []).flatMap((raw) =>
    wiresOf(raw, context).map((wire) => resolve(raw, resolveIdentity(raw, wire, context))),
  );
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

function checkAssertion(raw: RawCheck, own: AssertionIdentity, context: ResolveContext): Assertion {
  const blockedBy = (raw.blockedBy ?? []).flatMap(({ key, value }) => {
    const blamed = valueFor(value, own.wire);
    return blamed === undefined ? [] : [[key, qualified(blamed.value, context)]];
  });
  const assertion: Assertion = {
    ...own,
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

/** How many calls the step times; the number of the settings is known only at run time. */
function timedCalls({ experiment }: RawStep): number | 'default' | undefined {
  if (experiment === undefined) return undefined;
  const { value } = experiment;
  if (typeof value === 'string') return value === 'timed-calls' ? 'default' : undefined;
  return value['timed-calls'];
}

function budgetAssertion(
  raw: RawBudget,
  own: AssertionIdentity,
  calls: number | 'default' | undefined,
  context: ResolveContext,
): Assertion {
  const limitsMs: Record<string, number> = {};
  for (const percentile of PERCENTILES) {
    const limit = raw[`${percentile}Ms`];
    if (limit === undefined) continue;
    limitsMs[percentile] = limit;
    const minSamples = MIN_SAMPLES[percentile];
    if (calls === 'default' || (calls !== undefined && calls >= minSamples)) continue;
    context.report(
      'unsupported-percentile',
      raw.keyPlaces[`${percentile}Ms`] ?? raw.place,
      `${calls ?? 0} timed calls are too few for ${percentile}, which needs ${minSamples}`,
      `Write \`experiment: { timed-calls: ${minSamples} }\` or more, or remove the budget for ${percentile}.`,
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
  if (calls === undefined && (raw.maxMs !== undefined || raw.of !== undefined)) {
    context.report(
      'one-of-keys',
      raw.place,
      'a budget needs timed calls',
      'Add `experiment: timed-calls` to the step.',
    );
  }
  return raw.of === undefined
    ? { ...own, kind: 'budget', of: null, limitsMs }
    : { ...own, kind: 'budget', of: raw.of };
}

/** The assertions of a step in the file, of every kind, in the order in which they are resolved. */
export function assertionsOf({ expect }: RawStep): readonly RawIdentity[] {
  return [
    ...(expect?.status ?? []),
    ...(expect?.outcome ?? []),
    ...(expect?.checks ?? []),
    ...(expect?.headers ?? []),
    ...(expect?.body ?? []),
    ...(expect?.time ? [expect.time] : []),
    ...(expect?.budget ?? []),
  ];
}
