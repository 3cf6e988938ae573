import { stringifyExactly } from '../../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject, ownProperty } from '../../json/json.ts';
import {
  type AnsweredExchange,
  type Exchange,
  headerValue,
  interrupted,
  isAnswer,
  type TransportFailure,
  type UnansweredExchange,
} from '../../model/exchange.ts';
import { openingKey } from '../../model/exchange-key.ts';
import type {
  OpeningExchanges,
  PlannedMessage,
  PlannedOpening,
  PlannedRequest,
  Probe,
} from '../../model/probe.ts';
import { bufferFrom, bytesFrom, bytesOf, unsentExchange } from '../../model/sent.ts';
import {
  type Conversation,
  type Era,
  type Heard,
  type HeardExchange,
  MAIN_CONVERSATION,
  type Opened,
} from '../../model/wire.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { SESSION_ID } from '../../wires/mcp/http-headers.ts';
import { answersTo, type Message, messagesInBody, messagesInLine } from '../../wires/mcp/messages.ts';
import { type ClientInfo, completeMessage, eraOf, openedBy } from '../../wires/mcp/opening.ts';
import type { OpenConversation, Opening, OpeningSettings } from './opened.ts';

/** Opens a conversation of this name with the target. */
export type OpenTarget = (
  settings: Pick<OpeningSettings, 'era' | 'version' | 'startTimeoutMs' | 'onHeard'> & {
    readonly name: string;
  },
) => Promise<Opening>;

export interface McpProbeOptions {
  readonly openTarget: OpenTarget;
  readonly era: Era | 'auto';
  readonly client: ClientInfo;
  readonly startTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
}

/** For an error about bytes that are no message; one that comes later is heard with the next request. */
const AFTER_RAW_MS = 100;
/** A notification has no answer. */
const AFTER_NOTIFICATION_MS = 1;
/** For a process to end after its input was closed. */
const ENDING_MS = 5000;
/** A server that ends again and again is not started for every call. */
const MAX_RESTARTS = 3;

interface Talk {
  readonly name: string;
  conversation: OpenConversation;
  readonly opened: Opened;
  nextId: number;
  /** Ids of the requests that wait for their answers, in the order in which they were sent. */
  readonly waiting: Set<Json>;
  /** The conversation that ended while it had a request to answer. */
  lostBy: OpenConversation | null;
  readonly asked: Set<Json>;
  /** What has no answer was sent last: an error without an id may be about that. */
  mayLackId: boolean;
  restarts: number;
  /** While a conversation that the server ended is opened again. */
  reopening: Promise<boolean> | null;
}

/**
 * Sends the messages of a run. Each conversation is a process or a session of its own, opened by name. A conversation
 * whose process ended is opened again for the next message, so that one crash does not hide what else a server does; the
 * message that was lost keeps its failure, and the end is in the log. Messages that the server sends meanwhile are
 * answered as a client without capabilities does.
 */
export class McpProbe implements Probe {
  readonly #options: McpProbeOptions;
  readonly #talks = new Map<string, Talk>();
  readonly #ended: Conversation[] = [];

  constructor(options: McpProbeOptions) {
    this.#options = options;
  }

