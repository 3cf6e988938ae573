import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import type { TransportFailure } from '../model/exchange.ts';
import type { TraceFields } from '../reference/endpoints.ts';

/** How messages reach a server of the Model Context Protocol. */
export type SubjectTransport = 'stdio' | 'streamable HTTP' | 'SSE';

/** What the server behind a bridge says of itself when a session is opened. */
export interface SubjectInfo {
  readonly name: string;
  readonly version: string;
  /** For people; null if the server gives none. */
  readonly title: string | null;
  readonly description: string | null;
  /** The negotiated version of the protocol, such as 2025-11-25. */
  readonly protocolVersion: string;
  readonly transport: SubjectTransport;
  /** The server has the capability tools. */
  readonly offersTools: boolean;
  /** The server announces changes of its tools. */
  readonly announcesTools: boolean;
}

/** What went wrong with a server behind a bridge. */
export type SubjectFault =
  /** No session is open, and none could be opened. */
  | 'unavailable'
  /** The session ended before the answer came. */
  | 'ended'
  | 'timeout'
  /** The server answered with a JSON-RPC error; `code` is its code. */
  | 'refused'
  /** The answer breaks the protocol. */
  | 'invalid'
  /** The answer is more than a bridge reads. */
  | 'too-large'
  /** The caller did not wait for the answer. */
  | 'abandoned'
  /** The call cannot be written as a message, such as an input that is nested too deeply. */
  | 'unsendable';

export class SubjectError extends Error {
  override readonly name = 'SubjectError';
  readonly fault: SubjectFault;
  /** Of a JSON-RPC error; null otherwise. */
  readonly code: number | null;
  /** Why a remote server could not be reached; null if it could be, or was not tried. */
  readonly failure: TransportFailure | null;

  constructor(
    fault: SubjectFault,
    message: string,
    { code = null, failure = null, cause }: Partial<Pick<SubjectError, 'code' | 'failure' | 'cause'>> = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.code = code;
    this.failure = failure;
  }
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Sent in `_meta`, where servers of the protocol look for it, over every transport. */
  readonly trace?: TraceFields | undefined;
  /** Sent with the message in revisions without sessions, over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An open session. Its functions reject with a SubjectError. */
export interface Session {
  readonly info: SubjectInfo;
  /** The entries of `tools` on all pages, as the server returned them. */
  listTools(options: AskOptions): Promise<readonly Json[]>;
  callTool(name: string, input: Json, options: AskOptions): Promise<JsonObject>;
  ping(options: AskOptions): Promise<void>;
  /** Calls that are not answered yet. */
  pending(): number;
  /** Resolves with the reason when the session ends for any reason. */
  readonly ended: Promise<string>;
  /** Ends the session and waits until its processes and connections are gone. */
  close(): Promise<void>;
}

/** Takes the place of an answer that breaks JSON-RPC, so that its caller does not wait for another one. */
export const INVALID_MESSAGE = -1;

/** Takes the place of an answer that is longer than what is read. */
export const TOO_LONG_MESSAGE = -2;

/** The message as it is, or an error for the request that it seems to answer. */
export function readable(message: object): JSONRPCMessage {
  const { id, method, result, error } = message as Readonly<Record<string, unknown>>;
  const isAnswer = method === undefined && (typeof id === 'number' || typeof id === 'string');
  if (!isAnswer || isJsonObject(result) !== isError(error)) return message as JSONRPCMessage;
  const problem =
    result !== undefined && error !== undefined
      ? 'it has both a result and an error'
      : 'it has neither an object as result nor an error with a code and a message';
  return {
    jsonrpc: '2.0',
    id,
    error: { code: INVALID_MESSAGE, message: `the answer is no JSON-RPC: ${problem}` },
  };
}

function isError(value: unknown): boolean {
  return isJsonObject(value) && Number.isInteger(value.code) && typeof value.message === 'string';
}
