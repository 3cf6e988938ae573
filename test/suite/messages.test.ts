import { describe, expect, test } from 'vitest';
import { parseSuites } from '../../src/suite/language/parse-suites.ts';
import { catalogue, loadText, problemsOf, sourceOf, suiteErrorOf, summaryOf } from './loading.ts';

const messageOf = (text: string): string => suiteErrorOf(() => loadText(text)).message;

/** Ten mistakes of ten kinds; the line and column numbers below were counted manually. */
const TEN_MISTAKES = `suite: v1
id: mine
title: Ten mistakes
steps:
  - id: read
    request: { get: /capabilities, verb: GET }
    expect:
      status: { is: 20, id: read-ok }
      body:
        - { at: "$.functions[*", each: { type: object }, id: functions }
        - { at: $.name, is: { tpye: string }, requirement: capabilities/function-naem }
      checks:
        - { check: unique-name, id: names }
    needs: [raed]
  - id: read
    request: { execute: "\${fn.name}" }
    experiment: { timed-calls: 10 }
    expect: { budget: { p95Ms: 100, id: fast } }
`;

describe('all mistakes are reported at once', () => {
  test('ten mistakes, in the order of the text', () => {
    expect(problemsOf(() => loadText(TEN_MISTAKES)).map(summaryOf)).toEqual([
      {
        code: 'unknown-key',
        at: '6:36',
        underlined: 4,
        says: 'unknown key "verb"',
        suggests:
          'Known: get, query, from, post, websocket, execute, arguments, unlisted, requestId, list, alive, open and 17 more.',
      },
      {
        code: 'wrong-value',
        at: '8:21',
        underlined: 2,
        says: '20 is not a whole number from 100 to 599',
        suggests: 'Write a whole number from 100 to 599.',
      },
      {
        code: 'bad-selector',
        at: '10:31',
        underlined: 1,
        says: '"$.functions[*" is not a JSONPath: unclosed bracketed selection',
        suggests: 'A selector starts with "$", as in $.functions[*].name (RFC 9535).',
      },
      {
        code: 'bad-schema',
        at: '11:29',
        underlined: 16,
        says: '"tpye" is not a JSON Schema keyword that a suite may use',
        suggests: 'Did you mean "type"?',
      },
      {
        code: 'unknown-requirement',
        at: '11:60',
        underlined: 26,
        says: 'unknown requirement "capabilities/function-naem"',
        suggests: 'Did you mean "capabilities/function-name"?',
      },
      {
        code: 'unknown-check',
        at: '13:20',
        underlined: 11,
        says: 'unknown check "unique-name"',
        suggests: 'Did you mean "unique-names"?',
      },
      {
        code: 'unknown-step',
        at: '14:13',
        underlined: 4,
        says: 'unknown step "mine/raed"',
        suggests: 'Did you mean "mine/read"?',
      },
      {
        code: 'duplicate-id',
        at: '15:9',
        underlined: 4,
        says: 'duplicate step "read"',
        suggests: 'Step ids are unique within a suite.',
      },
      {
        code: 'unresolved-reference',
        at: '16:25',
        underlined: 12,
        says: 'unknown name "fn" in ${fn.name}',
        suggests: 'Save it in a step that this one `needs`, or loop with `forEach`. Known: run.',
      },
      {
        code: 'unsupported-percentile',
        at: '18:25',
        underlined: 5,
        says: '10 timed calls are too few for p95, which needs 72',
        suggests: 'Write `experiment: { timed-calls: 72 }` or more, or remove the budget for p95.',
      },
    ]);
  });

  test('several files, by file and then by line', () => {
    const one = (id: string) =>
      `suite: v1\nid: ${id}\ntitle: T\nsteps:\n  - { id: a, request: { get: x }, nope: 1 }\n`;
    const problems = problemsOf(() =>
      parseSuites(
        [sourceOf(one('b'), 'b.yaml'), sourceOf('- 1', 'c.yaml'), sourceOf(one('a'), 'a.yaml')],
        catalogue,
      ),
    );
    expect(problems.map(({ file, place, code }) => `${file}:${place.line}:${place.column} ${code}`)).toEqual([
      'a.yaml:5:11 expects-nothing',
      'a.yaml:5:30 wrong-value',
      'a.yaml:5:35 unknown-key',
      'b.yaml:5:11 expects-nothing',
      'b.yaml:5:30 wrong-value',
      'b.yaml:5:35 unknown-key',
      'c.yaml:1:1 wrong-type',
    ]);
  });

  test('two suites with one id', () => {
    const suite =
      'suite: v1\nid: same\ntitle: T\nsteps:\n  - { id: a, request: { get: / }, expect: { status: { is: 200, id: b } } }\n';
    expect(
      problemsOf(() => parseSuites([sourceOf(suite, 'a.yaml'), sourceOf(suite, 'b.yaml')], catalogue)),
    ).toEqual([
      {
        code: 'duplicate-id',
        file: 'b.yaml',
        place: { line: 2, column: 5, length: 4 },
        message: 'another suite has the id "same"',
        suggestion: 'Give each suite a unique id.',
      },
    ]);
  });

  test('a mistake that an alias repeats is reported once', () => {
    const text = `suite: v1
id: mine
title: T
steps:
  - id: a
    request: { get: / }
    expect:
      body:
        - { at: $.a, is: &schema { tpye: string }, id: a }
        - { at: $.b, is: *schema, id: b }
`;
    expect(problemsOf(() => loadText(text)).map(summaryOf)).toMatchObject([
      { code: 'bad-schema', at: '9:34', underlined: 16 },
    ]);
  });
});

