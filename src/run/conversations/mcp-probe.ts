import pLimit from 'p-limit';
import {
  type Exchange,
  type Heard,
  headerValue,
  isAnswer,
  type TransportFailure,
} from '../../model/exchange.ts';
import { openingKey } from '../../model/exchange-key.ts';
import {
  ENDING_MS,
  type OpeningExchanges,
  type PlannedMessage,
  type PlannedOpening,
  type PlannedRequest,
  type Probe,
} from '../../model/probe.ts';
import { unsentExchange } from '../../model/sent.ts';
import { BARE_CONVERSATION, type Conversation, type Era, MAIN_CONVERSATION } from '../../model/wire.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { ANSWERING, MAY_ASK } from '../../wires/mcp/client-answers.ts';
import { SESSION_ID } from '../../wires/mcp/http-headers.ts';
import { type ClientInfo, eraOf, openedBy } from '../../wires/mcp/opening.ts';
import type { OpenConversation, Opening, OpeningSettings } from './opened.ts';
import { Replies, type ReplyOptions } from './replies.ts';
import { isAnswerIn, newTalk, type Talk, waitMsOf, writtenIn } from './talk.ts';
import {
  answeredOrNot,
  endedDuring,
  NOT_OPEN,
  notRunning,
  unansweredIfLate,
  unansweredUnless,
  withKey,
} from './unanswered.ts';

export type OpenTarget = (
  settings: Pick<OpeningSettings, 'era' | 'version' | 'startTimeoutMs' | 'onHeard' | 'client'> & {
    readonly name: string;
  },
) => Promise<Opening>;

export interface McpProbeOptions extends ReplyOptions {
  readonly openTarget: OpenTarget;
  readonly era: Era | 'auto';
  readonly client: ClientInfo;
  readonly startTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
}

/** A server that ends again and again is not started for every call. */
const MAX_RESTARTS = 6;

/**
 * Sends the messages of a run. Each conversation is a process or a separate session, opened by name. A conversation
 * whose process ended is opened again for the next message, so that one crash does not hide what else a server does; the
 * message that was lost keeps its failure, and the end is in the log. What the server asks for is answered as configured.
 */
export class McpProbe implements Probe {
  readonly #options: McpProbeOptions;
  readonly #talks = new Map<string, Talk>();
  readonly #ended: { readonly conversation: OpenConversation; readonly closed: Promise<Conversation> }[] = [];
  readonly #replies: Replies;

  constructor(options: McpProbeOptions) {
    this.#options = options;
    this.#replies = new Replies(options);
  }

  async open({
    key,
    conversation: name,
    version,
    isBare = false,
  }: PlannedOpening): Promise<OpeningExchanges> {
    const { client: self, answers } = this.#options;
    const client = isBare || answers === null ? self : { ...self, capabilities: ANSWERING };
    const opening = await this.#start({ name, client }, this.#eraFor(version), version);
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
    if (opening.kind === 'open' && opened !== null) {
      const talk = newTalk(name, client, opening, opened);
      this.#talks.set(name, talk);
      this.#replies.hearEarly(talk);
    } else if (opening.kind === 'open') await this.#end(opening.conversation);
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
    const { client, era } = this.#options;
    const opening = await this.#start({ name: `${name}-beside`, client }, era, null);
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
    const { bytes, message, awaited } = writtenIn(talk, planned);
    const isRequest = awaited !== null;
    talk.mayLackId ||= !isRequest;
    if (isRequest) {
      talk.waiting.add(awaited);
      talk.asked.add(awaited);
      talk.replies.set(planned.key, { mayAsk: MAY_ASK.has(message?.method), replies: [] });
    }
    const used = talk.conversation;
    const sent = await used.send({
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
    const { replies = [] } = talk.replies.get(planned.key) ?? {};
    talk.replies.delete(planned.key);
    const exchange = replies.length === 0 ? sent : { ...sent, replies };
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

  async close(onLogs?: (logs: readonly Conversation[]) => void): Promise<readonly Conversation[]> {
    for (const { conversation } of this.#talks.values()) void this.#end(conversation);
    this.#talks.clear();
    onLogs?.(this.#ended.map(({ conversation }) => conversation.log()));
    return Promise.all(this.#ended.map(({ closed }) => closed));
  }

  /** Waits for the end, unless the run is interrupted: a process may take longer to end than the run then has. */
  async #end(conversation: OpenConversation): Promise<void> {
    const closed = conversation.close();
    this.#ended.push({ conversation, closed });
    const over = new AbortController();
    const { signal } = this.#options;
    const interrupted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { signal: over.signal });
    });
    await Promise.race([closed, interrupted]);
    over.abort();
  }

  #eraFor(version: string | null): Era | 'auto' {
    if (version === null) return this.#options.era;
    return eraOf(version) ?? this.#talks.get(MAIN_CONVERSATION)?.opened.era ?? 'session';
  }

  /** `talkName`: the conversation that it belongs to. */
  #start(
    { name, client }: Pick<Talk, 'name' | 'client'>,
    era: Era | 'auto',
    version: string | null,
    talkName = name,
  ): Promise<Opening> {
    const { openTarget, startTimeoutMs } = this.#options;
    const onHeard = (heard: Heard, key: string | null): void =>
      this.#replies.hear(talkName, this.#talks.get(talkName), { heard, key });
    return openTarget({ name, client, era, version, startTimeoutMs, onHeard });
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
    await this.#end(talk.conversation);
    const { name, client, opened } = talk;
    const version = opened.era === 'session' ? opened.version : null;
    const again = { name: `${name}-again-${talk.restarts}`, client };
    const opening = await this.#start(again, opened.era, version, name);
    if (opening.kind === 'not-open') return false;
    talk.conversation = opening.conversation;
    talk.nextId = Math.max(talk.nextId, opening.nextId);
    talk.reopening = null;
    this.#replies.hearEarly(talk);
    return true;
  }

  async #close(talk: Talk, { key, timeoutMs }: PlannedMessage): Promise<Exchange> {
    const waitMs = Math.min(ENDING_MS, timeoutMs);
    const exchange = await talk.conversation.endInput(key, waitMs);
    this.#talks.delete(talk.name);
    // One that does not end with its input takes seconds to be stopped.
    void this.#end(talk.conversation);
    // Less time says nothing of the server.
    return exchange.kind === 'heard' && exchange.end === 'silent' && waitMs < ENDING_MS
      ? unansweredUnless(exchange, '', waitMs)
      : exchange;
  }
}

/** With 404, a server says that it ended the session, and a client opens a new one (transports, session management). */
function isSessionOver(exchange: Exchange, { conversation, headers }: PlannedMessage): boolean {
  if (exchange.kind !== 'answered' || exchange.response.status !== 404) return false;
  // What is sent in an unknown or an ended session is to be refused.
  const mayEnd = [MAIN_CONVERSATION, BARE_CONVERSATION].includes(conversation);
  if (!mayEnd || headers.some(([name]) => name === SESSION_ID)) return false;
  return headerValue(exchange.request.headers, SESSION_ID) !== undefined;
}
