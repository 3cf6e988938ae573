import { declaredInputs } from '../../checks/documentation/examples-given.ts';
import { isJsonObject, type Json, shorten } from '../../json/json.ts';
import { instanceKey, namesakeKey } from '../../model/exchange-key.ts';
import type { SchemaVerdict } from '../../model/schema-evaluator.ts';
import type { ForEach, FunctionKind, Step } from '../../model/suite.ts';
import type { Omission, Skip } from '../state/record.ts';
import { LISTED } from '../steps/step-order.ts';
import { callInstances } from './expand-calls.ts';
import type { ExpandContext, Item, Place, PlannedInstance } from './expand-context.ts';
import { requestOf } from './make-request.ts';
import { expandText, expandToText, MissingValue, type Scope } from './template.ts';
import { digestOf } from './write-call.ts';

export type Expansion =
  | {
      readonly kind: 'instances';
      readonly instances: readonly PlannedInstance[];
      readonly omission: Omission | null;
    }
  | Skip;

/** Creates the instances of a step: one for each item of its loop, each case, and each input. Pure. */
export function expandStep(step: Step, context: ExpandContext): Expansion {
  try {
    return expand(step, context);
  } catch (error) {
    if (!(error instanceof MissingValue)) throw error;
    const unchosen = error.root === null ? undefined : context.unchosen.get(error.root);
    if (unchosen === undefined) return { kind: 'blocked', by: error.message };
    return unchosen.kind === 'not-needed'
      ? { kind: 'inapplicable', reason: unchosen.reason }
      : { kind: 'undecided', doubt: unchosen.doubt };
  }
}

function expand(step: Step, context: ExpandContext): Expansion {
  const scope: Scope = new Map<string, Json>([...context.saved, ['run', { seed: context.settings.seed }]]);
  const { forEach } = step.rounds;
  const items = forEach === null ? oneRound : itemsOf(forEach, step, scope, context);
  if (items.kind !== 'items') return items;
  let reason = 'nothing to send';
  const groups = items.items.flatMap((item) => {
    const made = instancesOfItem(step, item, scope, context);
    const instances = made.filter((one) => typeof one !== 'string');
    if (instances.length === 0) reason = made.find((one) => typeof one === 'string') ?? reason;
    return instances.length === 0 ? [] : [instances];
  });
  if (groups.length === 0) return { kind: 'inapplicable', reason };
  const { maxItems } = context.settings;
  const chosen = chooseEvenly(groups, maxItems);
  const listed = Math.max(items.listed, groups.length);
  const omission = listed > maxItems ? { step: step.id, listed, called: maxItems } : null;
  return { kind: 'instances', instances: withUniqueKeys(chosen.flat()), omission };
}

const RANK_WITHOUT_INPUT = 4;
const RANK_WITHOUT_CALLS = 8;

const NONE_OF_KIND: Readonly<Record<FunctionKind, string>> = {
  explorable: 'no callable function seems to only read and to give small answers',
  reads: 'no callable function seems to only read and to give small answers',
  unknown: 'for every callable function it is known whether it changes something',
  creating: 'no callable function creates something, by its name (see --mutating)',
  mixing: 'no call of a function that creates something got data of another call',
  varying: 'every callable function answered the same alone and together with others',
  harmless:
    'every callable function changes something or looks as if it does (see --mutating), or its answers are large',
};

interface Items {
  readonly kind: 'items';
  readonly items: readonly Item[];
  /** Of the functions that a step calls each, the number of all; else 0. */
  readonly listed: number;
}

const oneRound: Items = { kind: 'items', items: [{ item: undefined, itemKey: null }], listed: 0 };

/** Longer lists are reduced evenly before their items are examined. */
const MAX_LOOKED_AT = 5000;

const VALID: SchemaVerdict = { kind: 'valid' };

/** The step applies to no item for certain, but may apply to some. */
function unsettled(reason: string): Skip {
  const message = `it is unknown to which items the step applies: ${reason}`;
  const expected = 'a schema that can be applied';
  return { kind: 'undecided', doubt: { message, expected, received: reason } };
}

