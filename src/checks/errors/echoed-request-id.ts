import { type Json, ownProperty, showJson } from '../../model/json.ts';
import { type Finding, failed, passed } from '../../model/judgement.ts';

/** Whether an answer holds the requestId that was sent, exactly. */
export function judgeRequestId(answer: Json, sent: string): Finding {
  const received = ownProperty(answer, 'requestId');
  if (received === sent) return passed;
  return failed({
    message:
      typeof received === 'string'
        ? `the requestId differs from the one that was sent, ${firstDifference(sent, received)}`
        : received === undefined
          ? 'the answer has no requestId'
          : 'the requestId is not the one that was sent',
    expected: showJson(sent),
    received: showJson(received),
    pointer: '/requestId',
  });
}

/** Where two texts differ: long or similar texts cannot be compared by eye. */
function firstDifference(sent: string, received: string): string {
  const [before, after] = [[...sent], [...received]];
  const index = before.findIndex((character, at) => character !== after[at]);
  const at = index === -1 ? before.length : index;
  return `from character ${at + 1} on: ${codePoint(before[at])} was sent, ${codePoint(after[at])} was received`;
}

function codePoint(character: string | undefined): string {
  if (character === undefined) return 'nothing more';
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
