import type { JsonObject } from '../json/json.ts';
import type { Heard } from './exchange.ts';

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

/** The conversation that the steps of a run share unless they name another one. */
export const MAIN_CONVERSATION = 'main';
/** The one in which the client declares no capabilities; in the end, it is spoilt. */
export const BARE_CONVERSATION = 'spoilt';

/** A conversation of another user: over HTTP, everything in it is sent with that user's token. */
export const OTHER_USER = 'other-user';

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
