import { type Json, ownProperty, ownText, sameJson } from '../../json/json.ts';
import type { HeardExchange } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import type { Conversation } from '../../model/wire.ts';
import { type Asked, defineCheck, judgeEach } from '../define-check.ts';
import { conversationOf, messagesSentIn, type Received, receivedIn, shownBytes } from './received.ts';

interface Cancelled {
  readonly id: Json;
  readonly exchange: HeardExchange;
  /** When a message that was written after the cancellation was answered, since the conversation was opened. */
  readonly readAtMs: number;
}

function cancelledBy(exchange: HeardExchange): readonly Cancelled[] {
  if (exchange.end !== 'answered') return [];
  const sent = messagesSentIn(exchange);
  return sent.flatMap((message) => {
    const id = ownProperty(ownProperty(message, 'params'), 'requestId');
    const isOwn = sent.some((one) => sameJson(ownProperty(one, 'id') ?? null, id ?? null));
    if (ownProperty(message, 'method') !== 'notifications/cancelled' || id === undefined || !isOwn) return [];
    return [{ id, exchange, readAtMs: exchange.request.atMs + exchange.timing.durationMs }];
  });
}

/** When a message came at the earliest: one that was heard while another message waited came after that was sent. */
function earliestMs({ atMs, exchange }: Received): number {
  return atMs ?? (exchange?.kind === 'heard' ? exchange.request.atMs : 0);
}

/** Whether the conversation went on for twice the time that the tool took before: an answer would have come. */
function wasHeardLong(
  { exchange, readAtMs }: Cancelled,
  asked: readonly Asked[],
  conversations: readonly Conversation[],
): boolean {
  const [call] = messagesSentIn(exchange);
  const tool = ownText(ownProperty(call, 'params'), 'name');
  const before = asked.find((one) => one.call?.functionName === tool && one.exchange.kind === 'heard');
  const { ended } = conversations.find(({ name }) => name === conversationOf(exchange)) ?? { ended: null };
  const usualMs = before?.exchange.timing.durationMs ?? 0;
  return ended === null || ended.atMs > readAtMs + 2 * usualMs;
}

export const cancelledUnanswered = defineCheck(
  'step',
  'cancelled-unanswered',
  'a call that was cancelled is not answered once a message after the cancellation was',
  ({ asked, conversations }) => {
    const cancelled = asked.flatMap(({ exchange }) =>
      exchange.kind === 'heard' ? cancelledBy(exchange) : [],
    );
    const answers = receivedIn(asked, conversations);
    const judged = cancelled.flatMap((one) => {
      const answer = answers.find(
        ({ read: { message }, conversation }) =>
          (message.kind === 'result' || message.kind === 'error') &&
          conversation === conversationOf(one.exchange) &&
          sameJson(message.id ?? null, one.id),
      );
      // It was done before the server read that it should not do it.
      if (answer !== undefined && earliestMs(answer) <= one.readAtMs) return [];
      if (answer === undefined && !wasHeardLong(one, asked, conversations)) return [];
      return [{ ...one, answer }];
    });
    if (judged.length === 0)
      return inapplicable(
        'every call was answered before it could be cancelled, or the run ended too early to tell',
      );
    return judgeEach(judged, ({ answer, exchange }) =>
      answer === undefined
        ? passed
        : failed({
            message: 'a call that was cancelled is answered all the same',
            expected: 'no message for the call after notifications/cancelled',
            received: shownBytes(answer.read),
            exchangeKey: exchange.request.key,
          }),
    );
  },
);
