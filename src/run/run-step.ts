import type { Json } from '../json/json.ts';
import type { Exchange } from '../model/exchange.ts';
import { aliveKey } from '../model/exchange-key.ts';
import type { Step } from '../model/suite.ts';
import { MAIN_CONVERSATION } from '../model/wire.ts';
import { hasResult } from './call-again.ts';
import { detectExecuteForm } from './execute-form.ts';
import { expandStep } from './expand.ts';
import { expandContextOf } from './expand-context.ts';
import { readsAroundCalls } from './experiments/reads-around-calls.ts';
import { explore } from './explore.ts';
import { learnInputs } from './learn-inputs.ts';
import type { Answered } from './learned.ts';
import { aliveMessage } from './make-request.ts';
import { asksExecute, callsSequences, isExploring } from './operation.ts';
import { inPhases } from './phases.ts';
import { allowedInstances, decide, needsExecuteForm, outageAfter, POLICIES, wentSilent } from './policies.ts';
import type {
  CreatedThings,
  InstanceRun,
  KnownForm,
  Omission,
  Outage,
  RunRecord,
  StepRun,
} from './record.ts';
import { removeCreated } from './remove-created.ts';
import { createRequestScheduler } from './request-scheduler.ts';
import type { RunInput } from './run-input.ts';
import { InstanceRunner, type StepTurn } from './run-instances.ts';
import type { RunState } from './run-state.ts';
import { requestsEndAtMs } from './run-state.ts';
import type { RunTurns } from './run-turns.ts';
import { exploreSequences, NOTHING_FOUND } from './sequences/explore-sequences.ts';
import { watchReads } from './watch-reads.ts';

export interface StepHooks {
  readonly onFirst: (firsts: readonly Answered[]) => void;
  readonly pause: NonNullable<StepTurn['pause']>;
  /** How long the run has waited for its turn since the step began; its requests may end later by that. */
  readonly waitedMs: () => number;
  readonly turns: RunTurns;
}

export interface StepRunner {
  /** Runs a step whose prerequisites have been answered, unless a policy skips it. */
  run(step: Step, state: RunState, hooks: StepHooks): Promise<StepRun>;
  /** Calls functions that refused a guessed input with values from other calls. */
  learnInputs(state: RunState): Promise<(now: RunState) => RunState>;
  /** Functions that change something although their descriptors say that they read. */
  watchReads(state: RunState): Promise<ReadonlySet<string>>;
  /** The outage after a step that ran alone. If timed calls got no answer, sends one more request to the target. */
  outageAfter(run: StepRun, state: RunState): Promise<Outage>;
  /** Everything that was sent so far. */
  exchanges(): readonly Exchange[];
  /** Deletes what the run created, as far as functions do that. */
  removeCreated(state: RunState): Promise<readonly CreatedThings[]>;
  /** Everything that was collected. */
  record(state: RunState, created: readonly CreatedThings[]): Promise<RunRecord>;
}

