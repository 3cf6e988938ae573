import type { Json, JsonObject } from '../json/json.ts';
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

/**
 * What went wrong with a server behind a bridge:
 *
 * - `unavailable`: no session is open, and none could be opened
 * - `ended`: the session ended before the answer came
 * - `timeout`: no answer in time
 * - `refused`: the server answered with a JSON-RPC error; `code` is its code
 * - `invalid`: the answer breaks the protocol
 * - `too-large`: the answer is more than a bridge reads
 * - `abandoned`: the caller did not wait for the answer
 * - `unsendable`: the call cannot be written as a message, such as an input that is nested too deeply
 */
export type SubjectFault =
  | 'unavailable'
  | 'ended'
  | 'timeout'
  | 'refused'
  | 'invalid'
  | 'too-large'
  | 'abandoned'
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
    {
      code = null,
      failure = null,
      cause,
    }: { code?: number | null; failure?: TransportFailure | null; cause?: unknown } = {},
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
