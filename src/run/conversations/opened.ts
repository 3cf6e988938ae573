import type { Json, JsonObject } from '../../json/json.ts';
import type { Exchange, Heard } from '../../model/exchange.ts';
import type { Clock, PlannedMessage } from '../../model/probe.ts';
import type { Conversation, ConversationEnd, Era, Spoken } from '../../model/wire.ts';
import type { Redactor } from '../../probe/redactor.ts';
import type { ClientInfo } from '../../wires/mcp/opening.ts';

// Conversations with servers of the Model Context Protocol: a process or an HTTP session, the era that its server speaks,
// and what opens it. `open-process.ts` and `open-http.ts` find out the era; what they return sends messages the same way.

export interface OpeningSettings {
  /** `auto`: whichever the server speaks, the newer one first. */
  readonly era: Era | 'auto';
  /** The only revision of the session era to ask for; null, or left out: what both sides speak is found out. */
  readonly version?: string | null | undefined;
  /** False: nothing is sent to open the conversation. */
  readonly handshake: boolean;
  readonly client: ClientInfo;
  /** For the first answer: a server may be installed, or wake up, before it reads anything. */
  readonly startTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /**
   * Called with what arrives, and with the key of its exchange; null for what nobody waited for. Of a flood, not
   * everything is kept.
   */
  readonly onHeard?: ((heard: Heard, key: string | null, isKept: boolean) => void) | undefined;
}

/** Sends messages, and bytes that are none. */
export interface OpenConversation {
  send(sent: ToSend): Promise<Exchange>;
  /** Closes the input of the process, or ends the session, and waits for what follows. */
  endInput(key: string, timeoutMs: number): Promise<Exchange>;
  /** How its process ended; null while it runs, and over HTTP. */
  ended(): ConversationEnd | null;
  close(): Promise<Conversation>;
  /** What it showed so far outside of exchanges. */
  log(): Conversation;
}

export interface ToSend {
  readonly key: string;
  /** Without a line end. */
  readonly bytes: Uint8Array;
  /** What the bytes mean, for the headers of HTTP; null for what is no message. */
  readonly message: JsonObject | null;
  /** Reading ends with the answer to this id; null if no answer is expected: then it ends with the time-out. */
  readonly awaited: Json;
  /** What else ends the reading of a process; left out: only the answer. */
  readonly isAnswer?: ((line: Uint8Array) => boolean) | undefined;
  /** The method of a notification in a stream of HTTP that ends the reading, too. */
  readonly until?: string | undefined;
  /** Of a request over HTTP; left out: POST, with the bytes. */
  readonly method?: 'GET' | 'DELETE' | undefined;
  /** Over HTTP, besides those of the conversation, which these replace; null: not sent. */
  readonly headers?: PlannedMessage['headers'] | undefined;
  /** Over HTTP: without the user's headers. */
  readonly anonymous?: boolean | undefined;
  /** Over HTTP: with this token instead of the user's. */
  readonly token?: PlannedMessage['token'];
  /** Over HTTP: over a connection that stays open. */
  readonly keepsConnection?: boolean | undefined;
  readonly timeoutMs: number;
}

/** What was learned about the server while a conversation with it was opened. */
interface Learned {
  /** What was sent to open it, in order, with the answers. */
  readonly exchanges: readonly Exchange[];
  /** What a reader should know, such as a revision that was refused at first; sentences. */
  readonly notes: readonly string[];
}

export type Opening = Learned &
  (
    | {
        readonly kind: 'open';
        readonly conversation: OpenConversation;
        readonly spoken: Spoken & { readonly era: Era; readonly version: string };
        /** What the server calls itself; null if it did not say. */
        readonly name: string | null;
        /** No message of the conversation has this id, or a higher one. */
        readonly nextId: number;
      }
    | { readonly kind: 'not-open'; readonly failure: OpeningFailure; readonly message: string }
  );

/**
 * Why there is no conversation. `unreachable`: nothing answers. `ended`: the process ended. `silent`: no answer in time.
 * `gated`: it wants a key. `old-transport`: only the HTTP transport of 2024-11-05. `refused`: an answer that opens
 * nothing. `interrupted`: by the user.
 */
export type OpeningFailure =
  | 'unreachable'
  | 'ended'
  | 'silent'
  | 'gated'
  | 'old-transport'
  | 'refused'
  | 'interrupted';
