import type { Requirement, RuleWire } from '../../model/requirement.ts';
import type { AssertionIdentity, Condition } from '../../model/suite.ts';
import { didYouMean } from '../yaml/diagnostic.ts';
import type { Placed } from '../yaml/shape.ts';
import type { RawIdentity } from './assertion-language.ts';
import { isSplit, valueFor, WIRES } from './per-wire.ts';
import { refuseEmptySpan } from './registry.ts';
import type { ResolveContext } from './resolve-context.ts';

type Span = Pick<Requirement, 'since' | 'until'>;

/** The revisions are those of the requirement, unless the condition gives its own. */
export function resolveCondition(
  raw: RawIdentity['when'],
  context: ResolveContext,
  { since, until }: Span = {},
): Condition {
  if (raw?.otherwise !== undefined && raw.present === undefined)
    context.report('one-of-keys', raw.otherwise.place, UNUSED_OTHERWISE, 'Add `present:`, or remove it.');
  if (raw !== undefined) {
    const place = raw.since?.place ?? raw.until?.place ?? raw.place;
    const placed = (value: string | undefined) => (value === undefined ? undefined : { value, place });
    refuseEmptySpan(raw.since ?? placed(since), raw.until ?? placed(until), context.report);
  }
  return {
    form: raw?.form ?? null,
    channel: raw?.channel ?? null,
    address: raw?.address ?? null,
    era: raw?.era ?? null,
    since: raw?.since?.value ?? since ?? null,
    until: raw?.until?.value ?? until ?? null,
    capability: raw?.capability ?? null,
    present: raw?.present ? context.selector(raw.present) : null,
    otherwise: raw?.otherwise?.value ?? null,
  };
}

const UNUSED_OTHERWISE = '`otherwise` has no effect without `present`';

/** The wires for which an assertion is planned, where it differs by them; undefined: for both alike. */
export function wiresOf(
  { requirement, needs, blockedBy = [] }: RawIdentity,
  { catalogue }: ResolveContext,
): readonly (RuleWire | undefined)[] {
  if (isSplit(requirement)) return WIRES.filter((wire) => requirement[wire] !== undefined);
  const only = requirement && catalogue.registry.get(requirement.value)?.wire;
  if (only !== undefined) return [only];
  return [needs, ...blockedBy.map(({ value }) => value)].some(isSplit) ? WIRES : [undefined];
}

/** The id of the requirement that an assertion decides for a wire, or its own. */
export function decidedBy(raw: RawIdentity, wire: RuleWire | undefined, context: ResolveContext): string {
  return valueFor(raw.requirement, wire)?.value ?? `${context.suiteId}/${raw.id?.value ?? 'unnamed'}`;
}

export function resolveIdentity(
  raw: RawIdentity,
  wire: RuleWire | undefined,
  context: ResolveContext,
): AssertionIdentity {
  const requirement = valueFor(raw.requirement, wire);
  const row = requirement === undefined ? undefined : rowOf(raw, requirement, wire, context);
  if (requirement === undefined) checkOwnId(raw, context);
  const needs = valueFor(raw.needs, wire);
  return {
    requirement: decidedBy(raw, wire, context),
    level: row?.level ?? raw.level ?? 'SHOULD',
    text: row?.text ?? '',
    where: context.locate(raw.place),
    why: raw.why ?? row?.why ?? '',
    fix: raw.fix ?? row?.fix ?? '',
    wire,
    spec: row?.spec ?? '-',
    when: resolveCondition(raw.when, context, row),
    needs: needs === undefined ? null : context.qualified(needs.value),
  };
}

function checkOwnId(raw: RawIdentity, context: ResolveContext): void {
  const own = decidedBy(raw, undefined, context);
  if (raw.id === undefined) {
    // A requirement with a wrong value was reported already.
    if (Object.hasOwn(raw.keyPlaces, 'requirement')) return;
    const message = 'an assertion needs `requirement` or its own `id`';
    context.report('one-of-keys', raw.place, message, 'Add `requirement: …`, or `id:` and `level:`.');
  } else if (context.catalogue.registry.has(own)) {
    const remedy = `Write \`requirement: ${own}\`, or choose another id.`;
    context.report('duplicate-id', raw.id.place, `"${own}" is a requirement of the registry`, remedy);
  }
}

function rowOf(
  raw: RawIdentity,
  { value, place }: Placed<string>,
  wire: RuleWire | undefined,
  { catalogue: { registry }, report }: ResolveContext,
): Requirement | undefined {
  const row = registry.get(value);
  if (row === undefined) {
    const remedy = didYouMean(value, [...registry.keys()], 'Or give the assertion its own `id`.');
    report('unknown-requirement', place, `unknown requirement "${value}"`, remedy);
  } else if (row.wire !== undefined && row.wire !== wire) {
    const remedy = `Write it under \`${row.wire}\`, or name another.`;
    report('wrong-value', place, `the requirement "${row.id}" is only for ${row.wire}`, remedy);
  }
  if (raw.id !== undefined) {
    const message = 'an assertion has `requirement` or `id`, not both';
    report('one-of-keys', raw.id.place, message, 'Remove `id`.');
  }
  if (raw.level !== undefined) {
    const message = 'the level of a requirement comes from the registry';
    report('one-of-keys', raw.place, message, 'Remove `level`.');
  }
  return row;
}
