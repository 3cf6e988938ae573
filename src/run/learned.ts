import { jsonBody } from '../checks/json/json-body.ts';
import type { CallOffer, ChoiceAnswer, Unchosen } from '../choices/define-choice.ts';
import { choices } from '../choices/index.ts';
import type { Exchange } from '../model/exchange.ts';
import { type Json, type JsonObject, ownProperty } from '../model/json.ts';
import { select } from '../model/selector.ts';
import type { Step } from '../model/suite.ts';
import { callInputs } from './call-inputs.ts';
import { type ExchangeJudge, firstUnmet, MET, type Prerequisite } from './exchange-judge.ts';
import { capabilitiesForm } from './forms.ts';
import { natureOf } from './function-nature.ts';
import type { InstanceRun, KnownForm } from './record.ts';
import type { RunInput } from './run-input.ts';
import { CAPABILITIES_STEP } from './selection.ts';

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
  /** Whether an instance's answers are of use to others. */
  usable(step: Step, instance: Answered): Prerequisite;
  /** Learns from a step's first answers, and says whether others may rest on it. */
  learnFrom(step: Step, instances: readonly Answered[]): Prerequisite;
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

  const usable = (step: Step, { exchanges, ...asked }: Answered): Prerequisite => {
    const feeds = Object.keys(step.save).length > 0 || Object.keys(step.choose).length > 0;
    return firstUnmet(
      exchanges.map((exchange) => {
        const judge = judgeExchange(step, { ...asked, exchange }, form);
        return feeds ? judge.body() : judge.answer();
      }),
    );
  };

  const saveValues = (step: Step, exchange: Exchange): Prerequisite => {
    const judge = judgeExchange(step, { exchange, call: null, item: undefined }, form);
    for (const [name, save] of Object.entries(step.save)) {
      const needed = save.needs === null ? MET : judge.requirement(save.needs);
      if (!needed.met) return needed;
      const value = bodyOf(exchange);
      const nodes = value === undefined ? [] : select(save.at, value);
      if (save.many) {
        saved.set(
          name,
          nodes.map((node) => node.value),
        );
        if (nodes.length === 0) emptyBecause = failedBody(step, judge);
      } else if (nodes.length === 1 && nodes[0] !== undefined) saved.set(name, nodes[0].value);
      else return { met: false, by: step.id };
    }
    return MET;
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
    const answers = instances.flatMap((instance) => (usable(step, instance).met ? answersOf(instance) : []));
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
    usable,
    // Others can rest on a step when at least one of its instances was answered as expected, and its values are saved.
    learnFrom: (step, instances) => {
      const each = instances.map((instance) => usable(step, instance));
      const [first = MET] = each;
      const isPlanned = planning === true && Object.keys(step.save).length === 0;
      if (step.expect.length === 0 && Object.keys(step.choose).length > 0) {
        chooseValues(step, instances);
        return MET;
      }
      if (!isPlanned && !first.met && each.every(({ met }) => !met)) {
        if (step.id === CAPABILITIES_STEP && form.form === null) form = { form: null, because: first.by };
        return first;
      }
      const [exchange] = instances[0]?.exchanges ?? [];
      if (exchange === undefined) return MET;
      if (step.id === CAPABILITIES_STEP) form = capabilitiesForm(bodyOf(exchange), settings.form);
      chooseValues(step, instances);
      return saveValues(step, exchange);
    },
  };
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