  async open({ key, conversation: name, version }: PlannedOpening): Promise<OpeningExchanges> {
    const opening = await this.#start(name, version);
    const exchanges = opening.exchanges.map((one) =>
      answeredOrNot(one, opening, this.#options.startTimeoutMs),
    );
    const questions = exchanges.filter(({ request }) => (request.message?.awaited ?? null) !== null);
    // The question in the other era was given up when the answer to this one came.
    const isGivenUp = (one: Exchange): boolean =>
      one.kind === 'unanswered' && one.reason.code === 'interrupted';
    const deciding = questions.findLast((one) => !isGivenUp(one)) ?? questions.at(-1);
    const others = exchanges
      .filter((one) => one !== deciding)
      .map((one, index) => withKey(one, openingKey(key, index + 1)));
    const opened = openedBy(exchanges);
    if (opening.kind === 'open' && opened !== null)
      this.#talks.set(name, {
        name,
        conversation: opening.conversation,
        opened,
        nextId: opening.nextId,
        waiting: new Set(),
        lostBy: null,
        asked: new Set(),
        // The notification that opened it.
        mayLackId: true,
        restarts: 0,
        reopening: null,
      });
    else if (opening.kind === 'open') this.#ended.push(await opening.conversation.close());
    const isOld = opening.kind === 'not-open' && opening.failure === 'old-transport';
    if (deciding === undefined || isOld) {
      const words = opening.kind === 'open' ? 'the server opened no conversation' : opening.message;
      const reason: TransportFailure = {
        code: isOld ? 'old-transport' : 'no-session',
        fault: 'server',
        message: words,
      };
      return { deciding: unsent(key, name, reason, this.#options.nowMs()), others, opened: null };
    }
    return { deciding: withKey(deciding, key), others, opened };
  }

  async send(planned: PlannedRequest): Promise<Exchange> {
    const { nowMs } = this.#options;
    if (!('conversation' in planned)) throw new TypeError(`${planned.key} is not a message`);
    const talk = this.#talks.get(planned.conversation);
    if (talk === undefined) return unsentExchange(planned, NOT_OPEN, nowMs());
    if (talk.conversation.ended() !== null && !(await this.#reopen(talk, talk.conversation)))
      return unsentExchange(planned, notRunning(talk), nowMs());
    if (planned.sends.kind === 'close') return this.#close(talk, planned);
    const { bytes, message, awaited } = this.#written(talk, planned);
    const isRequest = awaited !== null;
    talk.mayLackId ||= !isRequest;
    if (isRequest) {
      talk.waiting.add(awaited);
      talk.asked.add(awaited);
    }
    const used = talk.conversation;
    const exchange = await used.send({
      key: planned.key,
      bytes,
      message,
      awaited,
      isAnswer: isAnswerIn(talk, planned, awaited),
      method: planned.sends.kind === 'http' ? planned.sends.method : undefined,
      headers: planned.headers,
      anonymous: planned.anonymous,
      keepsConnection: planned.keepsConnection,
      timeoutMs: isRequest || talk.opened.channel === 'http' ? planned.timeoutMs : waitMsOf(planned),
    });
    const isLoser = talk.waiting.values().next().value === awaited && talk.lostBy !== used;
    talk.waiting.delete(awaited);
    if (isSessionOver(exchange, planned) && (await this.#reopen(talk, used))) return this.send(planned);
    if (isRequest && isAnswer(exchange) && answeringMessage(exchange) !== undefined) talk.mayLackId = false;
    if (exchange.kind === 'heard' && isRequest && exchange.end === 'closed') {
      if (isLoser) talk.lostBy = used;
      return endedDuring(exchange, used, isLoser);
    }
    if (exchange.kind === 'heard')
      return isRequest ? unansweredUnless(exchange, '', planned.timeoutMs) : exchange;
    return exchange.kind === 'answered' ? unansweredIfLate(exchange, planned.timeoutMs) : exchange;
  }

  async close(): Promise<readonly Conversation[]> {
    const open = [...this.#talks.values()];
    this.#talks.clear();
    this.#ended.push(...(await Promise.all(open.map(({ conversation }) => conversation.close()))));
    return this.#ended;
  }

  #start(name: string, version: string | null): Promise<Opening> {
    return this.#options.openTarget({
      name,
      era:
        version === null
          ? this.#options.era
          : (eraOf(version) ?? this.#talks.get(MAIN_CONVERSATION)?.opened.era ?? 'session'),
      version,
      startTimeoutMs: this.#options.startTimeoutMs,
      onHeard: (heard) => this.#hear(name, heard),
    });
  }

  /** A server may end at any time, or end a session. Several requests may notice it at once. */
  async #reopen(talk: Talk, over: OpenConversation): Promise<boolean> {
    if (talk.conversation !== over) return true;
    talk.reopening ??= this.#startAgain(talk).finally(() => {
      talk.reopening = null;
    });
    return talk.reopening;
  }

  async #startAgain(talk: Talk): Promise<boolean> {
    if (talk.restarts >= MAX_RESTARTS || this.#options.signal.aborted) return false;
    talk.restarts += 1;
    this.#ended.push(await talk.conversation.close());
    const { name, opened } = talk;
    const opening = await this.#options.openTarget({
      name: `${name}-again-${talk.restarts}`,
      era: opened.era,
      version: opened.era === 'session' ? opened.version : null,
      startTimeoutMs: this.#options.startTimeoutMs,
      onHeard: (heard) => this.#hear(name, heard),
    });
    if (opening.kind === 'not-open') return false;
    talk.conversation = opening.conversation;
    talk.nextId = Math.max(talk.nextId, opening.nextId);
    return true;
  }

  #written(
    talk: Talk,
    { sends }: PlannedMessage,
  ): { readonly bytes: Uint8Array; readonly message: JsonObject | null; readonly awaited: Json } {
    if (sends.kind === 'raw') return { bytes: bytesOf(sends.body), message: null, awaited: null };
    if (sends.kind !== 'message') return { bytes: new Uint8Array(), message: null, awaited: null };
    const message = completeMessage(sends.message, talk.nextId, talk.opened, this.#options.client);
    talk.nextId += 1;
    const id = ownProperty(message, 'id') ?? null;
    const isRequest =
      typeof ownProperty(message, 'method') === 'string' && !isJsonObject(id) && !Array.isArray(id);
    return { bytes: Buffer.from(stringifyExactly(message)), message, awaited: isRequest ? id : null };
  }

  async #close(talk: Talk, { key }: PlannedMessage): Promise<Exchange> {
    const exchange = await talk.conversation.endInput(key, ENDING_MS);
    this.#talks.delete(talk.name);
    this.#ended.push(await talk.conversation.close());
    return exchange;
  }

  /** A client without capabilities answers ping, and refuses everything else. */
  #hear(name: string, { bytes }: Heard): void {
    const talk = this.#talks.get(name);
    if (talk === undefined) return;
    for (const { message } of messagesInLine(bufferFrom(bytes)))
      if (message.kind === 'request') reply(talk, message);
  }
}

