import { headerValue } from '../model/exchange.ts';
import { showJson } from '../model/json.ts';
import { failed, passed } from '../model/judgement.ts';
import { defineCheck } from './define-check.ts';

export const jsonContentType = defineCheck(
  'answer',
  'json-content-type',
  'Content-Type is application/json',
  ({ exchange }) => {
    const value = headerValue(exchange.response.headers, 'content-type');
    const mediaType = value?.split(';', 1)[0]?.trim().toLowerCase();
    if (mediaType === 'application/json') return passed;
    return failed({
      message:
        value === undefined ? 'the answer has no Content-Type' : 'the Content-Type is not application/json',
      expected: 'Content-Type: application/json, with or without parameters',
      received: value === undefined ? 'no such header' : showJson(value),
    });
  },
);
