import { createHash } from 'node:crypto';
import { declaredInputs } from '../checks/example-inputs.ts';
import type { Doubt, Unchosen } from '../choices/define-choice.ts';
import type { PlannedCall } from '../model/call.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty, sameJson, shorten } from '../model/json.ts';
import type { RunSettings } from '../model/report.ts';
import type { Form } from '../model/requirement.ts';
import type { SchemaEvaluator, SchemaVerdict } from '../model/schema-evaluator.ts';
import type { ForEach, FunctionKind, RequestTemplate, Step } from '../model/suite.ts';
import { type CallInput, callInputs, descriptorNamed } from './call-inputs.ts';
import { executeRequest, type InstanceRequest, requestOf, unsendable } from './make-request.ts';
import type { Instance, Omission } from './record.ts';
import { MAX_INPUTS_OF_CHANGING, type Restraint } from './restraint.ts';
import { expandJson, expandText, expandToText, MissingValue, type Scope } from './template.ts';
import { variedInput } from './vary-input.ts';

/** An instance with the request that it sends; null for a step that sends nothing. */
export interface PlannedInstance extends Instance {
  readonly request: InstanceRequest | null;
  /** What to do where a call is refused although its input was served before. */
  readonly whenRefused?: WhenRefused | null;
}

export interface WhenRefused {
  /** The same call with another input, or null where there is none. */
  readonly otherwise: PlannedInstance | null;
  /** A plain call with the input that was refused; null where the call itself was one. */
  readonly plainly: PlannedInstance | null;
}

export interface ExpandContext {
  readonly settings: RunSettings;
  readonly saved: ReadonlyMap<string, Json>;
  /** Names for which no value could be chosen, with why. */
  readonly unchosen: ReadonlyMap<string, Unchosen>;
  /** Form in which to write calls; null when the step calls nothing. */
  readonly form: Form | null;
  readonly schemas: SchemaEvaluator;
  /** Requirement that blocks the step when a saved list is empty. */
  readonly blockedWhenEmpty: string;
  /**
   * What stopped each item in the step under `succeeded`, null where nothing did; no entry where it was not asked. Null
   * as a whole when the step follows none.
   */
  readonly gates: ReadonlyMap<Json, string | null> | null;
  readonly restraint: Restraint;
  /** Items whose answers are so large, or take so long, that a run can have few of them. */
  readonly costly: ReadonlySet<Json>;
}

export type Expansion =
  | {
      readonly kind: 'instances';
      readonly instances: readonly PlannedInstance[];
      readonly omission: Omission | null;
    }
  | { readonly kind: 'blocked'; readonly by: string }
  | { readonly kind: 'undecided'; readonly doubt: Doubt }
  | { readonly kind: 'inapplicable'; readonly reason: string };

/** Makes the instances of a step: one for each item of its loop, each case, and each input. Pure. */
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
  const items =
    step.forEach === null ? oneRound : itemsOf(step.forEach, asksDistinctly(step), scope, context);
  if (items.kind !== 'items') return items;
  let reason = 'nothing to send';
  const groups = items.items.flatMap((item) => {
    const made = instancesOfItem(step, item, scope, context);
    const instances = made.filter((one) => typeof one !== 'string');
    if (instances.length === 0) reason = made.find((one) => typeof one === 'string') ?? reason;
    return instances.length === 0 ? [] : [instances];
  });
  if (groups.length === 0) return { kind: 'inapplicable', reason };
  const chosen = chooseEvenly(groups, context.settings.maxItems);
  const omission =
    chosen.length < groups.length ? { step: step.id, listed: groups.length, called: chosen.length } : null;
  return { kind: 'instances', instances: withUniqueKeys(chosen.flat()), omission };
}

interface Item {
  readonly item: Json | undefined;
  readonly itemKey: string | null;
}

const RANK_WITHOUT_INPUT = 4;

const NONE_OF_KIND: Readonly<Record<FunctionKind, string>> = {
  reads: 'no function that could be called seems only to read, with answers that are quick and not large',
  unknown: 'of every function that could be called, it is known whether it changes something',
  wavering: 'every function that could be called answered the same, alone and with others',
  harmless:
    'every function that could be called changes something, or looks as if it did (see --mutating), or has answers that are large or slow',
};

