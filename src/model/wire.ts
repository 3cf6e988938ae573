import type { JsonObject } from '../json/json.ts';
import type { Bytes, SentMessage, Timing } from './exchange.ts';

/** What a target speaks: form A or form B of the REST contract, or the Model Context Protocol. */
export type Wire = 'A' | 'B' | 'mcp';

/** Of the Model Context Protocol: sessions up to revision 2025-11-25, stateless requests from 2026-07-28. */
export type Era = 'session' | 'stateless';

/** How the bytes travel: HTTP, or the standard streams of a process. */
export type Channel = 'http' | 'stdio';

export interface Spoken {
  readonly wire: Wire;
  readonly channel: Channel;
  /** Null for REST. */
  readonly era: Era | null;
  /** The negotiated revision, such as `2025-11-25`; null if none was negotiated. */
  readonly version: string | null;
}

/** What both sides of a conversation agreed on, and what the server said of itself. */
export interface Opened {
  readonly era: Era;
  readonly channel: Channel;
  /** The revision, such as `2025-11-25`. */
  readonly version: string;
  /** What the server calls itself, and its own version; null if it did not say. */
  readonly name: string | null;
  readonly serverVersion: string | null;
  readonly capabilities: JsonObject;
}

/** A line that arrived where only messages belong. Raw, because wrong bytes are what is judged. */
export interface Heard {
  /** Without the line end; the start of a line that was longer than what is kept. */
  readonly bytes: Bytes;
  /** The bytes of the line that were not kept; 0 for a complete line. */
  readonly omittedBytes: number;
  /** Since the conversation was opened. */
  readonly atMs: number;
  /** Shell variables that stand for the secrets which the line repeated. */
  readonly repeatedSecrets: readonly string[];
}

/** Bytes that were written to a process. */
export interface SentLine {
  readonly key: string;
  readonly message: SentMessage;
  /** With the line end. */
  readonly line: Bytes;
  /** Since the conversation was opened. */
  readonly atMs: number;
}

/** What was written to a process, and what came for it. */
export interface HeardExchange {
  readonly kind: 'heard';
  readonly request: SentLine;
  readonly heard: readonly Heard[];
  readonly end: HeardEnd;
  readonly timing: Timing;
}

/**
 * Why reading ended: the answer came; it did not come in time, or none was expected; the process did not read what was
 * written; its standard output was closed, or it ended; the run was interrupted.
 */
export type HeardEnd = 'answered' | 'silent' | 'not-read' | 'closed' | 'interrupted';

/** The conversation that the steps of a run share unless they name another one. */
export const MAIN_CONVERSATION = 'main';

/** What a process or a session showed outside of exchanges. */
export interface Conversation {
  readonly name: string;
  /** Unix time in milliseconds. */
  readonly openedAtMs: number;
  /** What arrived on standard output, and belongs to no exchange. */
  readonly unasked: readonly Heard[];
  /** How much more arrived than is kept. */
  readonly omitted: { readonly lines: number; readonly bytes: number };
  /** The last lines of standard error, without secrets. */
  readonly stderr: string;
  /** Null while it is open. */
  readonly ended: ConversationEnd | null;
}

export interface ConversationEnd {
  readonly by: 'server' | 'probe';
  /** Such as `exit code 1`. */
  readonly reason: string;
  /** Since the conversation was opened. */
  readonly atMs: number;
}
