import type { Asked } from '../../checks/define-check.ts';
import type { Exchange, Header } from '../../model/exchange.ts';
import type { Clock, Probe, Sampler } from '../../model/probe.ts';
import type { RunSettings } from '../../model/report.ts';
import type { SchemaEvaluator } from '../../model/schema-evaluator.ts';
import type { RecordSpan } from '../../model/span.ts';
import type { Step } from '../../model/suite.ts';
import type { Opened } from '../../model/wire.ts';
import type { Selection } from '../steps/selection.ts';
import type { JudgeExchange, RepetitionsPass } from './exchange-judge.ts';
import type { Instance, KnownForm } from './record.ts';

export type LockMode = 'shared' | 'exclusive';

/** How the checks of a process agree: they share a lock while they work, and time their targets alone. */
export interface Lock {
  /** Waits for the lock, unless the check holds it in this mode; what it held before is released. */
  acquire(mode: LockMode): Promise<void>;
  /** The check only waits now, so that others may work or be timed. */
  release(): void;
}

/** What a run waits for when no request is in flight. */
export type WaitedFor = 'timed-calls' | 'repeated-read';

/** Reported before a request is sent, after it was answered, and when a longer wait begins. */
export interface Progress {
  readonly kind: 'sent' | 'answered' | 'waiting';
  readonly key: string;
  readonly sent: number;
  readonly answered: number;
  readonly waitingFor: WaitedFor | null;
}

/** What is known when an answer comes. */
export interface KnownAtAnswer {
  /** Of the operation of the step. */
  readonly form: KnownForm;
  /** What both sides agreed on when the conversation of the step was opened. */
  readonly opened: Opened | null;
  /** The same of the main conversation; it stays so for the rest of the run, unless it is null. */
  readonly main: Opened | null;
}

/** Called with each answer that its step is judged by: as soon as it came, or when its experiment is over. */
export type OnAnswer = (step: Step, answered: AskedInstance, known: KnownAtAnswer) => void;

export type AskedInstance = Instance & Pick<Asked, 'exchange'>;

/** After it, nothing more is sent but what deletes what the calls created. */
export interface Bail {
  readonly isOver: () => boolean;
  /** Fires with it, and when the run is interrupted. */
  readonly ending: AbortSignal;
}

export interface RunInput {
  readonly selection: Selection;
  readonly targetUrl: string;
  readonly settings: RunSettings;
  readonly probe: Probe;
  readonly sampler: Sampler;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly bail?: Bail | undefined;
  /** When sending must end, on the clock's monotonic time. */
  readonly endsAtMs: number;
  readonly schemas: SchemaEvaluator;
  /** Called when it is known what both sides of the main conversation speak. */
  readonly onOpened?: ((opened: Opened) => void) | undefined;
  /** Called when a conversation is about to be opened, and afterwards: a start has a separate time-out. */
  readonly onOpening?: ((state: 'begins' | 'over') => void) | undefined;
  readonly judgeExchange: JudgeExchange;
  readonly repetitionsPass: RepetitionsPass;
  /** Sent with every request unless a step says otherwise. */
  readonly commonHeaders: readonly Header[];
  /** Shared when the run begins. Absent for a run that need not wait for others. */
  readonly lock?: Lock | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** Gets what the run waits for. */
  readonly recordSpan?: RecordSpan | undefined;
  readonly onAnswer?: OnAnswer | undefined;
  /** Only lists what would be sent. Without answers, no loop is narrowed by them. */
  readonly planning?: boolean | undefined;
}
