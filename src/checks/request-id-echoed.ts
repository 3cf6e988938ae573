import { ownProperty, showJson } from '../model/json.ts';
import { failed, inapplicable, passed } from '../model/judgement.ts';
import { defineCheck } from './define-check.ts';

export const requestIdEchoed = defineCheck(
  'json',
  'request-id-echoed',
  'form B: requestId comes back exactly as it was sent',
  ({ value, call }) => {
    if (call === null || call.requestId === null) return inapplicable('the call carried no requestId');
    const received = ownProperty(value, 'requestId');
    if (received === call.requestId) return passed;
    return failed({
      message:
        received === undefined ? 'the answer has no requestId' : 'the requestId is not the one that was sent',
      expected: showJson(call.requestId),
      received: showJson(received),
      pointer: '/requestId',
    });
  },
);
