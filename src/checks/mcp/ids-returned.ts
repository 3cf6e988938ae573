import type { Answer, Exchange } from '../../model/exchange.ts';
import { type Json, ownProperty, sameJson, showJson } from '../../model/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import type { ReadMessage } from '../../wires/mcp/messages.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { type Received, receivedIn } from './received.ts';

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

function idIn({ read: { message } }: Received): Json | undefined {
  return 'id' in message ? message.id : undefined;
}

/** The ids of a run that are still to be answered, by conversation. */
class Ledger {
  readonly #asked = new Map<string, Json[]>();
  readonly #answered = new Map<string, Json[]>();
  /** Conversations in which bytes were sent that have no id. */
  readonly #unreadable = new Set<string>();

  constructor(exchanges: readonly Exchange[]) {
    for (const { request } of exchanges) {
      const { message } = request;
      if (message === undefined) continue;
      if (message.awaited === null) this.#unreadable.add(message.conversation);
      else listOf(this.#asked, message.conversation).push(message.awaited);
    }
  }

  judge(one: Received): Finding {
    const id = idIn(one) ?? null;
    const { exchange, conversation } = one;
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
    return failed({
      message: isAgain
        ? 'a request was answered twice'
        : wasAsked
          ? 'a request was answered with the id of another one'
          : 'an answer has an id that no request had',
      expected: expectedWords(awaited, exchange),
      received: `the id ${showJson(id)}`,
      pointer: `${one.read.pointer}/id`,
      ...(exchange === null ? {} : { exchangeKey: exchange.request.key }),
    });
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

function expectedWords(awaited: Json, exchange: Answer | null): string {
  if (exchange !== null && awaited === null) return 'no answer to a notification';
  return awaited === null ? 'one answer for each request, with its id' : `the id ${showJson(awaited)}`;
}

function listOf(map: Map<string, Json[]>, name: string): Json[] {
  const list = map.get(name) ?? [];
  map.set(name, list);
  return list;
}
