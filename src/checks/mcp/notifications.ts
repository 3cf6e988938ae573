import { type Json, ownProperty, sameJson } from '../../json/json.ts';
import type { Exchange } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { sentJson } from '../../model/sent.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { isProgressToken } from '../../wires/mcp/opening.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import {
  conversationOf,
  methodOf,
  type Received,
  receivedIn,
  receivedWithoutSessions,
  shownBytes,
} from './received.ts';

// Notifications that servers send while they work on a request.

interface Notified extends Received {
  readonly params: Json | undefined;
}

function notificationsIn(all: readonly Received[], method: string): readonly Notified[] {
  return all.flatMap((one) => {
    const { message } = one.read;
    return message.kind === 'notification' && message.method === method
      ? [{ ...one, params: message.params }]
      : [];
  });
}

const tokenOf = (params: Json | undefined): Json | undefined => ownProperty(params, 'progressToken');

function askedToken({ request }: Exchange): Json | undefined {
  return tokenOf(ownProperty(ownProperty(sentJson(request), 'params'), '_meta'));
}

export const progress = defineCheck(
  'step',
  'progress',
  'every progress notification has the token of a request that was not answered yet, and its progress increases',
  ({ asked, exchanges, conversations }) => {
    const all = receivedIn(asked, conversations);
    const notified = notificationsIn(all, 'notifications/progress');
    if (notified.length === 0) return inapplicable('the server reports no progress');
    const asking = exchanges.filter((one) => askedToken(one) !== undefined);
    const last = new Map<string, number>();
    return judgeEach(notified, (one) => {
      const { params, read, exchange, conversation } = one;
      const token = tokenOf(params);
      const found = { received: shownBytes(read), pointer: '/params' };
      const own = asking.find(
        (request) =>
          conversationOf(request) === conversation && sameJson(askedToken(request) ?? null, token ?? null),
      );
      // Of a call that is not kept, because it was timed or was too large.
      if (own === undefined && isProgressToken(token)) return passed;
      if (own === undefined)
        return failed({
          message: 'a progress notification has a token that no request gave',
          expected: 'the progressToken of a request',
          ...found,
          exchangeKey: exchange?.request.key,
        });
      const place = { ...found, exchangeKey: own.request.key };
      if (isLate(one, own, all))
        return failed({
          message: 'progress is reported after the request was answered',
          expected: 'no progress after the answer',
          ...place,
        });
      const value = ownProperty(params, 'progress');
      // What came in between may be listed elsewhere.
      const series = JSON.stringify([own.request.key, exchange?.request.key ?? null]);
      const before = last.get(series);
      // What is no number is judged with the schema of the message.
      if (typeof value === 'number') last.set(series, value);
      if (typeof value !== 'number' || before === undefined || value > before) return passed;
      return failed({
        message: 'progress does not increase from one notification to the next',
        expected: `more than ${before}`,
        ...place,
      });
    });
  },
);

/** Whether it came after the answer to its request. */
function isLate({ exchange, read, atMs }: Received, own: Exchange, all: readonly Received[]): boolean {
  if (own.kind === 'unanswered') return false;
  const { startedAtMs, durationMs } = own.timing;
  if (exchange === null) return own.kind === 'heard' && atMs !== null && atMs > own.request.atMs + durationMs;
  if (exchange !== own) return exchange.timing.startedAtMs > startedAtMs + durationMs;
  const ofOwn = all.filter((one) => one.exchange === own).map((one) => one.read);
  const answer = answeringMessage(own);
  return answer !== undefined && ofOwn.indexOf(read) > ofOwn.indexOf(answer);
}

export const serverCancellations = defineCheck(
  'step',
  'server-cancellations',
  'the server cancels nothing but subscriptions',
  ({ asked, exchanges, conversations }) => {
    const subscriptions = exchanges.filter((one) => methodOf(one) === 'subscriptions/listen');
    const wrong = notificationsIn(
      receivedWithoutSessions(asked, conversations),
      'notifications/cancelled',
    ).find(
      ({ params, conversation }) =>
        !subscriptions.some(
          (one) =>
            conversationOf(one) === conversation &&
            sameJson(one.request.message?.awaited ?? null, ownProperty(params, 'requestId') ?? null),
        ),
    );
    if (wrong === undefined) return passed;
    return failed({
      message: 'the server sends notifications/cancelled for something else than a subscription',
      expected: 'the id of a request subscriptions/listen',
      received: shownBytes(wrong.read),
      pointer: '/params/requestId',
      exchangeKey: wrong.exchange?.request.key,
    });
  },
);
