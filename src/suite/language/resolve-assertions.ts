import type { Check } from '../../checks/define-check.ts';
import type { JsonObject } from '../../json/json.ts';
import { MIN_SAMPLES } from '../../latency/percentiles.ts';
import { PERCENTILES } from '../../model/load.ts';
import type { Assertion, AssertionIdentity, NodeExpectation } from '../../model/suite.ts';
import { didYouMean, type Place } from '../yaml/diagnostic.ts';
import { type Places, valuesByKey } from '../yaml/mapping.ts';
import type {
  RawBodyAssertion,
  RawBudget,
  RawCheck,
  RawExpectation,
  RawIdentity,
} from './assertion-language.ts';
import { valueFor } from './per-wire.ts';
import type { ResolveContext } from './resolve-context.ts';
import { resolveIdentity, wiresOf } from './resolve-identity.ts';
import type { RawStep } from './suite-language.ts';

const KINDS = ['status', 'outcome', 'checks', 'headers', 'body', 'time', 'budget'] as const;

/** The assertions of a step in the file, in the order in which they are judged. */
export function assertionsOf({ expect }: RawStep): readonly RawIdentity[] {
  return KINDS.flatMap((kind): RawIdentity | readonly RawIdentity[] => expect?.[kind] ?? []);
}

/** The assertions of a step, in the same order. */
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
      expectation: nodeExpectation(raw, ['is', 'absent'], 'a header assertion', context),
      message: raw.message ?? null,
    })),
    ...forEachWire(expect.body, context, (raw, own) => ({
      ...own,
      kind: 'body',
      at: context.selector(raw.at),
      expectation: nodeExpectation(raw, NODE_KEYS, 'a body assertion', context),
      message: raw.message ?? null,
    })),
    ...forEachWire(expect.time && [expect.time], context, ({ maxMs }, own) => ({
      ...own,
      kind: 'time',
      maxMs,
    })),
    ...forEachWire(expect.budget, context, (raw, own) => budgetAssertion(raw, own, step, context)),
  ];
  // A step that only provides data for others needs no expectation.
  const providesData = isUsed || step.save?.every(({ value }) => value.pick !== undefined) === true;
  if (assertions.length === 0 && !providesData && !awaitsNoAnswer(step.request)) {
    const message = `the step "${step.id.value}" expects nothing, so it cannot fail`;
    context.report('expects-nothing', step.id.place, message, 'Add `expect` with at least a status.');
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

function exactlyOneOf<Key extends string>(
  { place, keyPlaces }: Places,
  keys: readonly Key[],
  words: string,
  context: ResolveContext,
): Key | undefined {
  // A key with a wrong value counts as present; its value was reported already.
  const given = keys.filter((key) => Object.hasOwn(keyPlaces, key));
  if (given.length === 1) return given[0];
  const named = keys.join(', ');
  const message = `${words} needs exactly one of ${named}, found ${given.join(' and ') || 'none'}`;
  return context.report('one-of-keys', place, message, `Keep one of ${named}.`);
}

const NODE_KEYS = ['is', 'each', 'any', 'none', 'count', 'absent'] as const;

type RawNode = Pick<RawBodyAssertion, (typeof NODE_KEYS)[number]> & Places;

function nodeExpectation(
  raw: RawNode,
  keys: readonly (typeof NODE_KEYS)[number][],
  words: string,
  context: ResolveContext,
): NodeExpectation {
  const kind = exactlyOneOf(raw, keys, words, context);
  const expected = kind === undefined || kind === 'absent' ? undefined : raw[kind];
  if (kind === undefined || kind === 'absent' || expected === undefined) {
    const remedy = 'Write `is:` or `each:` with a schema; a node must be found then.';
    if (raw.absent === false)
      context.report('wrong-value', raw.place, '`absent: false` has no effect', remedy);
    return { kind: 'absent' };
  }
  const isNumber = kind === 'count' && typeof expected.value === 'number';
  return { kind, schema: isNumber ? { const: expected.value } : context.schema(expected) };
}

function checkAssertion(raw: RawCheck, own: AssertionIdentity, context: ResolveContext): Assertion {
  const { value: name, place } = raw.check;
  const { with: options = {}, blockedBy = [] } = raw;
  const blamed = blockedBy.flatMap(({ key, value }) => {
    const one = valueFor(value, own.wire);
    return one === undefined ? [] : [{ key, value: context.qualified(one.value) }];
  });
  const { checks } = context.catalogue;
  const check = checks.get(name);
  if (check === undefined)
    context.report(
      'unknown-check',
      place,
      `unknown check "${name}"`,
      didYouMean(name, [...checks.keys()], ''),
    );
  else {
    checkOptions(place, check, options, context);
    const reasons = Object.keys(check.reasons);
    for (const reason of blockedBy.filter(({ key }) => !reasons.includes(key))) {
      const message = `the check "${name}" has no reason "${reason.key}" for which it cannot judge`;
      context.report('unknown-key', reason.place, message, didYouMean(reason.key, reasons, 'Remove it.'));
    }
  }
  return { ...own, kind: 'check', check: name, options, blockedBy: valuesByKey(blamed) };
}

function checkOptions(place: Place, check: Check, given: JsonObject, context: ResolveContext): void {
  const known = Object.keys(check.options);
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) {
      const message = `the check "${check.name}" has no option "${name}"`;
      context.report('unknown-key', place, message, didYouMean(name, known, 'Remove it.'));
    } else if (check.options[name]?.schema === true) context.schema({ value, place });
  }
  for (const [name, { required, doc }] of Object.entries(check.options)) {
    if (!required || Object.hasOwn(given, name)) continue;
    const message = `the check "${check.name}" needs the option "${name}"`;
    context.report('missing-key', place, message, `Add it under \`with\`: ${doc}`);
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
  step: RawStep,
  { report }: ResolveContext,
): Assertion {
  const calls = timedCalls(step);
  const limitsMs: Record<string, number> = {};
  for (const percentile of PERCENTILES) {
    const limit = raw[`${percentile}Ms`];
    if (limit === undefined) continue;
    limitsMs[percentile] = limit;
    const needed = MIN_SAMPLES[percentile];
    if (calls === 'default' || (calls !== undefined && calls >= needed)) continue;
    const message = `${calls ?? 0} timed calls are too few for ${percentile}, which needs ${needed}`;
    const remedy = `Write \`experiment: { timed-calls: ${needed} }\` or more, or remove the budget for ${percentile}.`;
    report('unsupported-percentile', raw.keyPlaces[`${percentile}Ms`] ?? raw.place, message, remedy);
  }
  if (raw.maxMs !== undefined) limitsMs.max = raw.maxMs;
  const isLimited = Object.keys(limitsMs).length > 0;
  if (raw.of !== undefined && isLimited) {
    const message = 'a budget has `of:` or its own limits, not both';
    report('one-of-keys', raw.place, message, 'Keep `of:`, or the limits.');
  } else if (raw.of === undefined && !isLimited) {
    const remedy = 'Add p95Ms, maxMs or another limit, or `of:` for the limits of the settings.';
    report('expects-nothing', raw.place, 'the budget limits nothing', remedy);
  }
  if (calls === undefined && (raw.maxMs !== undefined || raw.of !== undefined)) {
    const remedy = 'Add `experiment: timed-calls` to the step.';
    report('one-of-keys', raw.place, 'a budget needs timed calls', remedy);
  }
  return raw.of === undefined
    ? { ...own, kind: 'budget', of: null, limitsMs }
    : { ...own, kind: 'budget', of: raw.of };
}
