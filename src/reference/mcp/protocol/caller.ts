import type { JsonObject } from '../../validate-input.ts';
import { notificationText, type Request } from './messages.ts';
import { type Answers, missingCapabilities, type Question, type Questions } from './questions.ts';

/** From the least to the most severe. */
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof logLevels)[number];

/** Where messages go that belong to a request and are sent before its answer. */
export type Outlet = {
  /** Whether anything that is sent arrives. */
  readonly isOpen: boolean;
  readonly send: (text: string) => void;
  /** Closes the connection, not the stream, if the client can connect again for the rest: since 2025-11-25, in a session. */
  readonly disconnect: () => void;
};

/** What belongs to a request, whatever it asks for. */
export type RequestOptions = {
  readonly outlet: Outlet;
  /** Aborted when the client no longer wants the answer. */
  readonly signal: AbortSignal;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
};

/** The client, as those see it who work on one of its requests. */
export type Caller = {
  /** Aborted when the client no longer wants the answer. */
  readonly signal: AbortSignal;
  readonly reportProgress: (progress: number, total: number, message: string) => void;
  readonly log: (level: LogLevel, data: unknown) => void;
  readonly disconnect: () => void;
  /** Whether the client declared that it can be asked this. */
  readonly canAnswer: (question: Question) => boolean;
  /** Asks the client, and resolves with its answers. Without sessions, the work begins anew when the answers come. */
  readonly ask: (questions: Questions) => Promise<Answers>;
};

type CallerOptions = Pick<RequestOptions, 'outlet' | 'signal'> & {
  /** The least severe messages that the client wants; undefined if it wants none. */
  readonly minLevel: LogLevel | undefined;
  /** The capabilities that the client declared. */
  readonly declared: JsonObject;
  readonly ask: (questions: Questions) => Promise<Answers>;
};

/** The caller, and a function that ends its notifications: none may follow the answer. */
export const callerOf = (
  { progressToken }: Request,
  { outlet, signal, minLevel, declared, ask }: CallerOptions,
): { readonly caller: Caller; readonly finish: () => void } => {
  let isFinished = false;
  let lastProgress = Number.NEGATIVE_INFINITY;
  const send = (text: string): void => {
    if (!isFinished && !signal.aborted) outlet.send(text);
  };
  const caller: Caller = {
    signal,
    reportProgress: (progress, total, message) => {
      // Only who gave a token wants to know, and no value may be sent twice.
      if (progressToken === undefined || progress <= lastProgress) return;
      lastProgress = progress;
      const params: JsonObject = { progress, total, message };
      send(notificationText('notifications/progress', params, `"progressToken":${progressToken}`));
    },
    log: (level, data) => {
      if (minLevel !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(minLevel))
        send(notificationText('notifications/message', { level, data }));
    },
    disconnect: outlet.disconnect,
    canAnswer: (question) => missingCapabilities(declared, [question]) === undefined,
    ask,
  };
  return {
    caller,
    finish: () => {
      isFinished = true;
    },
  };
};

export const isLogLevel = (value: unknown): value is LogLevel => logLevels.some((level) => level === value);
