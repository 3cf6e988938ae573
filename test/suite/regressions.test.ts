import { describe, expect, it } from 'vitest';
import { parseRegressions, type Regression, writeRegressions } from '../../src/suite/config/regressions.ts';
import { SuiteError } from '../../src/suite/yaml/diagnostic.ts';

function problemsIn(...lines: readonly string[]): readonly string[] {
  try {
    parseRegressions(['regressions: v1', 'inputs:', ...lines].join('\n'), 'regressions.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    return error.diagnostics.map(({ place, message }) => `${place.line}: ${message}`);
  }
}

const LAST = ['  - function: getNote', '    requirement: inputs/sequences-answered', '    input: { id: a }'];
const AFTER = ['    after:', '      - { function: addNote, input: {} }'];

describe('regressions that were edited', () => {
  it('are accepted if values come from a call before', () => {
    expect(problemsIn(...LAST, '    from: { id: { call: 1, at: /id } }', ...AFTER)).toEqual([]);
  });

  it('are refused if a value comes from the call itself or from a later one', () => {
    expect(problemsIn(...LAST, '    from: { id: { call: 2, at: /id } }', ...AFTER)).toEqual([
      '6: "id" takes a value of call 2, which is not before this call',
    ]);
    const first = '      - { function: addNote, input: {}, from: { id: { call: 1, at: /id } } }';
    expect(problemsIn(...LAST, '    after:', first)).toEqual([
      '7: "id" takes a value of call 1, which is not before this call',
    ]);
  });

  it('are refused if a value is taken and there is no call before', () => {
    expect(problemsIn(...LAST, '    from: { id: { call: 1, at: /id } }')).toEqual([
      '6: "id" takes a value of call 1, which is not before this call',
    ]);
  });

  it('are refused if the place of a value is no JSON pointer', () => {
    expect(problemsIn(...LAST, '    from: { id: { call: 1, at: id } }', ...AFTER)).toEqual([
      '6: "id" is not a JSON pointer, such as "/id", or "" for the whole result',
    ]);
  });
});

describe('regressions that were written', () => {
  it('are read again if the whole result is the value, and names and inputs are odd', () => {
    const name = 'get "note": # ${x}\u2028\u{1f600}';
    const regression: Regression = {
      function: name,
      requirement: 'inputs/sequences-answered',
      input: { id: '<p>\'"${y}</p>\n\t\u0000', 'a: b': ['x'.repeat(5000)] },
      from: { id: { call: 1, at: '' } },
      after: [{ function: name, input: {}, from: {} }],
    };
    const [read] = parseRegressions(writeRegressions([regression]), 'regressions.yaml');
    expect(read).toMatchObject(regression);
  });

  it('are written as they were read, without their places in the file', () => {
    const regression: Regression = {
      function: 'getNote',
      requirement: 'inputs/sequences-answered',
      input: {},
      from: { id: { call: 1, at: '/id' } },
      after: [{ function: 'addNote', input: {}, from: {} }],
    };
    const text = writeRegressions([regression]);
    expect(writeRegressions(parseRegressions(text, 'regressions.yaml'))).toBe(text);
  });
});
