import { type CallInput, callInputs, descriptorNamed, type Generation } from '../../inputs/call-inputs.ts';
import { isCreatedByOther, removesAtLarge } from '../../inputs/unlikely-ids.ts';
import { variedInput } from '../../inputs/vary-input.ts';
import { type JsonObject, ownProperty, sameJson } from '../../json/json.ts';
import { isUnchosen, type PlannedCall } from '../../model/call.ts';
import { callKey, followUpKey, inputKey } from '../../model/exchange-key.ts';
import type { RunSettings } from '../../model/report.ts';
import type { RequestTemplate } from '../../model/request-template.ts';
import type { Step } from '../../model/suite.ts';
import { isFollowUp, isProvoking } from '../steps/step-kinds.ts';
import type { ExpandContext, Place, PlannedInstance, WhenRefused } from './expand-context.ts';
import { unsendable } from './make-request.ts';
import { MAX_INPUTS_OF_CHANGING, MAX_INPUTS_OF_UNCLEAR, type Restraint } from './restraint.ts';
import { expandJson, expandToText, MissingValue, type Scope } from './template.ts';
import { requestIdFor, written } from './write-call.ts';

type ExecuteTemplate = Extract<RequestTemplate, { kind: 'execute' }>;

/** What the inputs of one function are made of. */
interface CallBasis {
  readonly step: Step;
  readonly request: ExecuteTemplate;
  readonly descriptor: JsonObject;
  readonly samples: RunSettings['samples'][string];
  readonly generation: Generation;
  readonly restraint: Restraint;
}

/** The instances of a call for one item and case, or why there are none. */
export function callInstances(
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
  const generation = { schemas: context.schemas, accepted: context.accepted.get(functionName) };
  const planned = (input: CallInput, numberedKey: string, isPlain = false): PlannedInstance => {
    const template = isPlain ? { ...request, requestId: '', headers: {} } : request;
    const requestId = requestIdFor(template.requestId, form, settings.seed, numberedKey, scope);
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
      request: written(template, call, scope),
    };
  };
  const basis = { step, request, descriptor, samples, generation, restraint: context.restraint };
  if (isFollowUp(step)) {
    const [first, second] = followUpInputs(basis, `${settings.seed}/${key}`);
    if (first === undefined) return NO_INPUT_REASONS[request.arguments.kind] ?? NO_INPUT;
    const ownKey = callKey(key, form);
    const plain = first.input === null ? { ...first, input: {} } : first;
    const whenRefused: WhenRefused = {
      otherwise: second === undefined ? null : planned(second, followUpKey(ownKey, 'other')),
      plainly: planned(plain, followUpKey(ownKey, 'plain'), true),
    };
    return [{ ...planned(first, ownKey), whenRefused }];
  }
  const isFirst =
    request.arguments.kind === 'sample' && step.rounds.forEach?.succeeded == null && !isProvoking(step);
  const isWritten = request.arguments.kind === 'given' || request.arguments.kind === 'failing';
  const isLimited = context.restraint.of(listed) !== null;
  const [ordinary] = isWritten || !isLimited ? [] : callInputs('sample', descriptor, samples, generation);
  const isAtLarge =
    ordinary !== undefined && isUnchosen(ordinary.source) && removesAtLarge(ordinary.input, descriptor);
  if (isAtLarge && !isFirst) return WITHHELD;
  const held = (made: CallInput): CallInput => {
    if (!isFirst || !isLimited || !isUnchosen(made.source)) return made;
    if (isAtLarge) return { ...made, source: 'withheld' };
    const functions = scope.get('functions');
    return Array.isArray(functions) && isCreatedByOther(made.input ?? {}, descriptor, functions)
      ? { ...made, source: 'awaits-own' }
      : made;
  };
  // Concurrent calls are separate instances, so that no two have the same requestId.
  const inputs = Array.from({ length: step.rounds.copies }, (_, copy) => {
    const copyKey = callKey(key, form, copy);
    const number = [place.caseId, copy === 0 && place.caseId !== null ? null : copy + 1]
      .filter((part) => part !== null)
      .join('/');
    // The first call uses the input that is known to succeed.
    const variation = number === '1' ? null : `${settings.seed}/${functionName}/${number}`;
    return inputsFor(basis, variation, scope).map((made, index) => {
      const instance = planned(held(made), inputKey(copyKey, index));
      const other = unusedInput(basis, made, `${settings.seed}/${copyKey}`);
      if (other === null) return instance;
      const otherwise = planned(other, followUpKey(copyKey, 'other'));
      return { ...instance, whenRefused: { otherwise, plainly: null } };
    });
  }).flat();
  if (inputs.length > 0) return inputs;
  const [valid] = callInputs('sample', descriptor, samples, generation);
  if (request.arguments.kind !== 'failing' && valid?.source === 'none-valid') return NO_INPUT;
  return NO_INPUT_REASONS[request.arguments.kind] ?? NO_INPUT;
}