type Items = { readonly kind: 'items'; readonly items: readonly Item[] };

const oneRound: Items = { kind: 'items', items: [{ item: undefined, itemKey: null }] };

/** Longer lists are thinned out before anything is made of their items. */
const MOST_LOOKED_AT = 5000;

const VALID: SchemaVerdict = { kind: 'valid' };

/** Nothing is known to be of the kind that the step is about, and something may be. */
function unsettled(reason: string): Exclude<Expansion, { kind: 'instances' }> {
  const message = `what the step is about cannot be told: ${reason}`;
  const expected = 'a schema that can be applied';
  return { kind: 'undecided', doubt: { message, expected, received: reason } };
}

function asksDistinctly({ request }: Step): boolean {
  return request?.kind === 'execute' && request.arguments.kind === 'distinct';
}

function itemsOf(
  forEach: ForEach,
  isDistinct: boolean,
  scope: Scope,
  context: ExpandContext,
): Items | Exclude<Expansion, { kind: 'instances' }> {
  const list = expandText(forEach.in, scope);
  const all = Array.isArray(list) ? (list as readonly Json[]) : [list];
  if (all.length === 0) return { kind: 'blocked', by: context.blockedWhenEmpty };
  const judged = chooseEvenly(all, MOST_LOOKED_AT).map((item) => ({
    item,
    verdict: forEach.where === null ? VALID : context.schemas.apply(forEach.where, item),
  }));
  const fitting = judged.filter(({ verdict }) => verdict.kind === 'valid').map(({ item }) => item);
  const doubt = judged.find(({ verdict }) => verdict.kind === 'undecided')?.verdict;
  if (fitting.length === 0 && doubt?.kind === 'undecided') return unsettled(doubt.reason);
  const { gates, restraint, costly } = context;
  const asked = gates === null ? fitting : fitting.filter((item) => gates.has(item));
  if (asked.length === 0)
    return { kind: 'inapplicable', reason: 'nothing that was asked is of the kind that the step is about' };
  const { functions } = forEach;
  const ofKind = asked.filter(
    (item) => functions === null || (restraint.isOfKind(item, functions) && !costly.has(item)),
  );
  if (ofKind.length === 0) return { kind: 'inapplicable', reason: NONE_OF_KIND[functions ?? 'harmless'] };
  const usable = ofKind.filter((item) => (gates?.get(item) ?? null) === null);
  const [stopped] = ofKind;
  if (usable.length === 0)
    return {
      kind: 'blocked',
      by: (stopped === undefined ? null : gates?.get(stopped)) ?? context.blockedWhenEmpty,
    };
  // Calls without any input cannot be told apart by their answers.
  const rankOf = (item: Json): number =>
    restraint.rankOf(item) +
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
  return { kind: 'items', items };
}

function instancesOfItem(
  step: Step,
  { item, itemKey }: Item,
  outer: Scope,
  context: ExpandContext,
): readonly (PlannedInstance | string)[] {
  return (step.cases ?? [null]).flatMap((row): readonly (PlannedInstance | string)[] => {
    const scope = new Map(outer);
    if (step.forEach !== null && item !== undefined) scope.set(step.forEach.as, item);
    if (row !== null) scope.set('case', row);
    const made = instancesFor(
      step,
      { item, itemKey, caseId: row === null ? null : String(row.id) },
      scope,
      context,
    );
    return typeof made === 'string' ? [made] : made;
  });
}

/** At most so many, spread over the whole list: neither only the first nor by chance. */
export function chooseEvenly<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, index) => list[Math.floor((index * list.length) / most)] as T);
}

interface Place extends Item {
  readonly caseId: string | null;
}

/** The instances for one item and case, or why there are none. */
function instancesFor(
  step: Step,
  place: Place,
  scope: Scope,
  context: ExpandContext,
): readonly PlannedInstance[] | string {
  const { item, caseId } = place;
  const key =
    step.id +
    (place.itemKey === null ? '' : `[${nameForKey(place.itemKey)}]`) +
    (caseId === null ? '' : `(${caseId})`);
  const { request } = step;
  const { settings } = context;
  if (request === null)
    return [{ key, item, functionName: place.itemKey, caseId, call: null, request: null }];
  if (request.kind === 'execute') return callInstances(step, request, key, place, scope, context);
  const made = requestOf(request, scope, settings);
  return typeof made === 'string'
    ? made
    : [{ key, item, functionName: place.itemKey, caseId, call: null, request: made }];
}

