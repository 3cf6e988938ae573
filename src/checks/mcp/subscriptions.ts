import { isJsonObject, type Json, ownProperty, sameJson, showJson } from '../../json/json.ts';
import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { sentJson } from '../../model/sent.ts';
import type { Opened } from '../../model/wire.ts';
import { messagesOf } from '../../wires/mcp/answer.ts';
import { defineCheck, judgeFirst } from '../define-check.ts';
import { conversationOf, methodOf, receivedWithoutSessions, shownBytes } from './received.ts';

// Subscriptions of revision 2026-07-28: a request that is acknowledged, and stays open for notifications of changes.

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** The member of a subscription that asks for a notification. */
const FILTERS: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
  ['notifications/resources/updated', 'resourceSubscriptions'],
]);

function offersChanges(opened: Opened | null): boolean {
  return ['tools', 'prompts', 'resources'].some((name) => {
    const offered = ownProperty(opened?.capabilities, name);
    return ownProperty(offered, 'listChanged') === true || ownProperty(offered, 'subscribe') === true;
  });
}

const subscriptionId = (params: Json | undefined): Json | undefined =>
  ownProperty(ownProperty(params, '_meta'), 'io.modelcontextprotocol/subscriptionId');

function filterOf(exchange: Exchange): Json | undefined {
  return ownProperty(ownProperty(sentJson(exchange.request), 'params'), 'notifications');
}

export const subscriptionAcknowledged = defineCheck(
  'exchange',
  'subscription-acknowledged',
  'a subscription is first acknowledged, with its id and with a part of what was asked for, if the server announces changes',
  ({ exchange, opened }) => {
    const messages = isAnswer(exchange) ? messagesOf(exchange) : [];
    const [first] = messages;
    const isAcknowledged = first?.message.kind === 'notification' && first.message.method === ACKNOWLEDGED;
    if (!isAcknowledged && !offersChanges(opened))
      return inapplicable('the server announces no changes, and need not know subscriptions');
    if (first === undefined || !isAcknowledged)
      return failed({
        message: 'the server announces changes, and does not acknowledge a subscription',
        expected: `${ACKNOWLEDGED} as the first message`,
        received: first === undefined ? 'no message' : shownBytes(first),
      });
    const params = 'params' in first.message ? first.message.params : undefined;
    const id = exchange.request.message?.awaited ?? null;
    if (!sameJson(subscriptionId(params) ?? null, id))
      return failed({
        message: 'the acknowledgement of a subscription does not have its id',
        expected: `_meta with io.modelcontextprotocol/subscriptionId ${JSON.stringify(id)}`,
        received: showJson(ownProperty(params, '_meta')),
        pointer: '/params/_meta',
      });
    const [agreed, wanted] = [ownProperty(params, 'notifications'), filterOf(exchange)];
    const names = isJsonObject(agreed) ? Object.keys(agreed).filter((name) => !isNothing(agreed[name])) : [];
    const more = names.find((name) => FILTER_NAMES.has(name) && ownProperty(wanted, name) === undefined);
    if (more === undefined) return passed;
    return failed({
      message: 'the acknowledgement of a subscription has notifications that nobody asked for',
      expected: `a part of ${JSON.stringify(wanted ?? null)}`,
      received: showJson(agreed),
      pointer: '/params/notifications',
    });
  },
);

/** False, and an empty list of addresses, agree to no notification. */
function isNothing(agreed: Json | undefined): boolean {
  return agreed === false || (Array.isArray(agreed) && agreed.length === 0);
}

const FILTER_NAMES: ReadonlySet<string> = new Set(FILTERS.values());

export const unrequestedNotifications = defineCheck(
  'step',
  'unrequested-notifications',
  'notifications of changes are sent only in a subscription that asks for them, with its id',
  ({ asked, exchanges, conversations }) => {
    const subscriptions = exchanges.filter((one) => methodOf(one) === 'subscriptions/listen');
    const changes = receivedWithoutSessions(asked, conversations).flatMap(
      ({ read, exchange, conversation }) => {
        const { message } = read;
        const filter = message.kind === 'notification' ? FILTERS.get(message.method) : undefined;
        if (message.kind !== 'notification' || filter === undefined) return [];
        const id = subscriptionId(message.params) ?? null;
        const own = subscriptions.find(
          (one) => conversationOf(one) === conversation && sameJson(one.request.message?.awaited ?? null, id),
        );
        const isWanted = own !== undefined && ownProperty(filterOf(own), filter) !== undefined;
        return [{ read, isWanted, exchangeKey: (own ?? exchange)?.request.key }];
      },
    );
    return judgeFirst(
      changes,
      'the server tells of no changes',
      ({ isWanted }) => !isWanted,
      ({ read, exchangeKey }) => ({
        message: 'the server tells of a change outside of a subscription that asks for it',
        expected: 'such notifications only with the id of a subscription in _meta',
        received: shownBytes(read),
        exchangeKey,
      }),
    );
  },
);
