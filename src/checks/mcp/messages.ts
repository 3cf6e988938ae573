import { type Json, ownProperty, sameJson, shorten, showJson } from '../../json/json.ts';
import { type Answer, type Exchange, isAnswer, isEventStream, isSuccess } from '../../model/exchange.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { sentJson } from '../../model/sent.ts';
import { messagesOf } from '../../wires/mcp/answer.ts';
import type { ReadMessage } from '../../wires/mcp/messages.ts';
import { defineCheck, judgeEach, judgeFirst } from '../define-check.ts';
import { messagesSentIn, type Received, receivedIn, shownBytes } from './received.ts';

/** Only this revision had batches. */
const WITH_BATCHES = '2025-03-26';

export const onlyMessages = defineCheck(
  'step',
  'only-messages',
  'the server writes nothing but messages where messages belong, each on its own',
  ({ asked, conversations, opened }) => {
    const all = receivedIn(asked, conversations).filter(({ exchange }) => belongsToMessages(exchange));
    const problemIn = (one: Received): string | null => problemOf(one, opened?.version ?? null);
    return judgeFirst(
      all,
      'the server sent nothing',
      (one) => problemIn(one) !== null,
      (wrong) => ({
        message: `${wrong.exchange?.kind === 'answered' ? 'an answer has a body or an event' : 'standard output has a line'} that is not one message: ${problemIn(wrong)}`,
        expected: 'one message of JSON-RPC for each line, event or body',
        received: shownBytes(wrong.read),
        exchangeKey: isOfRequest(wrong) ? wrong.exchange?.request.key : undefined,
        advice: wrong.read.pointer === '' ? undefined : APART,
      }),
    );
  },
  { breaksAlone: true },
);

const APART =
  'Send each message of the list on its own: a line, an event or a body for each. Only revision 2025-03-26 has lists of messages.';

/** What a process writes while it has nothing to answer may come of a call that is under way. */
function isOfRequest({ exchange }: Received): boolean {
  return exchange?.kind !== 'heard' || exchange.request.message.awaited !== null;
}

/** Over HTTP, a request is answered with messages, and a refusal, or the answer to anything else, may be a text. */
function belongsToMessages(exchange: Answer | null): boolean {
  if (exchange === null || exchange.kind === 'heard') return true;
  const { request, response } = exchange;
  const isAnswered = (request.message?.awaited ?? null) !== null && isSuccess(response.status);
  return isAnswered || isEventStream(response.headers);
}

function problemOf({ read }: Received, version: string | null): string | null {
  const { message, pointer, problem } = read;
  // Nothing is decided on what is larger than the harness reads.
  if (problem?.serversFault === false) return null;
  if (message.kind === 'noise') return message.problem;
  if (message.kind === 'not-json-rpc' && message.problem.endsWith('holds no object')) return message.problem;
  return pointer !== '' && version !== WITH_BATCHES ? 'it holds several messages in a list' : null;
}

export const messageText = defineCheck(
  'step',
  'message-text',
  'every message is UTF-8 without a byte order mark, and no object in it has a key twice',
  ({ asked, conversations }) => {
    const messages = receivedIn(asked, conversations).filter(({ read }) => read.message.kind !== 'noise');
    return judgeFirst(
      messages,
      'the server sent no message',
      ({ read }) => read.problem?.serversFault === true,
      ({ read, exchange }) => ({
        message: `the text of a message is wrong: ${read.problem?.message}`,
        expected: 'JSON in UTF-8, each key once',
        received: `${read.problem?.received}: ${shownBytes(read)}`,
        pointer: read.problem?.pointer,
        exchangeKey: exchange?.request.key,
      }),
    );
  },
  { breaksAlone: true },
);

export const malformedCode = defineCheck(
  'exchange',
  'malformed-code',
  'what is no message, if it is answered with an error of JSON-RPC, gets this code',
  ({ exchange, options }) => {
    const errors = isAnswer(exchange)
      ? messagesOf(exchange).filter(({ message }) => message.kind === 'error')
      : [];
    return judgeFirst(
      errors,
      'it was not answered with an error of JSON-RPC',
      ({ message }) => message.kind === 'error' && message.code !== options.code,
      ({ bytes }) => ({
        message: `${options.what} is answered with another error than ${options.code}`,
        expected: `the error ${options.code}`,
        received: shorten(Buffer.from(bytes).toString()),
        pointer: '/error/code',
      }),
    );
  },
  {
    options: {
      what: { doc: 'What was sent, for the report.', required: true },
      code: { doc: 'The code that the error should have.', required: true },
    },
  },
);

