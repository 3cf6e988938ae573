import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { changedByBridge } from './changed-by-bridge.ts';

export const relayedUnchanged = defineCheck(
  'step',
  'relayed-unchanged',
  'the bridge passes on what the server lists and answers, without changing it',
  ({ asked }) => {
    const exchanges = asked.map(({ exchange }) => exchange);
    if (exchanges.length === 0)
      return undecided({
        message: 'the bridge was not called',
        expected: 'at least one answer of the bridge',
        received: 'none',
      });
    const [first] = changedByBridge(exchanges);
    if (first === undefined) return passed;
    const { what, ...evidence } = first;
    return failed({ message: `the bridge changed ${what}`, ...evidence, fault: 'bridge' });
  },
);
