import type { Json } from '../../json/json.ts';
import type { Answer } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import type { Step } from '../../model/suite.ts';
import type { Wire } from '../../model/wire.ts';
import { MET, type Prerequisite } from '../state/exchange-judge.ts';
import { type Learned, usable } from '../state/learned.ts';
import {
  type Instance,
  type InstanceRun,
  instancesOf,
  type KnownForm,
  type StepRun,
} from '../state/record.ts';
import type { RunInput } from '../state/run-input.ts';
import { listerOf } from '../steps/step-order.ts';
import type { InstanceRequest } from './make-request.ts';
import type { Restraint } from './restraint.ts';
import type { RunState } from './run-state.ts';

/** An instance with the request that it sends; null for a step that sends nothing. */
export interface PlannedInstance extends Instance {
  readonly request: InstanceRequest | null;
  /** Follow-up calls if a call is refused although its input succeeded before. */
  readonly whenRefused?: WhenRefused | null;
}

export interface WhenRefused {
  /** The same call with another input, if there is one. */
  readonly otherwise: PlannedInstance | null;
  /** A plain call with the refused input; null if the refused call was plain. */
  readonly plainly: PlannedInstance | null;
}

export interface ExpandContext
  extends Pick<Learned, 'saved' | 'unchosen' | 'opened'>,
    Pick<RunInput, 'settings' | 'schemas'> {
  /** Wire in which to write calls; null when the step calls nothing. */
  readonly form: Wire | null;
  /** Requirement that blocks the step when a saved list is empty. */
  readonly blockedWhenEmpty: string;
  /**
   * For each item that the step under `succeeded` requested, whether the answer was as expected. Null without such a
   * step.
   */
  readonly succeeded: ReadonlyMap<Json, Prerequisite> | null;
  readonly restraint: Restraint;
  /** Inputs that functions accepted after they had refused a guess. */
  readonly accepted: Learned['inputs'];
  /** Items whose answers are so large that a run requests only a few of them. */
  readonly costly: ReadonlySet<Json>;
  /** Calls of each function so far. */
  readonly calls: ReadonlyMap<string, number>;
}

/** An item of a loop and its name; neither in a step without a loop. */
export interface Item {
  readonly item: Json | undefined;
  readonly itemKey: string | null;
}

export interface Place extends Item {
  readonly caseId: string | null;
}

/** Collects what the expansion of a step needs from the state of the run. Pure. */
export function expandContextOf(
  step: Step,
  form: KnownForm,
  state: RunState,
  {
    schemas,
    judgeExchange,
    calls,
  }: Pick<RunInput, 'schemas' | 'judgeExchange'> & Pick<ExpandContext, 'calls'>,
): ExpandContext {
  const { settings, planning, steps, learned, ended, restraint } = state;
  const followed = step.rounds.forEach?.succeeded;
  const run = followed && !planning ? ended.get(followed) : undefined;
  const wire = settings.mcp === undefined ? 'rest' : 'mcp';
  const needed = steps
    .flatMap(({ save }) => Object.values(save))
    .flatMap((one) => (one.kind === 'found' ? (one.needs[wire] ?? []) : []))[0];
  return {
    settings,
    schemas,
    saved: learned.saved,
    unchosen: learned.unchosen,
    form: step.request?.kind === 'execute' ? form.form : null,
    opened: learned.opened,
    blockedWhenEmpty: learned.emptyBecause ?? needed ?? (listerOf(steps)?.id || step.id),
    succeeded: run === undefined ? null : succeededByItem(run, step, state, judgeExchange),
    restraint,
    calls,
    accepted: learned.inputs,
    costly: new Set(
      instancesOf(run)
        .filter(isCostly)
        .map(({ item }) => item as Json),
    ),
  };
}

/** For an item with several inputs, the first unmet one counts. */
function succeededByItem(
  run: StepRun,
  follower: Step,
  { learned }: RunState,
  judgeExchange: RunInput['judgeExchange'],
): ReadonlyMap<Json, Prerequisite> {
  if (run.kind !== 'ran') {
    const by = run.kind === 'blocked' ? run.by : run.step.id;
    return new Map(itemsOf(follower, learned.saved).map((item) => [item, { met: false, by }]));
  }
  const byItem = new Map<Json, Prerequisite>();
  for (const instance of run.instances) {
    const item = instance.item as Json;
    const before = byItem.get(item) ?? MET;
    byItem.set(item, before.met ? usable(run.step, instance, learned.form, judgeExchange) : before);
  }
  return byItem;
}

function itemsOf(step: Step, saved: ReadonlyMap<string, Json>): readonly Json[] {
  const list = listOf(step, saved);
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}

/** What a step runs for each item of; undefined if it has no loop, or nothing has saved it yet. */
export function listOf({ rounds: { forEach } }: Step, saved: ReadonlyMap<string, Json>): Json | undefined {
  return forEach === null ? undefined : saved.get(/^\$\{(\w+)\}$/.exec(forEach.in)?.[1] ?? '');
}

const COSTLY_BYTES = 128 * 1024;

function answerBytes(answer: Answer): number {
  const parts = answer.kind === 'heard' ? answer.heard.map(({ bytes }) => bytes) : [answer.response.body];
  return parts.reduce((sum, bytes) => sum + bufferFrom(bytes).length, 0);
}

export function isCostly({ exchanges }: Pick<InstanceRun, 'exchanges'>): boolean {
  return exchanges.some((exchange) => exchange.kind !== 'unanswered' && answerBytes(exchange) > COSTLY_BYTES);
}