export const idsReturned = defineCheck(
  'step',
  'ids-returned',
  'every answer has the id of its request, each request has one answer, and a notification none',
  ({ asked, exchanges, conversations }) => {
    const answers = receivedIn(asked, conversations).filter(({ read }) => isResponse(read));
    if (answers.length === 0) return inapplicable('the server sent no answer');
    const ledger = new Ledger(exchanges);
    return judgeEach(answers, (one) => ledger.judge(one));
  },
);

/** Also one that is wrong in other ways: it may have the wrong id all the same. */
function isResponse({ message, value }: ReadMessage): boolean {
  if (message.kind !== 'not-json-rpc') return message.kind === 'result' || message.kind === 'error';
  return ownProperty(value, 'result') !== undefined || isRefusal(value);
}

function isRefusal(value: Json | undefined): boolean {
  return ownProperty(value, 'error') !== undefined;
}

/** The ids of a run that are still to be answered, by conversation. */
class Ledger {
  readonly #exchanges: readonly Exchange[];
  readonly #asked = new Map<string, Json[]>();
  readonly #answered = new Map<string, Json[]>();
  /** Conversations in which bytes were sent that are no message. */
  readonly #unreadable = new Set<string>();

  constructor(exchanges: readonly Exchange[]) {
    this.#exchanges = exchanges;
    for (const exchange of exchanges) {
      const { message } = exchange.request;
      if (message === undefined) continue;
      const asked = listOf(this.#asked, message.conversation);
      if (message.awaited !== null) {
        const before = exchange.kind === 'heard' ? messagesSentIn(exchange).slice(0, -1) : [];
        asked.push(...before.flatMap((one) => ownProperty(one, 'id') ?? []), message.awaited);
        continue;
      }
      // JSON may be read far enough to find an id in it.
      const sent = sentJson(exchange.request) ?? null;
      asked.push(...[sent].flat().flatMap((one) => ownProperty(one, 'id') ?? []));
      if (!isNotification(sent)) this.#unreadable.add(message.conversation);
    }
  }

  judge(one: Received): Finding {
    const { exchange, conversation, read } = one;
    const id = ('id' in read.message ? read.message.id : null) ?? null;
    if (id === null && this.#mayLackId(one, conversation)) return passed;
    const asked = listOf(this.#asked, conversation);
    const answered = listOf(this.#answered, conversation);
    const wasAsked = asked.some((known) => sameJson(known, id));
    const isAgain = answered.some((known) => sameJson(known, id));
    const awaited = exchange?.request.message?.awaited ?? null;
    const isForOther = exchange?.kind === 'answered' && awaited !== null && !sameJson(awaited, id);
    if (wasAsked && !isAgain && !isForOther) {
      answered.push(id);
      return passed;
    }
    const isTwice = isAgain && !isForOther;
    return failed({
      message: isTwice
        ? 'a request was answered twice'
        : wasAsked
          ? 'a request was answered with the id of another one'
          : 'an answer has an id that no request had',
      expected: expectedWords(isTwice ? null : awaited, isTwice ? null : exchange),
      received: `the id ${showJson(id)}`,
      pointer: `${read.pointer}/id`,
      exchangeKey: exchange?.request.key ?? this.#keyOf(conversation, id),
      isUnasked: exchange === null,
      advice: isTwice ? ONCE : undefined,
    });
  }

  /** Of the request with this id. */
  #keyOf(conversation: string, id: Json): string | undefined {
    const isAsked = ({ request: { message } }: Exchange): boolean =>
      message?.conversation === conversation && message.awaited !== null && sameJson(message.awaited, id);
    return this.#exchanges.find(isAsked)?.request.key;
  }

  /** What is no message has no id that an error could return; HTTP may refuse a request before it is read. */
  #mayLackId({ read, exchange }: Received, conversation: string): boolean {
    if (!isRefusal(read.value)) return false;
    if (exchange?.kind === 'answered' && exchange.response.status >= 400) return true;
    return (
      this.#unreadable.has(conversation) && (exchange === null || exchange.request.message?.awaited === null)
    );
  }
}

const ONCE =
  'Send one answer for each request: look for a handler that writes its answer and also returns it, and for a listener that is added twice.';

function expectedWords(awaited: Json, exchange: Answer | null): string {
  if (exchange !== null && awaited === null) return 'no answer to a notification';
  return awaited === null ? 'one answer for each request, with its id' : `the id ${showJson(awaited)}`;
}

function isNotification(sent: Json): boolean {
  return ownProperty(sent, 'jsonrpc') === '2.0' && typeof ownProperty(sent, 'method') === 'string';
}

function listOf(map: Map<string, Json[]>, name: string): Json[] {
  const list = map.get(name) ?? [];
  map.set(name, list);
  return list;
}