/** An earlier run may have used up what an example needs: its name is taken, its coupon redeemed. */
function unusedInput(
  { request, descriptor, generation: { schemas }, restraint }: CallBasis,
  { input, source }: CallInput,
  seed: string,
): CallInput | null {
  if (request.arguments.kind !== 'sample' || restraint.of(descriptor) === null || input === null) return null;
  if (source !== 'example' && source !== 'assembled') return null;
  const other = variedInput(input, descriptor, seed, schemas);
  return sameJson(other, input) ? null : { input: other, source: 'assembled' };
}

const NO_INPUT = 'no input can be generated for the function';

/** The input that succeeded before, and a variation of it; the variation first if the function may change something. */
function followUpInputs(
  { request, descriptor, samples, generation, restraint }: CallBasis,
  seed: string,
): readonly CallInput[] {
  const { arguments: template } = request;
  if (template.kind === 'given') return [];
  const [same] = callInputs(template.kind, descriptor, samples, generation);
  if (same === undefined) return [];
  const proven: CallInput = { input: same.input, source: 'proven' };
  if (template.kind !== 'sample' || same.input === null) return [proven];
  const fresh = variedInput(same.input, descriptor, seed, generation.schemas, generation.accepted?.fixed);
  if (sameJson(fresh, same.input)) return [proven];
  const other: CallInput = { input: fresh, source: 'proven' };
  const because = restraint.of(descriptor)?.because ?? 'unclear';
  return because === 'unclear' ? [proven, other] : [other, proven];
}

/** Why a function that would remove whatever there is gets no input. */
export const WITHHELD = 'it removes, and no required parameter says what';

const NO_INPUT_REASONS: Readonly<Record<string, string>> = {
  failing: 'no sample in the configuration is marked as failing',
  'missing-required': 'no function requires a parameter',
  'wrong-type': 'no function has a parameter of one type',
};

function inputsFor(
  { step, request, descriptor, samples, generation, restraint }: CallBasis,
  variation: string | null,
  scope: Scope,
): readonly CallInput[] {
  const { arguments: template } = request;
  if (template.kind === 'given')
    return [{ input: expandJson(template.value, scope) as JsonObject, source: 'given' }];
  const inputs =
    template.kind === 'distinct' && variation === null
      ? callInputs('sample', descriptor, samples, generation).slice(0, 1)
      : callInputs(template.kind, descriptor, samples, { ...generation, seed: variation ?? '' });
  // If the same input succeeded before, one is enough, and a refusal is the server's fault.
  if (step.rounds.forEach?.succeeded && template.kind === 'sample')
    return inputs.slice(0, 1).map(({ input }) => ({ input, source: 'proven' }));
  const restrained = restraint.of(descriptor);
  if (restrained === null) return inputs;
  const isUnclear = restrained.because === 'unclear' && template.kind === 'sample';
  return inputs.slice(0, isUnclear ? MAX_INPUTS_OF_UNCLEAR : MAX_INPUTS_OF_CHANGING);
}
