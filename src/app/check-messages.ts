import type { MessagePort } from 'node:worker_threads';
import type { JudgedStep } from '../judge/judge-run.ts';
import type { Exchange } from '../model/exchange.ts';
import type { TestResult } from '../model/report.ts';
import type { Progress } from '../run/request-scheduler.ts';
import type { CheckOptions } from './check-options.ts';

/** The options that can be sent to a worker: all except functions and signals. */
export type CheckJob = {
  readonly url: string;
  readonly options: Omit<CheckOptions, 'signal' | 'onProgress'>;
  /** Unix time in milliseconds from which the deadline counts. */
  readonly startedAtMs: number;
};

export type ToWorker =
  | {
      readonly kind: 'start';
      readonly job: CheckJob;
      /** Whether somebody listens to the progress. */
      readonly reportsProgress: boolean;
      /** Receives what the report of a stopped check needs. */
      readonly partial: MessagePort;
    }
  /** No other check times its target now. */
  | { readonly kind: 'turn' }
  | { readonly kind: 'interrupt' };

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: Progress }
  /** The check is about to time its target. */
  | { readonly kind: 'turn-wanted' }
  | { readonly kind: 'turn-over' }
  | { readonly kind: 'finished'; readonly result: TestResult }
  /** A mistake in the user's options. */
  | { readonly kind: 'refused'; readonly option: string; readonly message: string };

/** A part of the outcome. Only a stopped check reads these messages, because reading them takes time. */
export type FromPartial =
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'judged'; readonly judged: JudgedStep };
