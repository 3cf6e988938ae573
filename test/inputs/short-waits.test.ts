import { describe, expect, test } from 'vitest';
import { createSchemaEvaluator } from '../../src/checks/json/schema-evaluator.ts';
import { callInputs } from '../../src/inputs/call-inputs.ts';
import { exploringInputs } from '../../src/inputs/explore/exploring-inputs.ts';
import { withShortInput, withShortWaits } from '../../src/inputs/short-waits.ts';
import type { JsonObject } from '../../src/json/json.ts';

const parametersWith = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
});

const SECONDS = { type: 'number', default: 10, description: 'Duration of the operation in seconds' };
const LONG_OPERATION = parametersWith({ duration: SECONDS, steps: { type: 'number', default: 5 } });

const WAIT: JsonObject = { type: 'integer', default: 10 };
const TEXT: JsonObject = { type: 'string' };

const firstInput = (parameters: JsonObject) =>
  callInputs('sample', { name: 'run', parameters }, [], { schemas: createSchemaEvaluator() })[0]?.input;

describe('a parameter that says how long a call takes', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['seconds by default, as a fraction', LONG_OPERATION, { duration: 0.1 }],
    ['milliseconds', parametersWith({ delayMs: { type: 'integer' } }, ['delayMs']), { delayMs: 100 }],
    [
      'milliseconds, as its description says',
      parametersWith({ sleep_time: { type: 'integer', description: 'In ms.', examples: [60_000] } }, [
        'sleep_time',
      ]),
      { sleep_time: 100 },
    ],
    ...[
      ['duration', 'Duration of the operation in seconds, up to 10 minutes'],
      ['duration', 'How long to wait'],
      ['duration', 'Desired duration'],
      ['sleep_time', 'Time to sleep before the answer'],
      ['delay', ''],
    ].map(([name = '', description = '']): [string, JsonObject, JsonObject] => [
      `of the call: ${name} (${description})`,
      parametersWith({ [name]: { type: 'integer', maximum: 600, description } }, [name]),
      { [name]: 1 },
    ]),
    ['a number of an unknown unit', parametersWith({ wait: { type: 'number' } }, ['wait']), { wait: 1 }],
    [
      'at least five minutes',
      parametersWith({ duration: { type: 'integer', minimum: 5, default: 60 } }),
      { duration: 5 },
    ],
  ])('is short in the first call: %s', (_, parameters, expected) => {
    expect(firstInput(parameters)).toEqual(expected);
  });

  test.each<[string, JsonObject]>([
    ['is no number', parametersWith({ duration: { type: 'string', default: 'PT10M' } }, ['duration'])],
    ['has listed values', parametersWith({ delay: { type: 'integer', enum: [30, 60] } }, ['delay'])],
    ['is never long', parametersWith({ durationMs: { type: 'integer', maximum: 200 } }, ['durationMs'])],
    [
      'has no short value between its limits',
      parametersWith({ wait: { type: 'number', minimum: 4.5, maximum: 4.7, default: 4.6 } }),
    ],
    ['is named otherwise', parametersWith({ amount: { type: 'number', default: 10 } }, ['amount'])],
    ...[
      ['duration', 'Length of the meeting in minutes'],
      ['duration', 'In hours'],
      ['duration', 'Length of the video in seconds'],
      ['duration', 'How long the animation lasts, in ms'],
      ['duration', 'Song duration in seconds'],
      ['durationMinutes', ''],
      ['trip_duration', ''],
      ['flightDelay', 'In seconds'],
    ].map(([name = '', description = '']): [string, JsonObject] => [
      `is the length of a thing: ${name} (${description})`,
      parametersWith({ [name]: { type: 'integer', minimum: 1, maximum: 1440, description } }, [name]),
    ]),
  ])('is as declared where it %s', (_, parameters) => {
    expect(withShortWaits(parameters)).toBe(parameters);
  });

  test('is left out if that asks for no wait', () => {
    const parameters = parametersWith({ text: { type: 'string' }, delay: { type: 'number' } }, ['text']);
    expect(Object.keys(firstInput(parameters) ?? {})).toEqual(['text']);
    expect(withShortInput({ text: 'a' }, parameters)).toEqual({ text: 'a' });
    expect(withShortInput({ text: 'a', delay: 30 }, parameters)).toEqual({ text: 'a', delay: 1 });
  });

  test('is short in all inputs that explore, with few parts, and never taken for invalid', () => {
    const exploration = { proven: {}, first: [], seed: 1, valid: 40, invalid: 20, listed: 0 };
    const { valid, invalid } = exploringInputs(LONG_OPERATION, exploration, createSchemaEvaluator());
    const inputs = [...valid];
    expect(inputs.length).toBeGreaterThan(5);
    for (const { duration, steps = 5 } of inputs) {
      expect(Number(duration)).toBeLessThanOrEqual(0.1);
      expect(Number(steps)).toBeLessThanOrEqual(10);
    }
    const wrong = [...invalid];
    expect(wrong.length).toBeGreaterThan(0);
    for (const input of wrong)
      expect(createSchemaEvaluator().foreign(LONG_OPERATION)).toSatisfy(
        (schema: ReturnType<ReturnType<typeof createSchemaEvaluator>['foreign']>) =>
          schema.kind === 'usable' && schema.apply(input).kind === 'invalid',
      );
  });

  test.each<[string, JsonObject]>([
    ['its own schema', { properties: { wait: { ...WAIT, allOf: [{ minimum: 5 }] } } }],
    ['a pattern of names', { properties: { wait: WAIT }, patternProperties: { '^w': { minimum: 5 } } }],
    [
      'the number of parameters',
      { properties: { wait: WAIT, text: TEXT }, required: ['text'], maxProperties: 1 },
    ],
  ])('is as declared where %s allows nothing else', (_, schema) => {
    const parameters = { type: 'object', ...schema };
    const schemas = createSchemaEvaluator();
    const [call] = callInputs('sample', { name: 'run', parameters }, [], { schemas });
    expect(call?.source).not.toBe('none-valid');
    const exploration = { proven: call?.input ?? {}, first: [], seed: 1, valid: 5, invalid: 5, listed: 0 };
    const { valid, invalid } = exploringInputs(parameters, exploration, schemas);
    expect([...valid].length).toBeGreaterThan(0);
    expect([...invalid].length).toBeGreaterThan(0);
  });

  test.each<[string, JsonObject]>([
    ['waits for long', { text: 'a', duration: 30 }],
    ['leaves the wait to its default', { text: 'a' }],
  ])('stays, while other values differ between calls made at once, in a sample that %s', (_, input) => {
    const parameters = parametersWith({ text: TEXT, duration: SECONDS }, ['text']);
    const [call] = callInputs('distinct', { name: 'run', parameters }, [{ input, fails: false }], {
      schemas: createSchemaEvaluator(),
    });
    expect(call?.input).toEqual({ ...input, text: expect.not.stringMatching(/^a$/) });
  });

  test('is as long as it was where that showed a fault before', () => {
    const long = { duration: 30 };
    for (const proven of [{}, { ...long }]) {
      const exploration = { proven, first: [long], seed: 1, valid: 10, invalid: 0, listed: 0 };
      const { valid } = exploringInputs(LONG_OPERATION, exploration, createSchemaEvaluator());
      expect([...valid]).toContainEqual(long);
    }
  });
});
