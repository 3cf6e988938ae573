import { expect, it } from 'vitest';
import { stringifyExactly } from '../../src/json/exact-json.ts';
import { sentJson } from '../../src/model/sent.ts';
import { heard, posted, request } from '../checks/messages.ts';

it('is read from its line or its body, unless that is no JSON', () => {
  expect(sentJson(heard(request('a'), []).request)).toEqual(request('a'));
  expect(sentJson(posted(request('a')).request)).toEqual(request('a'));
  expect(sentJson(posted(null).request)).toBeUndefined();
  expect(sentJson(heard('{"broken', []).request)).toBeUndefined();
});

it('keeps digits that a double does not hold', () => {
  const { request: sent } = heard('{"id": 12345678901234567890}', []);
  expect(stringifyExactly(sentJson(sent))).toBe('{"id":12345678901234567890}');
});