type ExecuteTemplate = Extract<RequestTemplate, { kind: 'execute' }>;

function callInstances(
  step: Step,
  request: ExecuteTemplate,
  key: string,
  place: Place,
  scope: Scope,
  context: ExpandContext,
): readonly PlannedInstance[] | string {
  const { form, settings } = context;
  const unsent = unsendable(request, settings);
  if (unsent !== null) return unsent;
  if (form === null) throw new MissingValue('a call cannot be written before the form is known');
  const functionName = expandToText(request.function, scope);
  const own = ownProperty(place.item, 'name') === functionName ? (place.item as JsonObject) : undefined;
  const listed = own ?? descriptorNamed(scope.get('functions'), functionName);
  if (request.unlisted && listed !== undefined) return `the target lists a function called "${functionName}"`;
  const descriptor = listed ?? {};
  const samples = Object.hasOwn(settings.samples, functionName) ? (settings.samples[functionName] ?? []) : [];
  const planned = (input: CallInput, numberedKey: string, isPlain = false): PlannedInstance => {
    const template = isPlain ? { ...request, requestId: '', headers: {} } : request;
    const requestId = requestIdFor(template, form, settings.seed, numberedKey, scope);
    const call: PlannedCall = {
      form,
      functionName,
      input: input.input,
      inputSource: input.source,
      requestId,
    };
    return {
      key: numberedKey,
      item: place.item ?? descriptor,
      functionName,
      caseId: place.caseId,
      call,
      request: executeRequest(template, Buffer.from(JSON.stringify(callBody(call))), scope),
    };
  };
  if (isFollowUp(step)) {
    const made = followUpInputs(request, descriptor, samples, `${settings.seed}/${key}`, context);
    const [first, second] = made;
    if (first === undefined) return NO_INPUT_REASONS[request.arguments.kind] ?? NO_INPUT;
    const ownKey = `${key}@${form}`;
    const plain = first.input === null ? { ...first, input: {} } : first;
    const whenRefused: WhenRefused = {
      otherwise: second === undefined ? null : planned(second, `${ownKey}%other`),
      plainly: planned(plain, `${ownKey}%plain`, true),
    };
    return [{ ...planned(first, ownKey), whenRefused }];
  }
  // Calls that are sent at once are instances of their own, so that no two of them carry the same requestId.
  const inputs = Array.from({ length: step.parallel }, (_, copy) => {
    const copyKey = copy === 0 ? `${key}@${form}` : `${key}@${form}=${copy + 1}`;
    const number = place.caseId ?? String(copy + 1);
    // The first is the one that is known to be served.
    const variation = number === '1' ? null : `${settings.seed}/${functionName}/${number}`;
    return inputsFor(step, request, descriptor, samples, variation, scope, context).map((made, index) => {
      const instance = planned(made, index === 0 ? copyKey : `${copyKey}~${index + 1}`);
      const other = otherThanUsedUp(made, request, descriptor, `${settings.seed}/${copyKey}`, context);
      if (other === null) return instance;
      return { ...instance, whenRefused: { otherwise: planned(other, `${copyKey}%other`), plainly: null } };
    });
  }).flat();
  return inputs.length === 0 ? (NO_INPUT_REASONS[request.arguments.kind] ?? NO_INPUT) : inputs;
}

/** An example that changes something may be used up by an earlier run: the name is taken, the coupon redeemed. */
function otherThanUsedUp(
  { input, source }: CallInput,
  request: ExecuteTemplate,
  descriptor: JsonObject,
  seed: string,
  { restraint, schemas }: ExpandContext,
): CallInput | null {
  const because = restraint.of(descriptor)?.because ?? 'unclear';
  if (request.arguments.kind !== 'sample' || because === 'unclear' || input === null) return null;
  if (source !== 'example' && source !== 'assembled') return null;
  const other = variedInput(input, descriptor, seed, schemas);
  return sameJson(other, input) ? null : { input: other, source: 'assembled' };
}

