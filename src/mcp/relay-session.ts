import { type JsonObject, ownProperty } from '../model/json.ts';
import type { ChannelSource, MessageChannel } from './message-channel.ts';

/** A session of a relay, with what arrived since its last exchange. */
export interface RelaySession {
  readonly channel: MessageChannel;
  answers: JsonObject[];
  others: JsonObject[];
  noise: string[];
  characters: number;
  ended: string | null;
  /** The number of bytes that an answer may have, if one had more. */
  exceeded: number | null;
  /** The result of initialize. */
  learned: JsonObject | null;
  sessionId: string | null;
  /** A list of the server has several pages. */
  isPaged: boolean;
  /** The server accepted the end of the session. */
  isClosed: boolean;
  wake: () => void;
  /** Resolves when the exchange under way is complete: answers are told apart only one exchange at a time. */
  turn: Promise<unknown>;
}

const MAX_NOISE = 50;
const MAX_SHOWN_CHARACTERS = 500;
const MAX_MESSAGES = 5000;
/** Of the messages of one exchange, of which others must not displace the answers. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_OTHER_CHARACTERS = 1024 * 1024;
/** JSON-RPC: the method does not exist. */
const METHOD_NOT_FOUND = -32601;

export function nothingReceived(): Pick<
  RelaySession,
  'answers' | 'others' | 'noise' | 'characters' | 'exceeded'
> {
  return { answers: [], others: [], noise: [], characters: 0, exceeded: null };
}

export function openSession({ open }: ChannelSource, redact: (text: string) => string): RelaySession {
  const hear = (add: () => void): void => {
    add();
    session.wake();
  };
  const session: RelaySession = {
    channel: open({
      onMessage: (message, characters) =>
        hear(() => {
          const isAnswer = ownProperty(message, 'method') === undefined;
          const list = isAnswer ? session.answers : session.others;
          const room = (isAnswer ? MAX_CHARACTERS : MAX_OTHER_CHARACTERS) - session.characters;
          if (list.length < MAX_MESSAGES && characters <= room) {
            list.push(message);
            session.characters += characters;
          }
          const reply = replyTo(message);
          if (reply === null) return;
          // A server may wait for the answer to its own request.
          session.channel
            .send(JSON.stringify(reply), {
              method: 'POST',
              headers: {},
              signal: new AbortController().signal,
            })
            .catch(() => undefined);
        }),
      onNoise: (text) =>
        hear(() => {
          if (session.noise.length < MAX_NOISE)
            session.noise.push(redact(text).slice(0, MAX_SHOWN_CHARACTERS));
        }),
      onTooLarge: (maxBytes) =>
        hear(() => {
          session.exceeded = maxBytes;
        }),
      onEnd: (reason) =>
        hear(() => {
          session.ended = reason;
        }),
    }),
    ...nothingReceived(),
    ended: null,
    learned: null,
    sessionId: null,
    isPaged: false,
    isClosed: false,
    wake: () => undefined,
    turn: Promise.resolve(),
  };
  return session;
}

/** What a client without capabilities answers to a request of the server; null for a notification. */
function replyTo({ method, id }: JsonObject): JsonObject | null {
  if (method === undefined || id === undefined) return null;
  return method === 'ping'
    ? { jsonrpc: '2.0', id, result: {} }
    : { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message: 'This client has no such method.' } };
}
