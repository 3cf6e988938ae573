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

export type ToWorker = { readonly kind: 'start'; readonly job: CheckJob } | { readonly kind: 'interrupt' };

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  | { readonly kind: 'judged'; readonly judged: JudgedStep }
  | { readonly kind: 'finished'; readonly result: TestResult }
  /** A mistake in the user's options. */
  | { readonly kind: 'refused'; readonly option: string; readonly message: string };
