import { jsonBody } from '../checks/json/json-body.ts';
import type { CallOffer, ChoiceAnswer, Unchosen } from '../choices/define-choice.ts';
import { choices } from '../choices/index.ts';
import type { Exchange } from '../model/exchange.ts';
import { type Json, type JsonObject, ownProperty } from '../model/json.ts';
import type { RunSettings } from '../model/report.ts';
import { select } from '../model/selector.ts';
import type { Step } from '../model/suite.ts';
import { callInputs } from './call-inputs.ts';
import type { ExchangeJudge, JudgeExchange } from './exchange-judge.ts';
import { capabilitiesForm } from './forms.ts';
import { natureOf } from './function-nature.ts';
import type { InstanceRun, KnownForm } from './record.ts';
import type { RunInput } from './run-input.ts';
import { CAPABILITIES_STEP } from './selection.ts';

/** A step that others may rest on, or the requirement that keeps them from it. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly by: string };

export type Answered = Omit<InstanceRun, 'timed'>;

/** What the answers so far have taught those that come later. */
export interface Learned {
  readonly saved: ReadonlyMap<string, Json>;
  /** Names for which no value could be chosen, with why. */
  readonly unchosen: ReadonlyMap<string, Unchosen>;
  /** The form that the descriptors are in. */
  readonly form: KnownForm;
  /** The requirement by which a saved list is empty, where the answer itself shows it. */
  readonly emptyBecause: string | null;
}

type Basis = Pick<RunInput, 'settings' | 'judgeExchange' | 'planning'>;

export function nothingLearned({ form }: Pick<RunSettings, 'form'>): Learned {
  return {
    saved: new Map(),
    unchosen: new Map(),
    form: form === 'auto' ? { form: null, because: 'capabilities/reachable' } : { form },
    emptyBecause: null,
  };
}

/** The requirement for want of which an instance's answers are of no use to others; null where they are. */
export function gateOf(
  step: Step,
  { exchanges, ...asked }: Answered,
  form: KnownForm,
  judgeExchange: JudgeExchange,
): string | null {
  for (const exchange of exchanges) {
    const judge = judgeExchange(step, { ...asked, exchange }, form);
    const gate = feedsOthers(step) ? judge.bodyGate() : judge.gate();
    if (gate !== null) return gate;
  }
  return null;
}

/** Later steps are made from its answers. */
export function feedsOthers({ save, choose }: Step): boolean {
  return Object.keys(save).length > 0 || Object.keys(choose).length > 0;
}

/** What a step's first answers teach, and whether others may rest on it. */
interface Lesson {
  readonly learned: Learned;
  readonly readiness: Readiness;
}

/** Pure. */
export function learn(before: Learned, step: Step, instances: readonly Answered[], basis: Basis): Lesson {
  const { settings, judgeExchange, planning } = basis;
  if (step.expect.length === 0 && Object.keys(step.choose).length > 0)
    return { learned: withChosen(before, step, instances, basis), readiness: { ready: true } };
  const [first] = instances;
  const [exchange] = first?.exchanges ?? [];
  const gates = instances.map((instance) => gateOf(step, instance, before.form, judgeExchange));
  const isPlanned = planning === true && Object.keys(step.save).length === 0;
  // Others may rest on a step when at least one of its instances was answered as expected, and its values are saved.
  if (!isPlanned && first !== undefined && gates.every((gate) => gate !== null)) {
    const by = gates[0] ?? step.id;
    const isOfForm = step.id === CAPABILITIES_STEP && before.form.form === null;
    return {
      learned: isOfForm ? { ...before, form: { form: null, because: by } } : before,
      readiness: { ready: false, by },
    };
  }
  if (first === undefined || exchange === undefined) return { learned: before, readiness: { ready: true } };
  const form =
    step.id === CAPABILITIES_STEP ? capabilitiesForm(bodyOf(exchange), settings.form) : before.form;
  const chosen = withChosen({ ...before, form }, step, instances, basis);
  return withSaved(chosen, step, judgeExchange(step, { ...first, exchange }, form), exchange);
}

function withSaved(before: Learned, step: Step, judge: ExchangeJudge, exchange: Exchange): Lesson {
  const saved = new Map(before.saved);
  let { emptyBecause } = before;
  const lesson = (readiness: Readiness) => ({ learned: { ...before, saved, emptyBecause }, readiness });
  const value = bodyOf(exchange);
  for (const [name, save] of Object.entries(step.save)) {
    const stopping = save.needs === null ? null : stoppingSave(save.needs, step, judge);
    if (stopping !== null) return lesson({ ready: false, by: stopping });
    const nodes = value === undefined ? [] : select(save.at, value);
    if (save.many) {
      saved.set(
        name,
        nodes.map((node) => node.value),
      );
      if (nodes.length === 0) emptyBecause = failedBody(step, judge);
    } else if (nodes.length === 1 && nodes[0] !== undefined) saved.set(name, nodes[0].value);
    else return lesson({ ready: false, by: step.id });
  }
  return lesson({ ready: true });
}

function withChosen(
  before: Learned,
  step: Step,
  instances: readonly Answered[],
  { settings, judgeExchange }: Basis,
): Learned {
  const saved = new Map(before.saved);
  const unchosen = new Map(before.unchosen);
  const answers = instances.flatMap((instance) =>
    gateOf(step, instance, before.form, judgeExchange) === null ? answersOf(instance) : [],
  );
  for (const [name, choice] of Object.entries(step.choose)) {
    const callOf = (descriptor: JsonObject) => callOffer(descriptor, settings);
    const chosen = choices.get(choice)?.({ answers, saved, settings, callOf });
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

function callOffer(descriptor: JsonObject, settings: RunSettings): CallOffer | null {
  const name = ownProperty(descriptor, 'name');
  if (typeof name !== 'string') return null;
  const samples = Object.hasOwn(settings.samples, name) ? (settings.samples[name] ?? []) : [];
  const [made] = callInputs('sample', descriptor, samples);
  if (made === undefined || made.input === null) return null;
  return { input: made.input, source: made.source, changesSomething: natureOf(descriptor) === 'changes' };
}

/** The requirement that keeps a value from being saved; null where the one that it needs was met by the answer. */
function stoppingSave(needs: string, step: Step, judge: ExchangeJudge): string | null {
  const findings = step.expect
    .filter(({ requirement }) => requirement === needs)
    .flatMap((assertion) => judge.findings(assertion));
  if (findings.length === 0) return needs;
  const stopping = findings.find(({ outcome }) => outcome !== 'passed');
  if (stopping === undefined) return null;
  return stopping.outcome === 'blocked' ? stopping.blockedBy : needs;
}

/** The first assertion on the body's values that failed: a list from which nothing could be saved fails one. */
function failedBody(step: Step, judge: ExchangeJudge): string | null {
  const failing = step.expect.find(
    (assertion) =>
      assertion.kind === 'body' && judge.findings(assertion).some(({ outcome }) => outcome === 'failed'),
  );
  return failing?.requirement ?? null;
}

function answersOf({ exchanges, item }: Answered): readonly ChoiceAnswer[] {
  return exchanges.flatMap((exchange) => {
    if (exchange.kind !== 'answered') return [];
    const { value } = jsonBody(exchange);
    return value === undefined ? [] : [{ exchange, value, item }];
  });
}

function bodyOf(exchange: Exchange): Json | undefined {
  return exchange.kind === 'answered' ? jsonBody(exchange).value : undefined;
}
