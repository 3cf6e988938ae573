import pLimit from 'p-limit';
import {
  type Exchange,
  type Heard,
  headerValue,
  isAnswer,
  type TransportFailure,
} from '../../model/exchange.ts';
import { openingKey } from '../../model/exchange-key.ts';
import type {
  OpeningExchanges,
  PlannedMessage,
  PlannedOpening,
  PlannedRequest,
  Probe,
} from '../../model/probe.ts';
import { bufferFrom, unsentExchange } from '../../model/sent.ts';
import { type Conversation, type Era, MAIN_CONVERSATION } from '../../model/wire.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { SESSION_ID } from '../../wires/mcp/http-headers.ts';
import { messagesInLine } from '../../wires/mcp/messages.ts';
import { type ClientInfo, eraOf, openedBy } from '../../wires/mcp/opening.ts';
import type { OpenConversation, Opening, OpeningSettings } from './opened.ts';
import { isAnswerIn, reply, type Talk, waitMsOf, writtenIn } from './talk.ts';
import {
  answeredOrNot,
  endedDuring,
  NOT_OPEN,
  notRunning,
  unansweredIfLate,
  unansweredUnless,
} from './unanswered.ts';

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

/** For a process to end after its input was closed. */
const ENDING_MS = 5000;
/** A server that ends again and again is not started for every call. */
const MAX_RESTARTS = 6;

/**
 * Sends the messages of a run. Each conversation is a process or a separate session, opened by name. A conversation
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
    const opening = await this.#start(name, this.#eraFor(version), version);
    const exchanges = opening.exchanges.map((one) =>
      answeredOrNot(one, opening, this.#options.startTimeoutMs),
    );
    const questions = exchanges.filter(({ request }) => (request.message?.awaited ?? null) !== null);
    // The question in the other era was given up when the answer to this one came.
    const isGivenUp = (one: Exchange): boolean =>
      one.kind === 'unanswered' && one.reason.code === 'interrupted';
    const answering = questions.findLast((one) => !isGivenUp(one)) ?? questions.at(-1);
    const others = exchanges
      .filter((one) => one !== answering)
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
        alone: null,
        asked: new Set(),
        // The notification that opened it.
        mayLackId: true,
        restarts: 0,
        reopening: null,
      });
    else if (opening.kind === 'open') this.#ended.push(await opening.conversation.close());
    const isOld = opening.kind === 'not-open' && opening.failure === 'old-transport';
    if (answering === undefined || isOld) {
      const words = opening.kind === 'open' ? 'the server opened no conversation' : opening.message;
      const reason: TransportFailure = {
        code: isOld ? 'old-transport' : 'no-session',
        fault: 'server',
        message: words,
      };
      const deciding = unsentExchange({ key, conversation: name }, reason, this.#options.nowMs());
      return { deciding, others, opened: null };
    }
    const deciding = withKey(answering, key);
    const hasEnded = opening.kind === 'not-open' && opening.failure === 'ended';
    if (deciding.kind !== 'unanswered' || !hasEnded || (await this.#canStartBeside(name)))
      return { deciding, others, opened };
    const message = `${deciding.reason.message}; no second process of the server starts beside the first one`;
    return {
      deciding: { ...deciding, reason: { ...deciding.reason, fault: 'harness', message } },
      others,
      opened,
    };
  }

  /** Whether the server runs twice: some hold a file or a port that only one process can have. */
  async #canStartBeside(name: string): Promise<boolean> {
    if (name === MAIN_CONVERSATION || !this.#talks.has(MAIN_CONVERSATION)) return true;
    const opening = await this.#start(`${name}-beside`, this.#options.era, null);
    if (opening.kind === 'open') await opening.conversation.close();
    return opening.kind === 'open';
  }

  async send(planned: PlannedRequest): Promise<Exchange> {
    if (!('conversation' in planned)) throw new TypeError(`${planned.key} is not a message`);
    const talk = this.#talks.get(planned.conversation);
    if (talk === undefined) return unsentExchange(planned, NOT_OPEN, this.#options.nowMs());
    return talk.alone === null ? this.#sendIn(talk, planned) : talk.alone(() => this.#sendIn(talk, planned));
  }

  async #sendIn(talk: Talk, planned: PlannedMessage): Promise<Exchange> {
    const { nowMs } = this.#options;
    if (talk.conversation.ended() !== null && !(await this.#reopen(talk, talk.conversation)))
      return unsentExchange(planned, notRunning(talk.conversation), nowMs());
    if (planned.sends.kind === 'close') return this.#close(talk, planned);
    const { bytes, message, awaited } = writtenIn(talk, planned, this.#options.client);
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
      until: planned.sends.kind === 'message' ? planned.sends.until : undefined,
      method: planned.sends.kind === 'http' ? planned.sends.method : undefined,
      headers: planned.headers,
      anonymous: planned.anonymous,
      token: planned.token,
      keepsConnection: planned.keepsConnection,
      timeoutMs: isRequest || talk.opened.channel === 'http' ? planned.timeoutMs : waitMsOf(planned),
    });
    const isAlone = talk.waiting.size < 2 && talk.lostBy !== used;
    talk.waiting.delete(awaited);
    if (isSessionOver(exchange, planned) && (await this.#reopen(talk, used)))
      return this.#sendIn(talk, planned);
    if (isRequest && isAnswer(exchange) && answeringMessage(exchange) !== undefined) talk.mayLackId = false;
    if (exchange.kind === 'heard' && isRequest && exchange.end === 'closed') {
      if (!isAlone) {
        talk.lostBy = used;
        talk.alone ??= pLimit(1);
      }
      return endedDuring(exchange, used, isAlone);
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

  #eraFor(version: string | null): Era | 'auto' {
    if (version === null) return this.#options.era;
    return eraOf(version) ?? this.#talks.get(MAIN_CONVERSATION)?.opened.era ?? 'session';
  }

  /** `talkName`: the conversation that it belongs to. */
  #start(name: string, era: Era | 'auto', version: string | null, talkName = name): Promise<Opening> {
    const { openTarget, startTimeoutMs } = this.#options;
    const onHeard = (heard: Heard): void => this.#hear(talkName, heard);
    return openTarget({ name, era, version, startTimeoutMs, onHeard });
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
    const version = opened.era === 'session' ? opened.version : null;
    const opening = await this.#start(`${name}-again-${talk.restarts}`, opened.era, version, name);
    if (opening.kind === 'not-open') return false;
    talk.conversation = opening.conversation;
    talk.nextId = Math.max(talk.nextId, opening.nextId);
    return true;
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

/** With 404, a server says that it ended the session, and a client opens a new one (transports, session management). */
function isSessionOver(exchange: Exchange, { conversation, headers }: PlannedMessage): boolean {
  if (exchange.kind !== 'answered' || exchange.response.status !== 404) return false;
  // What is sent in an unknown or an ended session is to be refused.
  if (conversation !== MAIN_CONVERSATION || headers.some(([name]) => name === SESSION_ID)) return false;
  return headerValue(exchange.request.headers, SESSION_ID) !== undefined;
}

function withKey(exchange: Exchange, key: string): Exchange {
  const { request } = exchange;
  return { ...exchange, request: { ...request, key } } as Exchange;
}