export function createStepRunner(input: RunInput): StepRunner {
  const { targetUrl, commonHeaders } = input;
  const requests = createRequestScheduler(input);
  const instanceRunner = new InstanceRunner(input, requests);
  const omissions: Omission[] = [];
  let executeForm: Promise<KnownForm> | null = null;
  let inSequences = NOTHING_FOUND;

  const formOfExecute = (state: RunState, endsAtMs: number): Promise<KnownForm> => {
    // Steps that became ready at the same moment, and need no form, go first.
    executeForm ??= Promise.resolve().then(() => detectExecuteForm(state, endsAtMs, instanceRunner, input));
    return executeForm;
  };

  return {
    run: async (step, state, { onFirst, pause, waitedMs, turns }) => {
      const { learned, restraint } = state;
      const beforehand = decide(POLICIES.beforehand, step, state);
      if (beforehand.kind !== 'run') return { ...beforehand, step };
      const used = runOfUsed(step, state, instanceRunner.aside());
      if (used !== null) return used;
      const endsAtMs = requestsEndAtMs(step, state);
      const form = needsExecuteForm(step) ? await formOfExecute(state, endsAtMs) : learned.form;
      const inForm = decide(POLICIES.inForm, step, { ...state, form });
      if (inForm.kind !== 'run') return { ...inForm, step };
      const context = expandContextOf(step, form, state, { ...input, calls: requests.calls() });
      const expansion = expandStep(step, context);
      if (expansion.kind !== 'instances') return { ...expansion, step };
      if (expansion.omission !== null) omissions.push(expansion.omission);
      const { instances } = expansion;
      const planned = { ...state, instances, calls: requests.calls() };
      const onInstances = decide(POLICIES.onInstances, step, planned);
      if (onInstances.kind !== 'run') return { ...onInstances, step };
      const turn: StepTurn = {
        step,
        form: learned.form,
        restraint,
        get endsAtMs() {
          return endsAtMs + waitedMs();
        },
        pause,
        turns,
      };
      const allowed = allowedInstances(step, instances, restraint);
      if (isExploring(step)) {
        onFirst([]);
        if (!callsSequences(step))
          return { ...(await explore(turn, allowed, instanceRunner, input, inSequences)), step };
        const { explored, found } = await exploreSequences(turn, allowed, instanceRunner, input, {
          calledAlone: calledWithResult(state),
          learned: learned.inputs,
        });
        inSequences = found;
        return { ...explored, step };
      }
      if (step.experiment === 'reads-around-calls') {
        onFirst([]);
        return { kind: 'ran', step, instances: await readsAroundCalls(turn, allowed, instanceRunner, state) };
      }
      return { kind: 'ran', step, instances: await instanceRunner.run(turn, allowed, onFirst) };
    },
    learnInputs: (state) => learnInputs(state, instanceRunner, input),
    watchReads: (state) => watchReads(state, instanceRunner, input),
    outageAfter: async (run, state) => {
      const { step } = run;
      // Steps without a request judge answers of others, after which it was sent already.
      if (step.request === null || !wentSilent(run) || state.outage.silentBy !== null)
        return outageAfter(run, null, state);
      const endsAtMs = requestsEndAtMs(step, state);
      if (state.settings.mcp !== undefined) {
        const sends = { kind: 'message', message: aliveMessage(state.learned.opened) } as const;
        const message = { conversation: MAIN_CONVERSATION, sends, headers: [], anonymous: false };
        const key = aliveKey(step.id);
        const asked = await requests.send({ ...message, key, feedsLaterSteps: false, endsAtMs }, null);
        return outageAfter(run, asked, state);
      }
      const probed = await requests.send(
        {
          key: aliveKey(step.id),
          method: 'GET',
          url: `${targetUrl}/health`,
          headers: commonHeaders,
          body: null,
          abortAfterBytes: null,
          anonymous: false,
          connection: null,
          upgrade: null,
          feedsLaterSteps: false,
          endsAtMs,
        },
        null,
      );
      return outageAfter(run, probed, state);
    },
    exchanges: () => requests.exchanges(),
    removeCreated: (state) => removeCreated(state, instanceRunner, input),
    record: async ({ steps, ended, learned, restraint }, created) => {
      const functions = learned.saved.get('functions');
      const called = steps.some(({ request }) => asksExecute(request)) && Array.isArray(functions);
      return {
        steps: steps.flatMap(({ id }) => ended.get(id) ?? []),
        forms: { capabilities: learned.form, execute: (await executeForm) ?? learned.form },
        saved: learned.saved,
        exchanges: requests.exchanges(),
        conversations: (await input.probe.close()) ?? [],
        opened: learned.opened,
        omissions,
        restrained: called
          ? (functions as readonly Json[]).flatMap((descriptor) => restraint.notedOf(descriptor) ?? [])
          : [],
        learned: [...learned.inputs].map(([functionName, { learned: parameters }]) => ({
          functionName,
          parameters,
        })),
        created,
      };
    },
  };
}

/** Functions that are explored: the others already failed. */
function calledWithResult({ ended }: RunState): ReadonlySet<string> {
  const runs = [...ended.values()].flatMap((run) =>
    run.kind === 'ran' && asksExecute(run.step.request) ? run.instances : [],
  );
  return new Set(runs.filter(hasResult).map(({ functionName }) => functionName ?? ''));
}

/** The answers of the steps that a step uses, as if this step had received them; null for a step with requests. */
function runOfUsed(step: Step, { steps, ended }: RunState, aside: readonly InstanceRun[]): StepRun | null {
  const { use } = step;
  if (use.kind === 'every-step') {
    const { ordinary, following, timed, later, closing } = inPhases(steps);
    const runs = [...ordinary, ...following, ...timed, ...later, ...closing].map(({ id }) => ended.get(id));
    const instances = runs.flatMap((run) =>
      // A request that the suite aborts has no answer to judge.
      run?.kind === 'ran' && run.step.request !== null && run.step.request.abort === null
        ? run.instances
        : [],
    );
    return { kind: 'ran', step, instances: [...instances, ...aside] };
  }
  const used = use.kind === 'step' && step.request === null ? ended.get(use.id) : undefined;
  return used === undefined ? null : { ...used, step };
}