function reply({ conversation }: Talk, { id, method }: Extract<Message, { kind: 'request' }>): void {
  const answer: JsonObject =
    method === 'ping'
      ? { jsonrpc: '2.0', id, result: {} }
      : {
          jsonrpc: '2.0',
          id,
          error: {
            code: -32_601,
            message: `method not found: ${method} (this client declared no capabilities)`,
          },
        };
  void conversation.send({
    key: 'reply',
    bytes: Buffer.from(stringifyExactly(answer)),
    message: answer,
    awaited: null,
    timeoutMs: AFTER_NOTIFICATION_MS,
  });
}

/** With 404, a server says that it ended the session, and a client opens a new one (transports, session management). */
function isSessionOver(exchange: Exchange, { conversation, headers }: PlannedMessage): boolean {
  if (exchange.kind !== 'answered' || exchange.response.status !== 404) return false;
  // What is sent in an unknown or an ended session is to be refused.
  if (conversation !== MAIN_CONVERSATION || headers.some(([name]) => name === SESSION_ID)) return false;
  return headerValue(exchange.request.headers, SESSION_ID) !== undefined;
}

function waitMsOf({ sends }: PlannedMessage): number {
  return sends.kind === 'raw' ? AFTER_RAW_MS : AFTER_NOTIFICATION_MS;
}

/**
 * What ends the reading of a process. An answer to nothing that was asked counts as the answer of the only request that
 * waits: nobody need wait for a better one, and its id is judged.
 */
