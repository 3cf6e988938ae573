import { ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { nameOf, toolsIn } from './received.ts';

export const hintsAgree = defineCheck(
  'step',
  'hints-agree',
  'no tool is annotated as read-only and destructive at once',
  ({ asked }) => {
    const annotated = toolsIn(asked).filter(({ tool }) => ownProperty(tool, 'annotations') !== undefined);
    if (annotated.length === 0) return inapplicable('no tool has annotations');
    return judgeEach(annotated, ({ tool, pointer, exchangeKey }) => {
      const hints = ownProperty(tool, 'annotations');
      const isTrue = (name: string): boolean => ownProperty(hints, name) === true;
      return isTrue('readOnlyHint') && isTrue('destructiveHint')
        ? failed({
            message: `the annotations of the tool ${nameOf(tool)} contradict each other`,
            expected: 'readOnlyHint or destructiveHint, not both',
            received: 'readOnlyHint: true and destructiveHint: true',
            pointer: `${pointer}/annotations`,
            exchangeKey,
          })
        : passed;
    });
  },
);
