import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/any-character.ts';
import { memberTexts } from '../../src/gateway/given-call.ts';

describe('the members of an object', () => {
  it('keep their text', () => {
    const text = '\n{ "a" : 1e999 , "b\\"}" :{"a":[1,{"c":"]}\\\\"}]} ,"\\u0063": "x,:y" , "d":[],"e":-0.10}';
    expect([...memberTexts(text)]).toEqual([
      ['a', '1e999'],
      ['b"}', '{"a":[1,{"c":"]}\\\\"}]}'],
      ['c', '"x,:y"'],
      ['d', '[]'],
      ['e', '-0.10'],
    ]);
    expect([...memberTexts('{}'), ...memberTexts(' { } ')]).toEqual([]);
    expect(memberTexts('{"a":1,"a":2}').get('a')).toBe('2');
  });
  it('have the same values as the object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()),
        fc.constantFrom(undefined, 1, '\t'),
        (object, space) => {
          const members = memberTexts(JSON.stringify(object, null, space));
          const read = [...members].map(([key, text]) => [key, JSON.parse(text)]);
          expect(new Map(read as [string, unknown][])).toEqual(
            new Map(Object.entries(JSON.parse(JSON.stringify(object)))),
          );
        },
      ),
    );
  });
});
