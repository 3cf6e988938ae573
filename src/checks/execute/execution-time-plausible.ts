import { ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

/** Coarse timers, rounding up and two clocks that drift apart may each add a little. */
const SLACK_MS = 5;
const SLACK_SHARE = 0.1;

export const executionTimePlausible = defineCheck(
  'json',
  'execution-time-plausible',
  'form B: executionTime is no longer than the call took as seen from outside',
  ({ value, exchange }) => {
    const executionTime = ownProperty(value, 'executionTime');
    if (typeof executionTime !== 'number') return inapplicable('there is no executionTime');
    const { durationMs } = exchange.timing;
    if (executionTime <= durationMs + Math.max(SLACK_MS, durationMs * SLACK_SHARE)) return passed;
    return failed({
      message: 'executionTime is longer than the whole call took',
      expected: `at most ${durationMs.toFixed(1)} ms, the call as seen from outside`,
      received: `${executionTime}`,
      pointer: '/executionTime',
    });
  },
);
