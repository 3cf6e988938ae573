import { headerValues } from '../../model/exchange.ts';
import { showJson } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

export const jsonContentType = defineCheck(
  'answer',
  'json-content-type',
  'Content-Type is application/json',
  ({ exchange }) => {
    const values = headerValues(exchange.response.headers, 'content-type');
    const others = values.filter((value) => !isJson(value));
    const [first] = values;
    // If two headers differ, some clients use the first and some the last.
    if (first !== undefined && others.length === 0) return passed;
    const received = others.length < values.length ? values.join(' and ') : first;
    return failed({
      message:
        received === undefined
          ? 'the answer has no Content-Type'
          : 'the Content-Type is not application/json',
      expected: 'Content-Type: application/json, with or without parameters',
      received: received === undefined ? 'no such header' : showJson(received),
    });
  },
);

function isJson(value: string): boolean {
  return value.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
