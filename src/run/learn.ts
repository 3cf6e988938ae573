import { exactNodes, jsonBody } from '../checks/json/json-body.ts';
import { callInputs } from '../inputs/call-inputs.ts';
import { natureOf } from '../inputs/function-nature.ts';
import { removesAtLarge } from '../inputs/unlikely-ids.ts';
import { type Json, type JsonObject, ownProperty } from '../json/json.ts';
import { type Selection, select } from '../json/selector.ts';
import { isUnchosen } from '../model/call.ts';
import { type Exchange, isAnswer } from '../model/exchange.ts';
import type { RunSettings } from '../model/report.ts';
import type { SchemaEvaluator } from '../model/schema-evaluator.ts';
import type { Step } from '../model/suite.ts';
import { MAIN_CONVERSATION } from '../model/wire.ts';
import type { CallOffer, PickerAnswer } from '../pickers/define-picker.ts';
import { pickers } from '../pickers/index.ts';
import { eraAsked } from '../wires/mcp/opening.ts';
import { functionsOf } from '../wires/mcp/tools.ts';
import { capabilitiesForm } from './calls/forms.ts';
import { type ExchangeJudge, MET, type Prerequisite } from './state/exchange-judge.ts';
import { type Answered, blamed, feedsOthers, type Learned, usable } from './state/learned.ts';
import type { KnownForm } from './state/record.ts';
import { hadNoConnection } from './state/request-outcome.ts';
import type { RunInput } from './state/run-input.ts';
import { isLister } from './steps/step-order.ts';

type Basis = Pick<RunInput, 'settings' | 'judgeExchange' | 'planning' | 'schemas'>;

/** What a step's first answers contribute, and whether other steps may depend on it. */
interface Lesson {
  readonly learned: Learned;
  readonly others: Prerequisite;
}

/** Pure. */
export function learn(before: Learned, step: Step, instances: readonly Answered[], basis: Basis): Lesson {
  const { settings, judgeExchange, planning } = basis;
  if (step.expect.length === 0 && feedsOthers(step))
    return { learned: withChosen(before, step, instances, basis), others: MET };
  const [first] = instances;
  const [exchange] = first?.exchanges ?? [];
  const each = instances.map((instance) => usable(step, instance, before.form, judgeExchange));
  const [answered = MET] = each;
  // A server without tools may refuse to list them.
  if (listsFunctions(step) && first !== undefined && offersNoTools(before))
    return withTools(before, step, first);
  const isPlanned = planning === true && Object.values(step.save).every(({ kind }) => kind === 'picked');
  // Other steps may depend on a step if at least one of its instances was answered as expected and its values are
  // saved.
  if (!isPlanned && !answered.met && each.every(({ met }) => !met)) {
    if (isMainOpening(step) && exchange !== undefined && !hadNoConnection(exchange))
      return { learned: before, others: notOpened(step, exchange) };
    const isOfForm = isLister(step) && before.form.form === null;
    return {
      learned: isOfForm ? { ...before, form: { form: null, because: answered.by } } : before,
      others: answered,
    };
  }
  if (first === undefined || exchange === undefined) return { learned: before, others: MET };
  const form = formShownBy(exchange, step, before.form, settings);
  const chosen = withChosen({ ...before, form }, step, instances, basis);
  if (isMainOpening(step))
    return {
      learned: { ...chosen, opened: first.opened ?? null },
      others: first.opened == null ? notOpened(step, exchange) : MET,
    };
  if (listsFunctions(step) && settings.mcp !== undefined) return withTools(chosen, step, first);
  return withSaved(chosen, step, judgeExchange(step, { ...first, exchange }, form), exchange);
}

/** The wire form, which the list of the functions shows. */
export function formShownBy(
  exchange: Exchange,
  step: Step,
  before: KnownForm,
  settings: RunSettings,
): KnownForm {
  return isLister(step) && settings.mcp === undefined
    ? blamed(capabilitiesForm(bodyOf(exchange), settings.form), step)
    : before;
}

function listsFunctions({ request }: Step): boolean {
  return request?.kind === 'list' && request.of === 'functions';
}

function offersNoTools({ opened }: Learned): boolean {
  return opened !== null && !Object.hasOwn(opened.capabilities, 'tools');
}

export function isMainOpening({ request }: Step): boolean {
  return request?.kind === 'open' && request.conversation === MAIN_CONVERSATION;
}

