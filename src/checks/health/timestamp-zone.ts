import { ownProperty, showJson } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { parseIso8601 } from '../iso8601.ts';

export const timestampZone = defineCheck(
  'json',
  'timestamp-zone',
  'timestamp carries Z or an offset',
  ({ value }) => {
    const timestamp = ownProperty(value, 'timestamp');
    const parsed = typeof timestamp === 'string' ? parseIso8601(timestamp) : undefined;
    if (parsed !== undefined && parsed.offsetMinutes !== null) return passed;
    return failed({
      message: 'timestamp does not say in which time zone it is',
      expected: 'a time that ends in Z or an offset such as +02:00',
      received: showJson(timestamp),
      pointer: '/timestamp',
    });
  },
);