function isAnswerIn(
  talk: Talk,
  { sends }: PlannedMessage,
  awaited: Json,
): ((line: Uint8Array) => boolean) | undefined {
  if (sends.kind === 'raw')
    return (line) => messagesInLine(line).some(({ message }) => isErrorWithoutId(message));
  if (awaited === null) return undefined;
  return (line) =>
    messagesInLine(line).some(
      ({ message }) =>
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

const NOT_OPEN: TransportFailure = {
  code: 'no-session',
  fault: 'harness',
  message: 'the conversation was not opened',
};

function notRunning({ conversation }: Talk): TransportFailure {
  const ended = conversation.ended();
  return {
    code: 'not-running',
    fault: 'server',
    message: `the server had ended before: ${ended?.reason ?? 'it could not be started again'}`,
  };
}

function withKey(exchange: Exchange, key: string): Exchange {
  const { request } = exchange;
  return { ...exchange, request: { ...request, key } } as Exchange;
}

function unsent(
  key: string,
  conversation: string,
  reason: TransportFailure,
  atMs: number,
): UnansweredExchange {
  return {
    kind: 'unanswered',
    request: { key, message: { conversation, awaited: null }, line: { text: '' }, atMs: 0 },
    reason,
    timing: { startedAtMs: atMs, connectMs: null, firstByteMs: null, durationMs: 0 },
  };
}

function answeredOrNot(exchange: Exchange, opening: Opening, startTimeoutMs: number): Exchange {
  if (exchange.kind === 'unanswered' && exchange.reason.code === 'timeout')
    return { ...exchange, reason: lateStart(exchange.reason) };
  if (exchange.kind !== 'heard' || exchange.request.message.awaited === null) return exchange;
  const words = opening.kind === 'open' ? 'it ended' : opening.message;
  const judged = unansweredUnless(exchange, words, startTimeoutMs);
  if (judged.kind !== 'unanswered') return judged;
  const { reason } = judged;
  const message = words.replaceAll('\n', ' ');
  const failure = opening.kind === 'not-open' ? opening.failure : null;
  if (failure === 'silent') return { ...judged, reason: { ...reason, message } };
  if (reason.code === 'timeout') return { ...judged, reason: lateStart(reason) };
  return failure === 'ended' ? { ...judged, reason: { ...reason, code: 'no-session', message } } : judged;
}

function lateStart(reason: TransportFailure): TransportFailure {
  return { ...reason, message: `${reason.message} of its start: give it longer with --start-timeout` };
}

/**
 * A process that ends takes every request with it that is under way. The one that was sent first is the likeliest cause:
 * those before it were answered.
 */
function endedDuring(exchange: HeardExchange, conversation: OpenConversation, isFirst: boolean): Exchange {
  const how = conversation.ended()?.reason ?? 'it closed its standard output';
  const lost = unansweredUnless(exchange, how, 0);
  if (lost.kind !== 'unanswered' || isFirst) return lost;
  const message = `${lost.reason.message}. A request that was sent before it, and that it had not answered either, is the likelier cause`;
  return { ...lost, reason: { ...lost.reason, code: 'ended-beside', message } };
}

function unansweredUnless(exchange: HeardExchange, how: string, timeoutMs: number): Exchange {
  if (exchange.end === 'answered') return exchange;
  const { request, heard, timing } = exchange;
  return { kind: 'unanswered', request, reason: reasonOf(exchange.end, how, timeoutMs), heard, timing };
}

/** A stream of events that was closed at the time-out without an answer is none, although its head came. */
function unansweredIfLate(exchange: AnsweredExchange, timeoutMs: number): Exchange {
  const { request, response, stream, timing } = exchange;
  const isLate = stream?.closedBy === 'probe' && stream.answeredAtMs === null;
  if (!isLate || (request.message?.awaited ?? null) === null) return exchange;
  const heard = messagesInBody(response.headers, bufferFrom(response.body)).map(
    ({ bytes }): Heard => ({
      bytes: bytesFrom(bytes),
      omittedBytes: 0,
      atMs: timing.durationMs,
      repeatedSecrets: [],
    }),
  );
  return { kind: 'unanswered', request, reason: reasonOf('silent', '', timeoutMs), heard, timing };
}

function reasonOf(
  end: Exclude<HeardExchange['end'], 'answered'>,
  how: string,
  timeoutMs: number,
): TransportFailure {
  const seconds = Math.round(timeoutMs) / 1000;
  switch (end) {
    case 'silent':
      return { code: 'timeout', fault: 'server', message: `no answer within ${seconds} s` };
    case 'not-read':
      return { code: 'timeout', fault: 'server', message: `the message was not read within ${seconds} s` };
    case 'closed':
      return {
        code: 'closed-early',
        fault: 'server',
        message: `the server ended before it answered: ${how}`,
      };
    case 'interrupted':
      return interrupted;
    default:
      return end satisfies never;
  }
}
