import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactly, stringifyExactly } from '../../src/json/exact-json.ts';
import { isExactNumber, numberFrom } from '../../src/json/exact-number.ts';
import { isJsonObject, type Json, jsonTypeOf, sameJson } from '../../src/json/json.ts';

describe('the digits of numbers are kept', () => {
  test.each([
    '174322306148984899',
    '-333333333333333333',
    '9007199254740993',
    // A double holds it, but JavaScript writes other digits.
    '9223372036854775808',
    '18446744073709551615',
    '0.1000000000000000055',
    '-3.14159265358979323846',
    '12345678.123456789012',
    '1e999',
    '1E-400',
    '1.00000000000000000001e+20',
  ])('%s', (literal) => {
    const text = `{"id":${literal},"list":[${literal}]}`;
    const value = parseExactly(text);
    expect(stringifyExactly(value)).toBe(text);
    expect(stringifyExactly(structuredClone(value))).toBe(text);
    expect(isExactNumber(numberFrom(literal))).toBe(true);
  });

  test.each([
    ['0', '0'],
    ['9007199254740991', '9007199254740991'],
    ['174322306148984900', '174322306148984900'],
    ['1.10', '1.1'],
    ['1.000000000000000000000', '1'],
    ['100000000000000000000000', '1e+23'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.000000000000000000000000001', '1e-27'],
  ])('%s is a usual number, written %s', (literal, written) => {
    expect(parseExactly(`[${literal}]`)).toEqual([Number(literal)]);
    expect(stringifyExactly(parseExactly(literal))).toBe(written);
  });

  test('next to any other value', () => {
    const marks = fc.constantFrom('#', '#n1', '#s', '\\', '\n', '"');
    const around = fc.oneof(fc.jsonValue(), marks, fc.dictionary(marks, marks));
    const digits = fc.bigInt({ min: 2n ** 60n }).map(String);
    fc.assert(
      fc.property(around, around, fc.oneof(fc.string(), marks), digits, (one, other, key, id) => {
        const text = `[${JSON.stringify(one)},{${JSON.stringify(key)}:${id}9},${JSON.stringify(other)}]`;
        const value = parseExactly(text);
        expect(JSON.parse(stringifyExactly(value))).toEqual(JSON.parse(text));
        expect(stringifyExactly(value)).toContain(`:${id}9}`);
        expect(stringifyExactly(value, 2)).toContain(`: ${id}9\n`);
      }),
    );
  });

  test('texts that look like numbers, or like their marks, stay texts', () => {
    const text =
      '{"#n1" :"#n1","#s":["#s","#","\\u0023n1","\\n"],"\\"":"174322306148984899","__proto__":"#n1","id":174322306148984899}';
    const written = text.replace('" :', '":').replace('\\u0023', '#');
    expect(stringifyExactly(parseExactly(text))).toBe(written);
    expect(JSON.parse(stringifyExactly(parseExactly(text), 1))).toEqual(JSON.parse(text));
  });

  test('as values they are numbers, and equal only with the same digits', () => {
    const [id, next] = [numberFrom('174322306148984899'), numberFrom('174322306148984901')];
    expect(jsonTypeOf(id)).toBe('number');
    expect(isJsonObject(id)).toBe(false);
    expect(Number(id)).toBe(Number(next));
    expect(sameJson(id, next)).toBe(false);
    expect(sameJson({ id }, parseExactly('{"id":174322306148984899}'))).toBe(true);
  });

  test('a long run of zeros takes no time', () => {
    const literal = `1${'0'.repeat(500_000)}1`;
    const value: Json = parseExactly(`[${literal},0.${'0'.repeat(500_000)}1]`);
    expect(stringifyExactly(value)).toHaveLength(literal.length + 500_000 + 6);
  });
});
