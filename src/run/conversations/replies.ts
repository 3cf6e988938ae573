// What the client answers to requests of a server, in sessions: over HTTP, also on streams that belong to no request.
import { stringifyExactly } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json.ts';
import type { ClientAnswers } from '../../model/call.ts';
import type { Heard } from '../../model/exchange.ts';
import { bufferFrom } from '../../model/sent.ts';
import type { Channel } from '../../model/wire.ts';
import { answerTo, MAX_REPLIES, TOO_MANY } from '../../wires/mcp/client-answers.ts';
import { type Message, messagesInLine } from '../../wires/mcp/messages.ts';
import type { OpenConversation } from './opened.ts';
import type { Talk } from './talk.ts';

export interface ReplyOptions {
  /** What is answered to what the client declares; null if it declares nothing. */
  readonly answers: ClientAnswers | null;
  readonly redact: (text: string) => string;
}

interface HeardFor {
  readonly heard: Heard;
  /** Of the exchange that it came for; null for what nobody waited for. */
  readonly key: string | null;
}

/** More is not kept for a conversation that is not open yet. */
const MAX_EARLY = 100;

/** A server that asks again after each answer is not answered for ever. */
const MAX_IN_ALL = 10_000;

/** Answers what servers ask in the conversations of a run. */
export class Replies {
  readonly #options: ReplyOptions;
  /** What a server sent before its conversation was open, or while it was opened again. */
  readonly #early = new Map<string, readonly HeardFor[]>();

  constructor(options: ReplyOptions) {
    this.#options = options;
  }

  hear(name: string, talk: Talk | undefined, { heard, key }: HeardFor): void {
    if (talk === undefined || talk.reopening !== null) {
      const early = this.#early.get(name) ?? [];
      if (early.length < MAX_EARLY) this.#early.set(name, [...early, { heard, key }]);
      return;
    }
    for (const { message } of messagesInLine(bufferFrom(heard.bytes)))
      if (message.kind === 'request') reply(talk, message, key, this.#options);
  }

  /** The conversation is open. */
  hearEarly(talk: Talk): void {
    const early = this.#early.get(talk.name) ?? [];
    this.#early.delete(talk.name);
    for (const one of early) this.hear(talk.name, talk, one);
  }
}

/**
 * Answers a request of the server, and keeps what was answered with the request that it came for: over HTTP, that of its
 * stream. On what all requests share, it may have come for any of those that wait.
 */
function reply(
  talk: Talk,
  { id, method, params }: Extract<Message, { kind: 'request' }>,
  key: string | null,
  { answers, redact }: ReplyOptions,
): void {
  if (talk.replied >= MAX_IN_ALL) return;
  talk.replied += 1;
  const own = key === null ? undefined : talk.replies.get(key);
  const open = own === undefined ? [...talk.replies.values()] : [own];
  const calls = open.filter(({ mayAsk }) => mayAsk);
  const waiting = calls.length > 0 ? calls : open;
  const isTooMany = method !== 'ping' && waiting.some(({ replies }) => replies.length >= MAX_REPLIES);
  const offered = talk.opened.era === 'session' && talk.client.capabilities !== undefined ? answers : null;
  const { said, isGranted } = isTooMany ? TOO_MANY : answerTo({ method, params }, offered);
  const answer: JsonObject = { jsonrpc: '2.0', id, ...said };
  if (method !== 'ping')
    for (const { replies } of waiting)
      if (replies.length <= MAX_REPLIES)
        replies.push({ method, answer: redact(stringifyExactly(answer)), isGranted });
  sendReply(talk.conversation, answer, talk.opened.channel);
}

/** Sends an answer of the client, for which no answer comes. */
export function sendReply(conversation: OpenConversation, answer: JsonObject, channel: Channel): void {
  void conversation.send({
    key: 'reply',
    bytes: Buffer.from(stringifyExactly(answer)),
    message: answer,
    awaited: null,
    // What comes next belongs to no answer.
    isAnswer: () => false,
    timeoutMs: channel === 'http' ? HTTP_REPLY_MS : STDIO_REPLY_MS,
  });
}

/** For a server to accept an answer. */
const HTTP_REPLY_MS = 10_000;
/** Nothing answers it. */
const STDIO_REPLY_MS = 1;
