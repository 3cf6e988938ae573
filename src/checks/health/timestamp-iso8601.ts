import { ownProperty, showJson } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { parseIso8601 } from '../iso8601.ts';

export const timestampIso8601 = defineCheck(
  'json',
  'timestamp-iso8601',
  'timestamp is an ISO 8601 date and time',
  ({ value }) => {
    const timestamp = ownProperty(value, 'timestamp');
    if (typeof timestamp === 'string' && parseIso8601(timestamp) !== undefined) return passed;
    return failed({
      message:
        timestamp === undefined ? 'timestamp is missing' : 'timestamp is not an ISO 8601 date and time',
      expected: 'a date and time such as "2026-01-31T12:00:00Z" (string)',
      received: showJson(timestamp),
      pointer: '/timestamp',
    });
  },
);
