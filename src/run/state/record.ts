import { type Json, ownProperty } from '../../json/json.ts';
import { isInvalid, type LearnedParameter, type PlannedCall } from '../../model/call.ts';
import type { MutatingPolicy } from '../../model/check-options.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Measurement } from '../../model/measurement.ts';
import type { Step } from '../../model/suite.ts';
import type { Conversation, Opened, Wire } from '../../model/wire.ts';
import type { Doubt } from '../../pickers/define-picker.ts';
import { isProvoking } from '../steps/step-kinds.ts';

/** One run of a step: for one item, one case, one input. */
export interface Instance {
  readonly key: string;
  /** Of an experiment, the round that it belongs to. */
  readonly role?: string | null;
  /** Made at the same moment as others of its kind. */
  readonly isAtOnce?: boolean;
  readonly item: Json | undefined;
  /** Name of the function that is called, or of the item of the loop. */
  readonly functionName: string | null;
  readonly caseId: string | null;
  readonly call: PlannedCall | null;
  /** Of an opened conversation, what both sides agreed on; null if they did not. */
  readonly opened?: Opened | null;
  /**
   * After a call that was refused although its input succeeded before: whether a plain call with that input succeeded.
   * Null if nothing was refused.
   */
  readonly servedPlainly?: boolean | null;
}

export interface InstanceRun extends Instance {
  readonly exchanges: readonly Exchange[];
  /** The outcome of timing its request; null in a step that times nothing. */
  readonly timed: Timed | null;
}

/**
 * A request is not timed if the call before was not answered as expected, if the target refused a repetition or limits
 * the rate, if it asked for input before it answered, or if no time is left.
 */
export type Timed =
  | {
      readonly kind: 'measured';
      readonly measurement: Measurement;
      /** After timed calls that failed, the function refused each plain call with the same input. */
      readonly refusedAfterwards?: boolean;
    }
  | { readonly kind: 'not-measured'; readonly because: 'unanswered' | 'refused' | 'no-time' | 'asks-input' }
  | { readonly kind: 'not-measured'; readonly because: 'rate-limited'; readonly plannedCalls: number };

export type StepRun = { readonly step: Step } & (
  | { readonly kind: 'ran'; readonly instances: readonly InstanceRun[] }
  | Skip
);

/** What a step received; nothing if it did not run. */
export function instancesOf(run: StepRun | undefined): readonly InstanceRun[] {
  return run?.kind === 'ran' ? run.instances : [];
}

/** The requirements that were being decided when the target stopped answering; null while it answers. */
export interface Outage {
  /** Timed calls got no answer, before any negative step. */
  readonly silentBy: string | null;
  /** A negative step found the server down. */
  readonly goneBy: string | null;
  /** The look at the server after the negative steps failed: what follows says nothing of functions. */
  readonly brokenBy: string | null;
}

export type Skip =
  | { readonly kind: 'blocked'; readonly by: string }
  /** Nothing could be chosen that the request needs. */
  | { readonly kind: 'undecided'; readonly doubt: Doubt }
  | { readonly kind: 'inapplicable'; readonly reason: string };

/** The wire of an operation, or the requirement that must pass before it can be detected. */
export type KnownForm = { readonly form: Wire } | { readonly form: null; readonly because: string };

export interface Forms {
  readonly capabilities: KnownForm;
  readonly execute: KnownForm;
}

/** Items that the limit on loops left out. */
export interface Omission {
  readonly step: string;
  readonly listed: number;
  readonly called: number;
}

/** Why calls of a function are limited; `unclear`: nothing shows that it only reads. */
export type RestraintReason = 'configured' | 'looks' | 'seen' | 'unclear';

export interface Restrained {
  readonly functionName: string;
  readonly policy: Exclude<MutatingPolicy, 'allow'> | 'untimed';
  readonly because: RestraintReason;
}

/** Everything that a run collected, and the only input of the judgement. */
export interface RunRecord {
  readonly steps: readonly StepRun[];
  readonly forms: Forms;
  readonly saved: ReadonlyMap<string, Json>;
  readonly exchanges: readonly Exchange[];
  /** What the processes and sessions of the run showed outside of exchanges. */
  readonly conversations: readonly Conversation[];
  /** What the server and this client agreed on; null for another server, and without an agreement. */
  readonly opened: Opened | null;
  readonly omissions: readonly Omission[];
  /** Functions with limited calls, because they change something or look as if they do. */
  readonly restrained: readonly Restrained[];
  /** Functions that accepted an input with values of other calls, after they had refused a guess. */
  readonly learned: readonly LearnedFunction[];
  readonly created: readonly CreatedThings[];
  /** Its first failure ended the run before everything was sent. */
  readonly hasBailed: boolean;
}

/** A record whose processes may still be ending. */
export interface Collected extends RunRecord {
  /** The conversations, with the last lines of the processes, as soon as these have ended. */
  readonly closed: Promise<readonly Conversation[]>;
  /** When its requests had to end, on the clock's monotonic time. */
  readonly endsAtMs: number;
}

/** What calls created, and how much of it was deleted again, by the function that deletes. */
export interface CreatedThings {
  readonly remover: string;
  readonly created: number;
  readonly removed: number;
}

export interface LearnedFunction {
  readonly functionName: string;
  readonly parameters: readonly LearnedParameter[];
}

export function functionsIn({ saved }: Pick<RunRecord, 'saved'>): readonly Json[] {
  const listed = saved.get('functions');
  return Array.isArray(listed) ? (listed as readonly Json[]) : [];
}

export function listedNamesIn(record: Pick<RunRecord, 'saved'>): readonly string[] {
  return functionsIn(record)
    .map((one) => ownProperty(one, 'name'))
    .filter((name) => typeof name === 'string');
}

/** Calls of functions that are not part of a negative step. */
export function ordinaryCallsIn({ steps }: Pick<RunRecord, 'steps'>): readonly InstanceRun[] {
  return steps
    .filter(({ step }) => step.request?.kind === 'execute' && !isProvoking(step))
    .flatMap(instancesOf);
}

/** Each ordinary call with an input that its function should accept, with its outcome. */
export function validCallsIn(
  record: Pick<RunRecord, 'steps'>,
): readonly { readonly call: PlannedCall; readonly exchange: Exchange }[] {
  return ordinaryCallsIn(record).flatMap(({ call, exchanges }) =>
    call === null || isInvalid(call.inputSource) ? [] : exchanges.map((exchange) => ({ call, exchange })),
  );
}

/** All measurements, in the order of the steps. Steps that judge the answers of others measured nothing themselves. */
export function measurementsIn({ steps }: Pick<RunRecord, 'steps'>): readonly Measurement[] {
  return steps
    .filter(({ step }) => step.request !== null)
    .flatMap(instancesOf)
    .flatMap(({ timed }) => (timed?.kind === 'measured' ? [timed.measurement] : []));
}
