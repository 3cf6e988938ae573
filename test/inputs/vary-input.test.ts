import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { variedInput } from '../../src/inputs/vary-input.ts';
import { parseExactly } from '../../src/json/exact-json.ts';
import { type Json, type JsonObject, sameJson } from '../../src/json/json.ts';

const schemas = createSchemaEvaluator();

function varied(input: JsonObject, properties: JsonObject = {}, seed = 'seed'): JsonObject {
  return variedInput(input, { name: 'fn', parameters: { type: 'object', properties } }, seed, schemas);
}

describe('another input of the same kind', () => {
  test.each<[what: string, value: Json, schema: JsonObject, shape: RegExp]>([
    ['free text', 'probity', {}, /^probe-[a-z]{10}$/],
    ['short text', 'probity', { maxLength: 6 }, /^[a-z]{6}$/],
    ['long text', 'probity', { minLength: 20 }, /^probe-[a-z]{14,}$/],
    ['a code', 'AB-12', {}, /^[A-Z]{2}-\d\d$/],
    ['text of a pattern', 'abc', { pattern: '^[a-c]{3}$' }, /^[a-c]{3}$/],
    ['a date', '2026-01-31', {}, /^2026-\d\d-\d\d$/],
    ['a date and time', '2026-01-31T09:30:00Z', { format: 'date-time' }, /^202\d-\d\d-\d\dT09:30:00Z$/],
    ['an e-mail address', 'ada@example.com', {}, /^[a-z]{10}@example\.com$/],
    ['an address', 'https://example.com/a', { format: 'uri' }, /^https:\/\/example\.com\/[a-z]{10}$/],
    ['a UUID', '123e4567-e89b-42d3-a456-426614174000', {}, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a/],
  ])('%s', (_what, value, schema, shape) => {
    const { field } = varied({ field: value }, { field: { type: 'string', ...schema } });
    expect(field).toMatch(shape);
    expect(field).not.toBe(value);
  });

  test('a known city, another choice, a number within its limits', () => {
    const input = varied(
      { city: 'Paris', unit: 'km', amount: 5, share: 0.1 },
      {
        city: { type: 'string' },
        unit: { enum: ['km', 'mi'] },
        amount: { type: 'integer', maximum: 9 },
        share: { type: 'number', multipleOf: 0.1, maximum: 1 },
      },
    );
    expect(['London', 'Berlin', 'Tokyo', 'Madrid']).toContain(input.city);
    expect(input.unit).toBe('mi');
    expect(input.amount).toBeGreaterThan(5);
    expect(input.amount).toBeLessThanOrEqual(9);
    expect(Math.round((input.share as number) * 10) / 10).toBe(input.share);
  });

  test('varies objects and lists, and keeps values that are not text or numbers', () => {
    const input = varied({
      order: { lines: [{ name: 'probity' }, { name: 'second' }], paid: true, note: null },
    });
    expect(input).toEqual({
      order: {
        lines: [{ name: expect.stringMatching(/^probe-/) }, { name: 'second' }],
        paid: true,
        note: null,
      },
    });
  });

  test('keeps values whose replacement the schema rejects', () => {
    const input = varied(
      { id: 'fixed-id', text: 'probity' },
      { id: { enum: ['fixed-id'] }, text: { type: 'string', not: { pattern: '^probe' } } },
    );
    expect(input).toEqual({ id: 'fixed-id', text: 'probity' });
  });

  test('asks for no longer wait', () => {
    const properties = { text: { type: 'string' }, sleep: { type: 'integer' } };
    const { sleep, text } = varied({ text: 'probity', sleep: 0 }, properties);
    expect(sleep).toBeLessThanOrEqual(1);
    expect(text).not.toBe('probity');
    expect(varied({ sleep: 30 }, properties)).toEqual({ sleep: 30 });
  });

  test('is the same only for the same seed', () => {
    const input = { text: 'probity', count: 1000 };
    expect(varied(input)).toEqual(varied(input));
    expect(varied(input)).not.toEqual(varied(input, {}, 'other'));
  });

  test('names of every kind', () => {
    const input = JSON.parse('{"__proto__":"probity","constructor":"probity"}') as JsonObject;
    expect(Object.keys(varied(input))).toEqual(['__proto__', 'constructor']);
  });

  test('never throws, whatever the schema is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (input, parameters) => {
        const descriptor = { name: 'fn', parameters: parameters as Json };
        expect(() =>
          JSON.stringify(variedInput(input as JsonObject, descriptor, 's', schemas)),
        ).not.toThrow();
      }),
      { numRuns: 300, seed: 20_260_131 },
    );
  });
});

test('an id above 2^53 is varied in its last digits, one of a function that deletes is unlikely', () => {
  const input = parseExactly('{"id":174322306148984899}') as JsonObject;
  const properties = { id: { type: 'integer' } };
  expect(String(varied(input, properties).id)).toMatch(/^17432230615\d{7}$|^17432230614\d{7}$/);
  expect(sameJson(varied(input, properties), input)).toBe(false);
  const removing = { name: 'deleteOrder', parameters: { type: 'object', properties } };
  expect(Number(variedInput(input, removing, 'seed', schemas).id)).toBeLessThan(2 ** 31);
});
