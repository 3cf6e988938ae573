import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { changedByBridge } from './changed-by-bridge.ts';

export const relayedUnchanged = defineCheck(
  'step',
  'relayed-unchanged',
  'the bridge passes on what the server lists and answers, without changing it',
  ({ asked }) => {
    const exchanges = asked.map(({ exchange }) => exchange);
    // Without any answer, no session was open: the server is the cause.
    if (exchanges.every(({ kind }) => kind === 'unanswered'))
      return undecided({
        message: 'the bridge answered nothing',
        expected: 'at least one answer of the bridge',
        received: 'none',
        advice: 'Make the server answer first; this says nothing about the bridge.',
      });
    const [first] = changedByBridge(exchanges);
    if (first === undefined) return passed;
    const { what, ...evidence } = first;
    return failed({ message: `the bridge changed ${what}`, ...evidence, fault: 'bridge' });
  },
);
