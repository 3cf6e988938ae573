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
        typeof received === 'string'
          ? `the requestId differs from the one that was sent ${firstDifference(call.requestId, received)}`
          : received === undefined
            ? 'the answer has no requestId'
            : 'the requestId is not the one that was sent',
      expected: showJson(call.requestId),
      received: showJson(received),
      pointer: '/requestId',
    });
  },
);

/** Where two texts part: long ones, and those that look the same, cannot be told apart by showing them. */
function firstDifference(sent: string, received: string): string {
  const [before, after] = [[...sent], [...received]];
  const index = before.findIndex((character, at) => character !== after[at]);
  const at = index === -1 ? before.length : index;
  return `from character ${at + 1} on: ${codePoint(before[at])} was sent, ${codePoint(after[at])} came back`;
}

function codePoint(character: string | undefined): string {
  if (character === undefined) return 'nothing more';
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