function notOpened({ id, expect }: Step, exchange: Exchange): Prerequisite {
  const era = eraAsked(exchange);
  const deciding = expect.find(({ when }) => when.era === null || when.era === era);
  return { met: false, by: deciding?.requirement ?? id };
}

/** The functions of a server of the Model Context Protocol are on all pages together. */
function withTools(before: Learned, step: Step, { exchanges }: Answered): Lesson {
  const saved = new Map(before.saved);
  const functions = functionsOf(exchanges.filter(isAnswer));
  for (const name of Object.keys(step.save)) saved.set(name, functions);
  return { learned: { ...before, saved }, others: MET };
}

const NOTHING: Selection = { kind: 'selected', nodes: [] };

function withSaved(before: Learned, step: Step, judge: ExchangeJudge, exchange: Exchange): Lesson {
  const saved = new Map(before.saved);
  let { emptyBecause } = before;
  const lesson = (others: Prerequisite) => ({ learned: { ...before, saved, emptyBecause }, others });
  const value = bodyOf(exchange);
  for (const [name, save] of Object.entries(step.save)) {
    if (save.kind !== 'found') continue;
    const needed = save.needs.rest === null ? MET : judge.requirement(save.needs.rest);
    if (!needed.met) return lesson(needed);
    const selection = value === undefined ? NOTHING : select(save.at, value);
    if (selection.kind === 'undecided') return lesson({ met: false, by: step.id });
    const nodes = exchange.kind !== 'unanswered' ? exactNodes(exchange, selection.nodes) : selection.nodes;
    if (save.many) {
      saved.set(
        name,
        nodes.map((node) => node.value),
      );
      if (nodes.length === 0) emptyBecause = failedBody(step, judge);
    } else if (nodes.length === 1 && nodes[0] !== undefined) saved.set(name, nodes[0].value);
    else return lesson({ met: false, by: step.id });
  }
  return lesson(MET);
}

function withChosen(
  before: Learned,
  step: Step,
  instances: readonly Answered[],
  { settings, judgeExchange, schemas }: Basis,
): Learned {
  const saved = new Map(before.saved);
  const unchosen = new Map(before.unchosen);
  const answers = instances.flatMap((instance) =>
    usable(step, instance, before.form, judgeExchange).met ? answersOf(instance) : [],
  );
  for (const [name, save] of Object.entries(step.save)) {
    if (save.kind !== 'picked') continue;
    const callOf = (descriptor: JsonObject) => callOffer(descriptor, settings, schemas);
    const chosen = pickers.get(save.picker)?.({ answers, saved, settings, callOf });
    if (chosen === undefined) continue;
    if (chosen.kind === 'chosen') {
      saved.set(name, chosen.value);
      unchosen.delete(name);
    } else {
      saved.delete(name);
      unchosen.set(name, chosen);
    }
  }
  return { ...before, saved, unchosen };
}

function callOffer(
  descriptor: JsonObject,
  settings: RunSettings,
  schemas: SchemaEvaluator,
): CallOffer | null {
  const name = ownProperty(descriptor, 'name');
  if (typeof name !== 'string') return null;
  const samples = Object.hasOwn(settings.samples, name) ? (settings.samples[name] ?? []) : [];
  const [made] = callInputs('sample', descriptor, samples, { schemas });
  if (made === undefined || made.input === null || made.source === 'none-valid') return null;
  if (isUnchosen(made.source) && removesAtLarge(made.input, descriptor)) return null;
  return { input: made.input, source: made.source, changesSomething: natureOf(descriptor) === 'changes' };
}

/**
 * The requirement of the first failed assertion on the body: an invalid list, from which nothing could be saved, fails
 * one.
 */
function failedBody(step: Step, judge: ExchangeJudge): string | null {
  const failing = step.expect.find(
    (assertion) =>
      assertion.kind === 'body' && judge.findings(assertion).some(({ outcome }) => outcome === 'failed'),
  );
  return failing?.requirement ?? null;
}

function answersOf({ exchanges, item }: Answered): readonly PickerAnswer[] {
  return exchanges.flatMap((exchange) => {
    if (exchange.kind === 'unanswered') return [];
    const { value } = jsonBody(exchange);
    return value === undefined ? [] : [{ exchange, value, item }];
  });
}

function bodyOf(exchange: Exchange): Json | undefined {
  return exchange.kind === 'unanswered' ? undefined : jsonBody(exchange).value;
}
