import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';

export const jsonObject = defineCheck(
  'answer',
  'json-object',
  'the body is one JSON object, UTF-8, no BOM, no key twice',
  ({ exchange }) => {
    const { problem } = jsonBody(exchange);
    if (problem === null) return passed;
    const { message, received, pointer, advice, serversFault } = problem;
    const evidence = {
      message,
      expected: 'one JSON object in UTF-8',
      received,
      ...(pointer === undefined ? {} : { pointer }),
      ...(advice === undefined ? {} : { advice }),
    };
    return serversFault ? failed(evidence) : undecided(evidence);
  },
  { establishes: 'json-object' },
);
