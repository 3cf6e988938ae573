import type { MessagePort } from 'node:worker_threads';
import type { JudgedStep } from '../../judge/judge-run.ts';
import type { AnsweredExchange, Exchange } from '../../model/exchange.ts';
import type { TestResult } from '../../model/report.ts';
import type { SentBefore } from '../../probe/replaying-probe.ts';
import type { Progress } from '../../run/request-scheduler.ts';
import type { CheckInput } from '../check-input.ts';

/** A check that is sent to a thread. */
export type CheckJob = {
  readonly input: CheckInput;
  /** Unix time in milliseconds from which the deadline counts. */
  readonly startedAtMs: number;
  /** How long the check waited for another thread since then; the deadline does not count that. */
  readonly waitedMs: number;
  /** What the check sent in the thread before. */
  readonly sentBefore: SentBefore;
};

/** Starts a check in a thread. */
export type StartCheck = {
  /** Distinguishes the checks of a thread. */
  readonly check: number;
  readonly job: CheckJob;
  /** Whether other checks run in the thread. */
  readonly isShared: boolean;
  /** Whether somebody listens to the progress. */
  readonly reportsProgress: boolean;
  /** Whether somebody decides whether a server that answers unlike one with the three endpoints is checked. */
  readonly reportsUnlike: boolean;
  /** For the messages of this check. */
  readonly channel: MessagePort;
  /**
   * Receives one message: a port with what is needed of a check that is stopped, or continues in another thread. Its
   * messages wake nobody as long as it is not taken from this one.
   */
  readonly partial: MessagePort;
};

export type ToCheck =
  /** What the check waited for: it may work, or time its target. */
  | { readonly kind: 'turn' }
  /** The answer with this key may be judged: the run goes on. */
  | { readonly kind: 'go-on'; readonly key: string }
  | { readonly kind: 'interrupt' }
  /** Nobody waits for the result any more. */
  | { readonly kind: 'drop' };

export type FromCheck =
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The check waits until it may work, or time its target. */
  | { readonly kind: 'turn-wanted'; readonly to: 'work' | 'time' }
  /** The check waits until it is decided whether it goes on. */
  | { readonly kind: 'unlike-answer'; readonly exchange: AnsweredExchange }
  /** A server is started for the check. */
  | { readonly kind: 'opening'; readonly state: 'begins' | 'over' }
  /** The check only waits now. */
  | { readonly kind: 'rests' }
  | FinishedCheck
  /** The check needs more than its share of the thread, and needs one of its own. */
  | { readonly kind: 'share-exceeded' }
  /** A mistake in the user's options. */
  | { readonly kind: 'refused'; readonly option: string; readonly message: string }
  /** A mistake of the harness. */
  | { readonly kind: 'failed'; readonly error: unknown };

export type FinishedCheck = { readonly kind: 'finished'; readonly result: TestResult };

/** A part of the outcome. It is read only if the check is stopped or moved, because reading takes time. */
export type FromPartial =
  /** A call is about to be sent; reads may be sent twice. */
  | { readonly kind: 'calling'; readonly key: string }
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'judged'; readonly judged: JudgedStep };

/** The places in the memory that a thread shares with the thread that started it. */
export const BEATS = 0;
/** The check whose code runs, or ran last. */
export const CURRENT_CHECK = 1;
export const SHARED_PLACES = 2;