describe('a message', () => {
  test('has file, line, column, the line with carets, the code and the remedy', () => {
    expect(messageOf(TEN_MISTAKES).split('\n\n')).toMatchObject({
      2: `mine.suite.yaml:10:31: "$.functions[*" is not a JSONPath: unclosed bracketed selection [bad-selector]
  10 |         - { at: "$.functions[*", each: { type: object }, id: functions }
     |                               ^
  A selector starts with "$", as in $.functions[*].name (RFC 9535).`,
      4: `mine.suite.yaml:11:60: unknown requirement "capabilities/function-naem" [unknown-requirement]
  11 |         - { at: $.name, is: { tpye: string }, requirement: capabilities/function-naem }
     |                                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^
  Did you mean "capabilities/function-name"?`,
      9: `mine.suite.yaml:18:25: 10 timed calls are too few for p95, which needs 72 [unsupported-percentile]
  18 |     expect: { budget: { p95Ms: 100, id: fast } }
     |                         ^^^^^
  Write \`experiment: { timed-calls: 72 }\` or more, or remove the budget for p95.`,
    });
  });

  test('underlines only the first line of a mistake', () => {
    expect(messageOf('suite: v1\nid: mine\ntitle: T\nsteps:\n  - request: { get: / }\n    title: x\n')).toBe(
      `mine.suite.yaml:5:5: a step has no key "id" [missing-key]
  5 |   - request: { get: / }
    |     ^^^^^^^^^^^^^^^^^^^
  Add "id": Names the step within the suite.`,
    );
  });

  test('shows the part of a long line with the mistake', () => {
    const title = 'x'.repeat(300);
    const message = messageOf(
      `suite: v1\nid: mine\ntitle: T\nsteps:\n  - { id: a, title: ${title}, nope: 1, request: { get: / }, expect: { status: { is: 200, id: b } } }\n`,
    );
    const [head, source, carets, remedy] = message.split('\n');
    expect(head).toBe('mine.suite.yaml:5:323: unknown key "nope" [unknown-key]');
    expect(source).toMatch(/^ {2}5 \| x{48}, nope: 1, request: /);
    expect(source?.indexOf('nope')).toBe(carets?.indexOf('^^^^'));
    expect(source?.length).toBeLessThanOrEqual(110);
    expect(remedy).toMatch(/^ {2}Known: id, title, /);
  });

  test('aligns carets under tabs and invisible characters', () => {
    const message = messageOf(
      'suite: v1\nid: mine\ntitle: "a\t\u200B\u202E\u001B"\nnope: 1\nsteps: «\n'.replace('«', '"a\tb"'),
    );
    expect(message).toContain('5 | steps: "a b"\n    |        ^^^^^');
    expect(message).not.toMatch(/[\t\u200B\u202E\u001B]/);
  });

  test('counts lines like the parser, also with a lone carriage return', () => {
    expect(messageOf('suite: v1\r\n# a\rb\r\nnope: 1\r\n')).toContain(
      'mine.suite.yaml:3:1: unknown key "nope"',
    );
    expect(messageOf('suite: v1\r\n# a\rb\r\nnope: 1\r\n')).toContain('  3 | nope: 1\n    | ^^^^\n');
  });
});

describe('a suggested name', () => {
  const suggestionFor = (key: string): string | undefined =>
    problemsOf(() => loadText(`suite: v1\nid: a\ntitle: T\n${key}: 1\nsteps: [1]\n`)).find(
      ({ code }) => code === 'unknown-key',
    )?.suggestion;

  test.each([
    ['stpes', 'Did you mean "steps"?'],
    ['STEPS', 'Did you mean "steps"?'],
    ['titel', 'Did you mean "title"?'],
    ['def', 'Known: suite, id, title, target, defaults, steps.'],
    ['defa', 'Did you mean "defaults"?'],
    ['ie', 'Did you mean "id"?'],
    ['xy', 'Known: suite, id, title, target, defaults, steps.'],
    ['description', 'Known: suite, id, title, target, defaults, steps.'],
  ])('%s', (key, suggestion) => {
    expect(suggestionFor(key)).toBe(suggestion);
  });

  test('is followed by a shortened list of known names', () => {
    const text =
      'suite: v1\nid: a\ntitle: T\nsteps:\n  - { id: a, request: { get: / }, expect: { checks: [{ check: zzzzzz, id: b }] } }\n';
    expect(problemsOf(() => loadText(text)).map(({ suggestion }) => suggestion)).toEqual([
      expect.stringMatching(/^Known: access-told, addresses-valid, .* and \d+ more\.$/),
    ]);
  });
});
