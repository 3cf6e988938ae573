import { parseExactly } from '../model/exact-json.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { SubjectTransport } from './subject.ts';

/** Receives what arrives over a channel, in order. */
export interface ChannelListener {
  /** A JSON object, which need not be a message of JSON-RPC, and the length of its text. */
  readonly onMessage: (message: JsonObject, characters: number) => void;
  /** Anything else, where only messages belong. */
  readonly onNoise: (text: string) => void;
  /** The server sent a message that is longer than what is read. */
  readonly onTooLarge: (maxBytes: number) => void;
  /** The server ended the channel. */
  readonly onEnd: (reason: string) => void;
}

/** How the server answered an HTTP request. */
export interface HttpReply {
  readonly status: number;
  /** The media type, in lower case and without parameters; empty without one. */
  readonly type: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of an accepted notification: the length of a body, which it must not have; 0 for a stream. */
  readonly unwantedCharacters?: number;
  /** Of a stream of events: whether the server closed it after its answer. */
  readonly closed?: boolean;
}

export interface SendOptions {
  /** Aborted when the time for the answer is over. */
  readonly signal: AbortSignal;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** For HTTP: replaces the usual ones; null leaves one out. */
  readonly headers: Readonly<Record<string, string | null>>;
}

/** Exchanges the texts of messages with a server, without reading a meaning into them. */
export interface MessageChannel {
  /** Over HTTP, resolves with the reply after its messages were received; rejects if there is none. */
  send(text: string | null, options: SendOptions): Promise<HttpReply | null>;
  /** Ends the session as the protocol asks: closes standard input, or sends a DELETE. */
  end(options: SendOptions): Promise<HttpReply | null>;
  /** Ends every process and connection. */
  close(): Promise<void>;
}

export interface ChannelSource {
  readonly transport: SubjectTransport;
  readonly open: (listener: ChannelListener) => MessageChannel;
}

/** Undefined for a text that holds no JSON object. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseExactly(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