const NO_INPUT = 'no input can be made for the function';

/** It calls a function again that was served before, and expects it to be served again. */
export function isFollowUp({ forEach, request, parallel, sample, expect }: Step): boolean {
  return (
    forEach?.succeeded != null &&
    request?.kind === 'execute' &&
    (request.arguments.kind === 'sample' || request.arguments.kind === 'omitted') &&
    parallel === 1 &&
    sample === 0 &&
    expect.some(({ kind }) => kind === 'status')
  );
}

/** The input that was served before and another like it; the other one first where a name may be taken by now. */
function followUpInputs(
  request: ExecuteTemplate,
  descriptor: JsonObject,
  samples: RunSettings['samples'][string],
  seed: string,
  context: ExpandContext,
): readonly CallInput[] {
  const { arguments: template } = request;
  if (template.kind === 'given') return [];
  const [same] = callInputs(template.kind, descriptor, samples);
  if (same === undefined) return [];
  const proven: CallInput = { input: same.input, source: 'proven' };
  if (template.kind !== 'sample' || same.input === null) return [proven];
  const fresh = variedInput(same.input, descriptor, seed, context.schemas);
  if (sameJson(fresh, same.input)) return [proven];
  const other: CallInput = { input: fresh, source: 'proven' };
  const because = context.restraint.of(descriptor)?.because ?? 'unclear';
  return because === 'unclear' ? [proven, other] : [other, proven];
}

const NO_INPUT_REASONS: Readonly<Record<string, string>> = {
  failing: 'no sample in the configuration is marked as failing',
  'missing-required': 'no function requires a parameter',
  'wrong-type': 'no function has a parameter of one type',
};

function inputsFor(
  step: Step,
  request: ExecuteTemplate,
  descriptor: JsonObject,
  samples: RunSettings['samples'][string],
  variation: string | null,
  scope: Scope,
  { schemas, restraint }: ExpandContext,
): readonly CallInput[] {
  const { arguments: template } = request;
  if (template.kind === 'given')
    return [{ input: expandJson(template.value, scope) as JsonObject, source: 'given' }];
  const inputs =
    template.kind === 'distinct' && variation === null
      ? callInputs('sample', descriptor, samples).slice(0, 1)
      : callInputs(template.kind, descriptor, samples, { seed: variation ?? '', schemas });
  // Where the same input was served before, one will do, and a refusal is the server's.
  if (step.forEach?.succeeded && template.kind === 'sample')
    return inputs.slice(0, 1).map(({ input }) => ({ input, source: 'proven' }));
  const because = restraint.of(descriptor)?.because ?? 'unclear';
  return because === 'unclear' ? inputs : inputs.slice(0, MAX_INPUTS_OF_CHANGING);
}

/** The body of a call in the target's own wire form (specification, section 2.6). */
export function callBody({ form, functionName, input, requestId }: PlannedCall): JsonObject {
  const inputKey = form === 'A' ? 'input' : 'parameters';
  return {
    function: functionName,
    ...(input === null ? {} : { [inputKey]: input }),
    ...(requestId === null ? {} : { requestId }),
  };
}

function requestIdFor(
  request: ExecuteTemplate,
  form: Form,
  seed: number,
  key: string,
  scope: Scope,
): string | null {
  if (form === 'A' || request.requestId === 'none') return null;
  if (request.requestId !== '') return expandToText(request.requestId, scope);
  return `probity-${seed}-${digestOf(key)}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}

const MOST_KEY_CHARACTERS = 80;

function nameForKey(name: string): string {
  return name.length <= MOST_KEY_CHARACTERS ? name : `${shorten(name, MOST_KEY_CHARACTERS)}${digestOf(name)}`;
}

/** Two functions of one name would otherwise share their exchanges. */
function withUniqueKeys(instances: readonly PlannedInstance[]): readonly PlannedInstance[] {
  const seen = new Map<string, number>();
  return instances.map((instance) => {
    const times = (seen.get(instance.key) ?? 0) + 1;
    seen.set(instance.key, times);
    return times === 1 ? instance : { ...instance, key: `${instance.key}|${times}` };
  });
}
