// A conversation during a run: what was asked in it, what is written next, and which line answers.
import type { LimitFunction } from 'p-limit';
import { stringifyExactly } from '../../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import type { ClientReply } from '../../model/exchange.ts';
import type { PlannedMessage } from '../../model/probe.ts';
import { bytesOf } from '../../model/sent.ts';
import type { Opened } from '../../model/wire.ts';
import { answersTo, type Message, messagesInLine } from '../../wires/mcp/messages.ts';
import { type ClientInfo, completeMessage } from '../../wires/mcp/opening.ts';
import type { OpenConversation, Opening } from './opened.ts';

/** A request that waits, and what the client answered meanwhile. */
export interface WhileWaiting {
  /** It calls, gets or reads something, which others seldom ask for. */
  readonly mayAsk: boolean;
  readonly replies: ClientReply[];
}

export interface Talk {
  readonly name: string;
  /** What the client said of itself when it was opened. */
  readonly client: ClientInfo;
  conversation: OpenConversation;
  readonly opened: Opened;
  nextId: number;
  /** Ids of the requests that wait for their answers, in the order in which they were sent. */
  readonly waiting: Set<Json>;
  /** What was answered to the server while they wait, by the keys of their exchanges. */
  readonly replies: Map<string, WhileWaiting>;
  /** How many requests of the server were answered, whether or not anything waited. */
  replied: number;
  /** The conversation that ended while it had several requests to answer. */
  lostBy: OpenConversation | null;
  /** Since then requests are sent one at a time, so that the next end has one cause. */
  alone: LimitFunction | null;
  readonly asked: Set<Json>;
  /** What has no answer was sent last: an error without an id may be about that. */
  mayLackId: boolean;
  restarts: number;
  /** While a conversation that the server ended is opened again. */
  reopening: Promise<boolean> | null;
}

export function newTalk(
  name: string,
  client: ClientInfo,
  { conversation, nextId }: Extract<Opening, { kind: 'open' }>,
  opened: Opened,
): Talk {
  return {
    name,
    client,
    conversation,
    opened,
    nextId,
    waiting: new Set(),
    replies: new Map(),
    replied: 0,
    lostBy: null,
    alone: null,
    asked: new Set(),
    // The notification that opened it.
    mayLackId: true,
    restarts: 0,
    reopening: null,
  };
}

/** The bytes of a message, and the id that its answer must have; null for what has no answer. */
export function writtenIn(
  talk: Talk,
  { sends }: PlannedMessage,
): { readonly bytes: Uint8Array; readonly message: JsonObject | null; readonly awaited: Json } {
  if (sends.kind === 'raw') return { bytes: bytesOf(sends.body), message: null, awaited: null };
  if (sends.kind !== 'message') return { bytes: new Uint8Array(), message: null, awaited: null };
  const lines = [...(sends.before ?? []), sends.message].map((given) => {
    talk.nextId += 1;
    return completeMessage(given, talk.nextId - 1, talk.opened, talk.client);
  });
  const message = lines.at(-1) ?? {};
  for (const before of lines.slice(0, -1)) talk.asked.add(ownProperty(before, 'id') ?? null);
  const id = ownProperty(message, 'id') ?? null;
  const isRequest =
    typeof ownProperty(message, 'method') === 'string' && !isJsonObject(id) && !Array.isArray(id);
  const bytes = Buffer.from(lines.map((line) => stringifyExactly(line)).join('\n'));
  return { bytes, message, awaited: isRequest ? id : null };
}

/** For an error about bytes that are no message; one that comes later is heard with the next request. */
const AFTER_RAW_MS = 100;
/** A notification has no answer. */
const AFTER_NOTIFICATION_MS = 1;

export function waitMsOf({ sends }: PlannedMessage): number {
  return sends.kind === 'raw' ? AFTER_RAW_MS : AFTER_NOTIFICATION_MS;
}

/**
 * What ends the reading of a process. An answer to nothing that was asked counts as the answer of the only request that
 * waits: nobody need wait for a better one, and its id is judged.
 */
export function isAnswerIn(
  talk: Talk,
  { sends }: PlannedMessage,
  awaited: Json,
): ((line: Uint8Array) => boolean) | undefined {
  if (sends.kind === 'raw')
    return (line) => messagesInLine(line).some(({ message }) => isErrorWithoutId(message));
  if (awaited === null) return undefined;
  const until = sends.kind === 'message' ? sends.until : undefined;
  return (line) =>
    messagesInLine(line).some(
      ({ message, problem }) =>
        (until !== undefined && message.kind === 'notification' && message.method === until) ||
        // What the harness cannot read may be the answer.
        problem?.serversFault === false ||
        answersTo(awaited, message) ||
        (talk.waiting.size === 1 &&
          isStray(message, talk.asked) &&
          !(talk.mayLackId && isErrorWithoutId(message))),
    );
}

function isErrorWithoutId(message: Message): boolean {
  return message.kind === 'error' && (message.id ?? null) === null;
}

function isStray(message: Message, asked: ReadonlySet<Json>): boolean {
  if (message.kind === 'result' || message.kind === 'error') return !asked.has(message.id ?? null);
  return message.kind === 'not-json-rpc' && !asked.has(message.id ?? null);
}