function itemsOf(forEach: ForEach, { request }: Step, scope: Scope, context: ExpandContext): Items | Skip {
  const isCall = request?.kind === 'execute';
  const isDistinct = isCall && request.arguments.kind === 'distinct';
  const list = expandText(forEach.in, scope);
  const all = Array.isArray(list) ? (list as readonly Json[]) : [list];
  if (all.length === 0)
    return context.settings.mcp === undefined
      ? { kind: 'blocked', by: context.blockedWhenEmpty }
      : { kind: 'inapplicable', reason: 'the server lists no tools' };
  // Every step calls the same functions, whatever each of them needs.
  const considered = chooseEvenly(all, isCall ? context.settings.maxItems : MAX_LOOKED_AT);
  const judged = considered.map((item) => ({
    item,
    verdict: forEach.where === null ? VALID : context.schemas.apply(forEach.where, item),
  }));
  const fitting = judged.filter(({ verdict }) => verdict.kind === 'valid').map(({ item }) => item);
  const doubt = judged.find(({ verdict }) => verdict.kind === 'undecided')?.verdict;
  if (fitting.length === 0 && doubt?.kind === 'undecided') return unsettled(doubt.reason);
  const { succeeded, restraint, costly, calls } = context;
  const requested = succeeded === null ? fitting : fitting.filter((item) => succeeded.has(item));
  if (requested.length === 0)
    return { kind: 'inapplicable', reason: 'the step applies to none of the requested items' };
  const { functions } = forEach;
  const ofKind = requested.filter(
    (item) => functions === null || (restraint.isOfKind(item, functions) && !costly.has(item)),
  );
  if (ofKind.length === 0) {
    // Whether a function only computes is seen from its answers: without any, it is unknown.
    const unseen = requested.filter((item) => restraint.isOfKind(item, 'unknown'));
    const [unmet] = unseen.flatMap((item) => succeeded?.get(item) ?? []);
    if (
      functions === 'explorable' &&
      unmet?.met === false &&
      !unseen.some((item) => succeeded?.get(item)?.met)
    )
      return { kind: 'blocked', by: unmet.by };
    return { kind: 'inapplicable', reason: NONE_OF_KIND[functions ?? 'harmless'] };
  }
  const usable = ofKind.filter((item) => succeeded?.get(item)?.met ?? true);
  const [first] = ofKind;
  if (usable.length === 0) {
    const unmet = first === undefined ? undefined : succeeded?.get(first);
    return { kind: 'blocked', by: unmet?.met === false ? unmet.by : context.blockedWhenEmpty };
  }
  // Calls without input get the same answers, so such functions rank lower.
  const rankOf = (item: Json): number =>
    restraint.rankOf(item) +
    (restraint.hasCallsLeft(item, calls) ? 0 : RANK_WITHOUT_CALLS) +
    (costly.has(item) ? 1 / 2 : 0) +
    (isDistinct && isJsonObject(item) && declaredInputs(item).length === 0 ? RANK_WITHOUT_INPUT : 0);
  const chosen =
    forEach.first === null
      ? usable
      : usable.toSorted((left, right) => rankOf(left) - rankOf(right)).slice(0, forEach.first);
  const items = chosen.map((item) => ({
    item,
    itemKey: expandToText(forEach.key, new Map([...scope, [forEach.as, item]])),
  }));
  const callsEach = isCall && succeeded === null && functions === null && forEach.first === null;
  return { kind: 'items', items, listed: callsEach ? all.length : 0 };
}

function instancesOfItem(
  step: Step,
  { item, itemKey }: Item,
  outer: Scope,
  context: ExpandContext,
): readonly (PlannedInstance | string)[] {
  const { cases, forEach } = step.rounds;
  return (cases ?? [null]).flatMap((row): readonly (PlannedInstance | string)[] | string => {
    const scope = new Map(outer);
    if (forEach !== null && item !== undefined) scope.set(forEach.as, item);
    if (row !== null) scope.set('case', row);
    return instancesFor(step, { item, itemKey, caseId: row && String(row.id) }, scope, context);
  });
}

/** Up to `max` items, spread evenly over the list. Deterministic. */
export function chooseEvenly<T>(list: readonly T[], max: number): readonly T[] {
  if (list.length <= max) return list;
  return Array.from({ length: max }, (_, index) => list[Math.floor((index * list.length) / max)] as T);
}

/** The instances for one item and case, or why there are none. */
function instancesFor(
  step: Step,
  place: Place,
  scope: Scope,
  context: ExpandContext,
): readonly PlannedInstance[] | string {
  const { item, itemKey, caseId } = place;
  const key = instanceKey(step.id, itemKey === null ? null : nameForKey(itemKey), caseId);
  const { request } = step;
  if (request?.kind === 'execute') return callInstances(step, request, key, place, scope, context);
  const made = request && requestOf(request, scope, context.settings, context.opened);
  if (typeof made === 'string') return made;
  // A prompt or a resource is no function, whatever its name is.
  const isOfOther = request?.kind === 'message' && step.rounds.forEach?.in !== `\${${LISTED}}`;
  return [{ key, item, functionName: isOfOther ? null : itemKey, caseId, call: null, request: made }];
}

const MAX_KEY_CHARACTERS = 80;

function nameForKey(name: string): string {
  return name.length <= MAX_KEY_CHARACTERS ? name : `${shorten(name, MAX_KEY_CHARACTERS)}${digestOf(name)}`;
}

/** Two functions with the same name would otherwise share their exchanges. */
function withUniqueKeys(instances: readonly PlannedInstance[]): readonly PlannedInstance[] {
  const seen = new Map<string, number>();
  return instances.map((instance) => {
    const times = (seen.get(instance.key) ?? 0) + 1;
    seen.set(instance.key, times);
    return times === 1 ? instance : { ...instance, key: namesakeKey(instance.key, times) };
  });
}
