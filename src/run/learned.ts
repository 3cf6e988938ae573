import { jsonBody } from '../checks/json/json-body.ts';
import type { CallOffer, ChoiceAnswer, Unchosen } from '../choices/define-choice.ts';
import { choices } from '../choices/index.ts';
import type { Exchange } from '../model/exchange.ts';
import { type Json, type JsonObject, ownProperty } from '../model/json.ts';
import { select } from '../model/selector.ts';
import type { Step } from '../model/suite.ts';
import { callInputs } from './call-inputs.ts';
import type { ExchangeJudge } from './exchange-judge.ts';
import { capabilitiesForm } from './forms.ts';
import { natureOf } from './function-nature.ts';
import type { InstanceRun, KnownForm } from './record.ts';
import type { RunInput } from './run-input.ts';
import { CAPABILITIES_STEP } from './selection.ts';

/** A step that others may rest on, or the requirement that keeps them from it. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly by: string };

type Answered = Omit<InstanceRun, 'timed'>;

/** What the answers so far have taught those that come later. */
export interface Learned {
  readonly saved: ReadonlyMap<string, Json>;
  /** Names for which no value could be chosen, with why. */
  readonly unchosen: ReadonlyMap<string, Unchosen>;
  /** The form that the descriptors are in. */
  capabilitiesForm(): KnownForm;
  /** The requirement by which a saved list is empty, where the answer itself shows it. */
  emptyBecause(): string | null;
  /** The requirement for want of which an instance's answers are of no use to others; null where they are. */
  gateOf(step: Step, instance: Answered): string | null;
  /** Learns from a step's first answers, and says whether others may rest on it. */
  readinessAfter(step: Step, instances: readonly Answered[]): Readiness;
}

export function createLearned({
  settings,
  judgeExchange,
  planning,
}: Pick<RunInput, 'settings' | 'judgeExchange' | 'planning'>): Learned {
  const saved = new Map<string, Json>();
  const unchosen = new Map<string, Unchosen>();
  let form: KnownForm =
    settings.form === 'auto' ? { form: null, because: 'capabilities/reachable' } : { form: settings.form };
  let emptyBecause: string | null = null;

  const gateOf = (step: Step, { exchanges, ...asked }: Answered): string | null => {
    const judges = exchanges.map((exchange) => judgeExchange(step, { ...asked, exchange }, form));
    const feeds = Object.keys(step.save).length > 0 || Object.keys(step.choose).length > 0;
    const gate = (judge: (typeof judges)[number]): string | null => (feeds ? judge.bodyGate() : judge.gate());
    return judges.map(gate).find((stopped) => stopped !== null) ?? null;
  };

  const saveValues = (step: Step, exchange: Exchange): Readiness => {
    const judge = judgeExchange(step, { exchange, call: null, item: undefined }, form);
    for (const [name, save] of Object.entries(step.save)) {
      const stopping = save.needs === null ? null : stoppingSave(save.needs, step, judge);
      if (stopping !== null) return { ready: false, by: stopping };
      const value = bodyOf(exchange);
      const nodes = value === undefined ? [] : select(save.at, value);
      if (save.many) {
        saved.set(
          name,
          nodes.map((node) => node.value),
        );
        if (nodes.length === 0) emptyBecause = failedBody(step, judge);
      } else if (nodes.length === 1 && nodes[0] !== undefined) saved.set(name, nodes[0].value);
      else return { ready: false, by: step.id };
    }
    return { ready: true };
  };

  const callOf = (descriptor: JsonObject): CallOffer | null => {
    const name = ownProperty(descriptor, 'name');
    if (typeof name !== 'string') return null;
    const samples = Object.hasOwn(settings.samples, name) ? (settings.samples[name] ?? []) : [];
    const [made] = callInputs('sample', descriptor, samples);
    if (made === undefined || made.input === null) return null;
    return { input: made.input, source: made.source, changesSomething: natureOf(descriptor) === 'changes' };
  };

  const chooseValues = (step: Step, instances: readonly Answered[]): void => {
    const answers = instances.flatMap((instance) =>
      gateOf(step, instance) === null ? answersOf(instance) : [],
    );
    for (const [name, choice] of Object.entries(step.choose)) {
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
  };

  return {
    saved,
    unchosen,
    capabilitiesForm: () => form,
    emptyBecause: () => emptyBecause,
    gateOf,
    // A step is there for others when at least one of its instances was answered as expected, and its values are saved.
    readinessAfter: (step, instances) => {
      const gates = instances.map((instance) => gateOf(step, instance));
      const [stopped] = gates;
      const isPlanned = planning === true && Object.keys(step.save).length === 0;
      if (step.expect.length === 0 && Object.keys(step.choose).length > 0) {
        chooseValues(step, instances);
        return { ready: true };
      }
      if (!isPlanned && stopped !== undefined && gates.every((gate) => gate !== null)) {
        const by = stopped ?? step.id;
        if (step.id === CAPABILITIES_STEP && form.form === null) form = { form: null, because: by };
        return { ready: false, by };
      }
      const [exchange] = instances[0]?.exchanges ?? [];
      if (exchange === undefined) return { ready: true };
      if (step.id === CAPABILITIES_STEP) form = capabilitiesForm(bodyOf(exchange), settings.form);
      chooseValues(step, instances);
      return saveValues(step, exchange);
    },
  };
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
