import { canonicalJson, ownProperty } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { bufferFrom } from '../../model/sent.ts';
import type { Conversation } from '../../model/wire.ts';
import { messagesInLine, type ReadMessage } from '../../wires/mcp/messages.ts';
import { type Asked, defineCheck } from '../define-check.ts';
import { conversationOf, receivedIn } from './received.ts';

export const loggingAnnounced = defineCheck(
  'step',
  'logging-announced',
  'a server that sends log messages has the capability logging',
  ({ asked, conversations, opened }) => {
    const found = receivedIn(asked, conversations).find(({ read }) => isLog(read));
    if (opened === null || found === undefined) return inapplicable('the server sends no log messages');
    if (ownProperty(opened.capabilities, 'logging') !== undefined) return passed;
    return failed({
      message: 'the server sends log messages, but not the capability logging when a conversation is opened',
      expected: 'logging in capabilities',
      received: canonicalJson(opened.capabilities),
      exchangeKey: found.exchange?.request.key ?? keyBeforeLog(asked, conversations),
      isUnasked: true,
    });
  },
  { breaksAlone: true },
);

function isLog({ message }: ReadMessage): boolean {
  return message.kind === 'notification' && message.method === 'notifications/message';
}

/** What was written to the process last before its first log message: probably the cause. */
function keyBeforeLog(asked: readonly Asked[], conversations: readonly Conversation[]): string | undefined {
  for (const { name, unasked } of conversations) {
    const log = unasked.find(({ bytes }) => messagesInLine(bufferFrom(bytes)).some(isLog));
    if (log === undefined) continue;
    const before = asked
      .map(({ exchange }) => exchange)
      .filter((exchange) => exchange.kind === 'heard' && conversationOf(exchange) === name)
      .flatMap(({ request }) => ('atMs' in request && request.atMs <= log.atMs ? [request] : []));
    return before.toSorted((one, other) => one.atMs - other.atMs).at(-1)?.key;
  }
  return undefined;
}
