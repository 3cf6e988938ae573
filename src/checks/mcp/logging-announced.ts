import { canonicalJson, ownProperty } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { receivedIn } from './received.ts';

export const loggingAnnounced = defineCheck(
  'step',
  'logging-announced',
  'a server that sends log messages has the capability logging',
  ({ asked, conversations, opened }) => {
    const found = receivedIn(asked, conversations).find(
      ({ read: { message } }) =>
        message.kind === 'notification' && message.method === 'notifications/message',
    );
    if (opened === null || found === undefined) return inapplicable('the server sends no log messages');
    if (ownProperty(opened.capabilities, 'logging') !== undefined) return passed;
    return failed({
      message: 'the server sends log messages, but not the capability logging when a conversation is opened',
      expected: 'logging in capabilities',
      received: canonicalJson(opened.capabilities),
      exchangeKey: found.exchange?.request.key,
    });
  },
);
