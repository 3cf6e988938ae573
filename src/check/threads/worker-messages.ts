import type { MessagePort } from 'node:worker_threads';
import type { FirstFailure } from '../../judge/first-failure.ts';
import type { JudgedStep } from '../../judge/judge-run.ts';
import type { AnsweredExchange, Exchange } from '../../model/exchange.ts';
import type { TestResult } from '../../model/report.ts';
import type { Span } from '../../model/span.ts';
import type { SentBefore } from '../../probe/replaying-probe.ts';
import type { LockMode, Progress } from '../../run/state/run-input.ts';
import type { CheckInput } from '../check-input.ts';

export interface StartCheck {
  /** Distinguishes the checks of a process. */
  readonly id: number;
  readonly input: CheckInput;
  /** Unix time in milliseconds from which the deadline counts. */
  readonly startedAtMs: number;
  /** When this message was posted, as Unix time in milliseconds, with fractions. */
  readonly postedAtMs: number;
  /** How long the check waited for another thread since then; the deadline does not count that. */
  readonly waitedMs: number;
  /** What the check sent in the threads before. */
  readonly sent: SentBefore;
  /** Which listeners the check has: a message without one would only wake a thread. */
  readonly listens: {
    readonly progress: boolean;
    readonly unlike: boolean;
    readonly spans: boolean;
    readonly failure: boolean;
  };
  /** For the messages of this check. The check leaves the thread when it is closed. */
  readonly port: MessagePort;
  /** Receives one message: a port with the parts of the result, which wake nobody while it is not taken. */
  readonly parts: MessagePort;
}

/** The check waits for `go-on` after a message with a number. */
export type FromCheck =
  | { readonly kind: 'acquire'; readonly wait: number; readonly mode: LockMode }
  | { readonly kind: 'release' }
  | { readonly kind: 'unlike-answer'; readonly wait: number; readonly exchange: AnsweredExchange }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'failure'; readonly failure: FirstFailure }
  /** A server is started for the check. */
  | { readonly kind: 'opening'; readonly state: 'begins' | 'over' }
  /** The check needs more than its share of the thread. */
  | { readonly kind: 'share-exceeded' }
  | FinishedCheck
  /** A mistake in the user's options. */
  | { readonly kind: 'refused'; readonly option: string; readonly message: string }
  /** A mistake of the harness. */
  | { readonly kind: 'failed'; readonly error: unknown };

export interface FinishedCheck {
  readonly kind: 'finished';
  readonly result: TestResult;
}

export type ToCheck = { readonly kind: 'go-on'; readonly wait: number } | { readonly kind: 'interrupt' };

/** What is read only if the check is stopped, or continues in another thread, because reading takes time. */
export type PartOfCheck =
  /** A call is about to be sent; reads may be sent twice. */
  | { readonly kind: 'calling'; readonly key: string }
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'judged'; readonly judged: JudgedStep };
