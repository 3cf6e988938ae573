import type { JsonObject } from '../json/json.ts';
import type { AnsweredExchange, Exchange, Header, SentMessage, UnansweredExchange } from './exchange.ts';
import type { Measurement, ResponseTimes } from './measurement.ts';
import type { TokenName } from './request-template.ts';
import type { Conversation, Opened } from './wire.ts';

/** A body as parts, each with a repeat count; the bytes are generated when they are sent. */
export type RequestBody = readonly BodyPart[];

export interface BodyPart {
  readonly bytes: Uint8Array;
  readonly times: number;
}

/** A request that is about to be sent: to an address, or in a conversation of the Model Context Protocol. */
export type PlannedRequest = PlannedHttp | PlannedMessage;

interface Planned {
  readonly key: string;
  /** Counts the time in which this process runs, not the time in which it is suspended. */
  readonly timeoutMs: number;
  /** The latest end of the request on the monotonic clock, including suspensions; default: none. */
  readonly endsAtMs?: number;
  /** True for a read from whose answer later steps are generated. */
  readonly feedsLaterSteps: boolean;
}

export interface PlannedHttp extends Planned {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: RequestBody | null;
  /** Close the connection intentionally after this many bytes of the body. */
  readonly abortAfterBytes: number | null;
  /** Sent without the user's headers. */
  readonly anonymous: boolean;
  /** Authentication scheme for the user's bearer token instead of Bearer; null or omitted: Bearer. */
  readonly scheme?: string | null;
  /** Sent instead of the user's bearer token; null or omitted: that one. */
  readonly token?: TokenName | null;
  /** Requests with the same connection name share a connection, while the target keeps it open. */
  readonly connection: string | null;
  /** What it means, if it carries a message of the Model Context Protocol. */
  readonly message?: SentMessage;
  readonly upgrade: 'websocket' | null;
  /** Sees an event stream as it arrives; omitted: it is read to its end. */
  readonly events?: EventWatch | undefined;
}

export interface EventWatch {
  /** Returns true once what is awaited has come: the reading ends a moment later, if the server keeps the stream open. */
  push(part: Uint8Array): boolean;
  /** Whether it is enough to know that there is a stream. */
  readonly endsWithHead?: boolean;
}

/** For a process to end after its input was closed. */
export const ENDING_MS = 5000;

/** A message, or what replaces it. */
export interface PlannedMessage extends Planned {
  readonly conversation: string;
  readonly sends: MessageToSend;
  /** Headers over HTTP, besides those of the conversation; null: not sent. */
  readonly headers: readonly (readonly [name: string, value: string | null])[];
  /** Sent without the user's headers. */
  readonly anonymous: boolean;
  /** Sent instead of the user's bearer token; null or omitted: that one. */
  readonly token?: TokenName | null;
  /** Over HTTP, the connection stays open for the next message of this kind. */
  readonly keepsConnection?: boolean;
}

export type MessageToSend =
  /** What it lacks of what every message of its conversation has is added: `jsonrpc`, an id, `_meta`. */
  | {
      readonly kind: 'message';
      readonly message: JsonObject;
      /** The method of a notification with which the reading ends, besides the answer. */
      readonly until?: string | undefined;
      /** Written to a process in the same piece, before it; each has its id, and nothing waits for its answer. */
      readonly before?: readonly JsonObject[];
      /** What the server asks for instead of answering is left as it is. */
      readonly keepsQuestions?: boolean;
    }
  | { readonly kind: 'raw'; readonly body: RequestBody }
  /** Over HTTP. */
  | { readonly kind: 'http'; readonly method: 'GET' | 'DELETE' }
  /** Ends the conversation. */
  | { readonly kind: 'close' };

/** A conversation that is about to be opened. */
export interface PlannedOpening extends Planned {
  readonly conversation: string;
  /** The only revision to ask for; null: what both sides speak is found out. */
  readonly version: string | null;
  /** The client declares no capabilities, so that the server may ask it nothing. */
  readonly isBare?: boolean;
}

/** What was sent to open a conversation. */
export interface OpeningExchanges {
  /** The question that opened it, or failed to, with the key of the opening. */
  readonly deciding: Exchange;
  /** What was sent besides, in order. */
  readonly others: readonly Exchange[];
  /** What both sides speak; null if no conversation was opened. */
  readonly opened: Opened | null;
}

/** Sends a request and returns the exchange. Never rejects: a failure is an exchange too. */
export interface Probe {
  send(request: PlannedRequest): Promise<Exchange>;
  /** Opens a conversation; only for a server of the Model Context Protocol. */
  readonly open?: (opening: PlannedOpening) => Promise<OpeningExchanges>;
  /** Whether its answer is known already, so that it does not count in the pace of requests. */
  readonly wasSent?: (request: Pick<PlannedRequest, 'key'>) => boolean;
  /**
   * Closes the connections that requests share, and ends all conversations. `onLogs` is told at once what these showed:
   * only the last lines of standard error may be missing.
   */
  close(onLogs?: (logs: readonly Conversation[]) => void): undefined | Promise<readonly Conversation[]>;
}

/** Sends requests to addresses. Never rejects. */
export interface HttpProbe {
  send(request: PlannedHttp): Promise<AnsweredExchange | UnansweredExchange>;
  close(): undefined;
}

/** Time as an argument, so that a saved run can be judged again without waiting. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number;
  /** By how much the time of day is ahead of `nowMs`; omitted: they are the same. */
  setMs?(): number;
  /** Monotonic time in milliseconds, for durations. */
  monotonicMs(): number;
  /** Resolves after the wait, or earlier when the signal fires. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

/** A value that must not be stored, with the shell variable that replaces it. */
export interface Secret {
  readonly value: string;
  /** Without the dollar sign: `PROBITY_TOKEN`. */
  readonly variable: string;
}

/** What is sent again and again. */
export type TimedRequest =
  | Pick<PlannedHttp, 'method' | 'url' | 'headers' | 'body' | 'anonymous'>
  | Pick<PlannedMessage, 'conversation' | 'sends' | 'headers' | 'anonymous' | 'token'>;

export interface SamplingPlan {
  /** Names the step and item, as the key of an exchange does without its attempt. Unique within a run. */
  readonly key: string;
  readonly operation: ResponseTimes['operation'];
  readonly functionName: string | null;
  readonly request: TimedRequest;
  readonly calls: number;
  readonly ratePerSecond: number;
  readonly connections: number;
  readonly timeoutMs: number;
  /** Maximum time of one measurement. */
  readonly withinMs: number;
  /** An unreliable measurement is repeated only while all attempts together take no longer than this. */
  readonly repeatWithinMs: number;
  readonly seed: number;
}

/**
 * Times repeated calls of a request. Never rejects: failures are part of the measurement. Null if there was no time for
 * it, or the run was interrupted before it began.
 */
export interface Sampler {
  /** Prepares the client for its first measurement; a sampler that sends nothing needs none. */
  warmUp?(): Promise<void>;
  /**
   * @param onStall called when the target has not answered for much longer than before; the measurement then ends with
   *   the next answer or time-out, which it includes
   */
  measure(plan: SamplingPlan, onStall?: () => void): Promise<Measurement | null>;
}
