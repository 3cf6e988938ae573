import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../src/check/run-settings.ts';
import type { TestResult } from '../../src/model/report.ts';
import { COLOURS } from '../../src/report/terminal/layout.ts';
import { wrap, wrapCommand, wrapItems } from '../../src/report/view/wrap.ts';
import { anyCharacter } from '../any-character.ts';
import { measurement } from '../checks/example.ts';
import { renderFull } from './render-full.ts';
import { finding, ROW_KINDS, resultOf, row } from './results.ts';

const times = {
  operation: 'health',
  count: 2,
  errors: 0,
  minMs: 1.25,
  meanMs: 2,
  maxMs: 12.5,
  intervals: {},
} as const;

const pass = resultOf(
  [
    row('health/status-200', 'passed'),
    row('health/timestamp-zone', 'passed', { level: 'SHOULD' }),
    row('execute/status-200', 'passed'),
    row('execute/output-object', 'inapplicable', { reason: 'only for form A; the target speaks form B' }),
  ],
  {
    responseTimes: [times, { ...times, operation: 'execute', function: 'add' }],
    facts: [
      { name: 'form', text: 'form B' },
      { name: 'clock offset', text: '0.1 s between the target’s clock and this one' },
    ],
  },
);

const fail = resultOf(
  [
    row('health/status-200', 'failed'),
    row('health/timestamp-zone', 'failed', { level: 'SHOULD', spec: '-' }),
    row('health/uptime-number', 'blocked', { blockedBy: 'health/status-200' }),
    row('health/status-string', 'blocked', { blockedBy: 'health/status-200' }),
    row('execute/output-object', 'failed'),
  ],
  {
    findings: [
      finding('health/timestamp-zone', {
        level: 'SHOULD',
        severity: 'warning',
        spec: '-',
        message: 'timestamp does not say in which time zone it is',
        expected: 'a time that ends in Z or an offset such as +02:00',
        received: '"2026-01-31T12:00:00" (string)',
        where: {
          suite: 'suites/server/health.suite.yaml',
          line: 18,
          column: 11,
          step: 'health/read',
          pointer: '/timestamp',
        },
        why: 'A reader elsewhere takes it for local time.',
        fix: 'Write UTC with a Z.',
      }),
      finding('health/status-200'),
      ...[1, 2, 3, 4, 5].map((index) =>
        finding('execute/output-object', {
          message: 'output is missing',
          expected: 'an object with the property "output"',
          received: `an object without it: {"outputs":{"sum":${index}},"explanation":"the sum of the two numbers that were given"} (object)`,
          where: {
            suite: 'suites/server/execute.suite.yaml',
            line: 40,
            column: 11,
            step: 'execute/call',
            function: `add-${index}`,
            case: 'small',
            pointer: '',
          },
          curl: `curl -sS -i -H 'content-type: application/json' --data-binary '{"function":"add-${index}","input":{"a":1,"b":2}}' http://127.0.0.1:3000/execute`,
          fix: index === 2 ? 'Do it another way.' : 'Put the result under `output`.',
        }),
      ),
    ],
  },
);

const incomplete = resultOf(
  [
    row('capabilities/reachable', 'undecided'),
    row('capabilities/functions-array', 'blocked', { blockedBy: 'capabilities/reachable' }),
    row('execute/status-200', 'passed'),
  ],
  {
    target: { url: 'http://127.0.0.1:3000', form: { capabilities: null, execute: null } },
    findings: [
      finding('capabilities/reachable', {
        outcome: 'undecided',
        message: 'the run’s deadline of 60 s was over',
        expected: 'an answer',
        received: 'none: deadline',
        fault: 'harness',
        curl: null,
      }),
    ],
  },
);

describe('the report for people', () => {
  test('of a pass', () => {
    expect(renderFull(pass, { reportFile: 'reports/2026.json' })).toMatchInlineSnapshot(`
      "probity 9.8.7  http://127.0.0.1:3000
      server calculator 1.2.3, form B, seed 7

        ok health   2 passed
        ok execute  1 passed, 1 not applicable

      Response times in ms of single requests, connecting included, up to 4 at once
        health  2 calls   min 1.3  mean 2.0  max 13

        clock offset: 0.1 s between the target’s clock and this one

      PASS  Every requirement that applies is met.
        3 passed, 0 failed, 0 warnings, 1 not applicable, 0 undecided
        report: reports/2026.json
      "
    `);
  });

  test('with measurements of each operation and function, and unreliable figures', () => {
    const load = measurement().load;
    const measured = resultOf([row('performance/health-latency', 'passed')], {
      responseTimes: [
        measurement({ load, intervals: { p50: [9.04, 11], p95: [9, 120.4] }, p95Ms: 33.3 }),
        measurement({
          operation: 'capabilities',
          failures: { HTTP_500: 2 },
          unreliable: ['one in a hundred requests was sent more than 12.0 ms late', 'the client waited'],
        }),
        { operation: 'execute', count: 7, errors: 0, minMs: 1, meanMs: 2, maxMs: 3, intervals: {} },
        { operation: 'other', count: 2, errors: 0, minMs: 1, meanMs: 2, maxMs: 3, intervals: {} },
        measurement({ operation: 'execute', function: 'add' }),
        measurement({ operation: 'execute', function: 'a-name-that-is-\u001Bfar-too-long-for-a-line' }),
      ],
    });
    const text = renderFull(measured).split('\n\n')[2];
    expect(text).toMatchInlineSnapshot(`
      "Response times in ms of timed calls over open connections (95 % intervals)
        health                    75 calls  p50 10 (9.0 to 11)  p90 10
                                            p95 33 (9.0 to 120)  max 10
        capabilities              75 calls, 2 in error  p50 10 (9.0 to 11)
                                                        p90 10 (9.0 to 11)
                                                        p95 10 (9.0 to 12)  max 10
          unreliable: one in a hundred requests was sent more than 12.0 ms late; the
          client waited
        execute:add               75 calls  p50 10 (9.0 to 11)  p90 10 (9.0 to 11)
                                            p95 10 (9.0 to 12)  max 10
        execute:a-name-that-is-…  75 calls  p50 10 (9.0 to 11)  p90 10 (9.0 to 11)
                                            p95 10 (9.0 to 12)  max 10
      Response times in ms of single requests, connecting included, up to 4 at once
        other  2 calls   min 1.0  mean 2.0  max 3.0"
    `);
  });

  test('with the most important of many functions', () => {
    const functions = Array.from({ length: 30 }, (_, index) =>
      measurement({
        operation: 'execute',
        function: `f${index}`,
        p50Ms: 2,
        p95Ms: index,
        unreliable: index === 3 ? ['the client was late'] : [],
      }),
    );
    const measured = resultOf([row('performance/execute-latency', 'passed')], { responseTimes: functions });
    const lines = (renderFull(measured).split('\n\n')[2] ?? '').split('\n');
    const shown = lines.flatMap((line) => /^ {2}execute:(f\d+)/.exec(line)?.[1] ?? []);
    expect(shown).toEqual([...Array.from({ length: 9 }, (_, index) => `f${29 - index}`), 'f3']);
    expect(lines.at(-1)).toBe('  and 20 more functions, in the JSON report');
  });

  test('of a failure', () => {
    expect(renderFull(fail)).toMatchInlineSnapshot(`
      "probity 9.8.7  http://127.0.0.1:3000
      server calculator 1.2.3, form B, seed 7

      FAIL health   1 failed, 1 warning, 2 undecided
      FAIL execute  1 failed

      FAILED  health/status-200  MUST, section 4.2
        the status is 503
          expected  status 200
          received  status 503
          suite     suites/server/health.suite.yaml:10:15
          curl      curl -sS -i -H 'accept: application/json' \\
                      http://127.0.0.1:3000/health
          why       Load balancers look at the status line first.
          fix       Answer with status 200.
          again     probity check http://127.0.0.1:3000 --only health/status-200 \\
                      --seed 7

      FAILED  execute/output-object  MUST, section 4.2
        output is missing
          at        function "add-1", case small
          expected  an object with the property "output"
          received  an object without it: {"outputs":{"sum":1},"explanation":"the sum
                    of the two numbers that were given"} (object)
          suite     suites/server/execute.suite.yaml:40:11
          curl      curl -sS -i -H 'content-type: application/json' \\
                      --data-binary '{"function":"add-1","input":{"a":1,"b":2}}' \\
                      http://127.0.0.1:3000/execute
        output is missing
          at        function "add-2", case small
          expected  an object with the property "output"
          received  an object without it: {"outputs":{"sum":2},"explanation":"the sum
                    of the two numbers that were given"} (object)
          suite     suites/server/execute.suite.yaml:40:11
          curl      curl -sS -i -H 'content-type: application/json' \\
                      --data-binary '{"function":"add-2","input":{"a":1,"b":2}}' \\
                      http://127.0.0.1:3000/execute
          fix       Do it another way.
        output is missing
          at        function "add-3", case small
          expected  an object with the property "output"
          received  an object without it: {"outputs":{"sum":3},"explanation":"the sum
                    of the two numbers that were given"} (object)
          suite     suites/server/execute.suite.yaml:40:11
          curl      curl -sS -i -H 'content-type: application/json' \\
                      --data-binary '{"function":"add-3","input":{"a":1,"b":2}}' \\
                      http://127.0.0.1:3000/execute
        and 2 more findings, in the JSON report
          why       Load balancers look at the status line first.
          fix       Put the result under \`output\`.
          again     probity check http://127.0.0.1:3000 --only execute/output-object \\
                      --seed 7

      WARNING  health/timestamp-zone  SHOULD, good practice
        timestamp does not say in which time zone it is
          at        /timestamp
          expected  a time that ends in Z or an offset such as +02:00
          received  "2026-01-31T12:00:00" (string)
          suite     suites/server/health.suite.yaml:18:11
          curl      curl -sS -i -H 'accept: application/json' \\
                      http://127.0.0.1:3000/health
          why       A reader elsewhere takes it for local time.
          fix       Write UTC with a Z.
          again     probity check http://127.0.0.1:3000 --only health/timestamp-zone \\
                      --seed 7

      BLOCKED  2 requirements
        blocked by health/status-200, which is not met
          health/uptime-number, health/status-string

      FAIL  The contract is broken in 2 places.
        0 passed, 2 failed, 1 warning, 0 not applicable, 2 undecided
      "
    `);
  });

  test('of an incomplete run', () => {
    expect(renderFull(incomplete)).toMatchInlineSnapshot(`
      "probity 9.8.7  http://127.0.0.1:3000
      form unknown, seed 7

        ?  capabilities  2 undecided
        ok execute       1 passed

      UNDECIDED  capabilities/reachable  MUST, section 4.2
        the run’s deadline of 60 s was over
          expected  an answer
          received  none: deadline
          fault     not the server’s: a limit of the check
          suite     suites/server/health.suite.yaml:10:15
          why       Load balancers look at the status line first.
          fix       Answer with status 200.
          again     probity check http://127.0.0.1:3000 \\
                      --only capabilities/reachable --seed 7

      BLOCKED  1 requirement
        blocked by capabilities/reachable, which is undecided
          capabilities/functions-array

      INCOMPLETE  The run’s deadline of 60 s was over: increase --deadline.
        1 passed, 0 failed, 0 warnings, 0 not applicable, 2 undecided
      "
    `);
  });

  test('of an unreachable target', () => {
    const unreachable = resultOf(
      [
        row('health/reachable', 'failed'),
        row('health/status-200', 'blocked', { blockedBy: 'health/reachable' }),
      ],
      {
        reachable: false,
      },
    );
    expect(renderFull(unreachable)).toContain('UNREACHABLE');
    expect(renderFull(unreachable)).not.toContain('BLOCKED');
  });

  test('with two different forms', () => {
    const { target } = pass;
    expect(
      renderFull({ ...pass, target: { ...target, form: { capabilities: 'A', execute: 'B' } } }),
    ).toContain('calculator 1.2.3, forms A and B, seed 7');
  });

  test('with percentiles, each with its interval, and calls in error', () => {
    const rendered = renderFull({
      ...pass,
      responseTimes: [
        {
          ...times,
          operation: 'execute',
          count: 400,
          errors: 3,
          p50Ms: 2,
          p90Ms: 5.04,
          p95Ms: 9.96,
          p99Ms: 123.4,
          intervals: { p50: [1.9, 2.2], p90: [4.5, 5.5], p95: [8, 11], p99: [100, 150] },
        },
      ],
    });
    expect(rendered).toContain(
      [
        '  execute  400 calls, 3 in error  min 1.3  mean 2.0  p50 2.0 (1.9 to 2.2)',
        '                                  p90 5.0 (4.5 to 5.5)  p95 10.0 (8.0 to 11)',
        '                                  p99 123 (100 to 150)  max 13',
      ].join('\n'),
    );
  });

  test('counts one place and several places', () => {
    expect(renderFull(resultOf([row('a/b', 'failed')]))).toContain('The contract is broken in 1 place.');
    expect(renderFull(resultOf([row('a/b', 'failed'), row('a/c', 'failed')]))).toContain(
      'broken in 2 places.',
    );
  });
});

const longWords =
  'a long sentence that says a great deal about what is wrong here, and then goes on for a while longer, ';
const wide = (): TestResult => {
  const many = Array.from({ length: 60 }, (_, index) =>
    row(`documentation-and-more/rule-${index}`, ROW_KINDS[index % ROW_KINDS.length] ?? 'passed'),
  );
  return resultOf(many, {
    target: {
      url: 'http://127.0.0.1:3000',
      form: { capabilities: 'A', execute: 'B' },
      name: longWords.repeat(3),
      version: longWords,
    },
    findings: many.slice(0, 20).map(({ id }, index) =>
      finding(id, {
        outcome: index % 2 === 0 ? 'failed' : 'undecided',
        message: longWords.repeat(2),
        expected: longWords,
        received: longWords.repeat(4),
        why: longWords.repeat(3),
        fix: longWords.repeat(3),
        fault: 'network',
        where: {
          suite: 's.yaml',
          line: 1,
          column: 1,
          step: 'a/b',
          function: longWords,
          case: longWords,
          pointer: '/a/b',
        },
        curl: `curl -sS -i ${Array.from({ length: 12 }, (_, header) => `-H 'x-header-${header}: value ${header}'`).join(' ')} http://127.0.0.1:3000/health`,
      }),
    ),
    responseTimes: (['health', 'capabilities', 'execute', 'other'] as const).map((operation) => ({
      ...times,
      operation,
      count: 1_234_567,
      errors: 123_456,
      p50Ms: 12_345,
      p90Ms: 23_456,
      p95Ms: 34_567,
      p99Ms: 45_678,
      intervals: {
        p50: [12_000, 12_500],
        p90: [23_000, 24_000],
        p95: [34_000, 35_000],
        p99: [45_000, 46_000],
      },
    })),
    facts: [{ name: 'bound', text: longWords.repeat(4) }],
  });
};

describe('80 columns', () => {
  test('limit every line, however long the texts are', () => {
    for (const line of renderFull(wide()).split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test('or as many as the terminal has, from 40 to 100', () => {
    const widest = (columns: number): number =>
      Math.max(
        ...renderFull(wide(), { columns })
          .split('\n')
          .map((line) => line.length),
      );
    expect(widest(100)).toBeLessThanOrEqual(100);
    expect(widest(100)).toBeGreaterThan(80);
    expect(widest(1000)).toBeLessThanOrEqual(100);
  });

  test('are exceeded only by words that cannot be broken', () => {
    const long = 'x'.repeat(200);
    const rendered = renderFull(
      resultOf([row('a/b', 'failed')], { findings: [finding('a/b', { received: `short ${long} short` })] }),
    );
    const over = rendered.split('\n').filter((line) => line.length > 80);
    expect(over).toEqual([`              ${long}`]);
  });
});

/** All active characters in one text. */
const HOSTILE = '\u001B[2J\u001B]0;x\u0007\u009B31m\u202E\u2066\u200B\uFEFF\uD800\u2028\r\b\u{E0041}';
const LIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The same value with the text appended to every text in it. */
function poisoned<T>(value: T, text: string): T {
  if (typeof value === 'string') return (value + text) as T;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, text)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poisoned(inner, text)])) as T;
}

const KEPT = new Set(['level', 'outcome', 'severity', 'fault', 'verdict', 'spec', 'operation', 'schema']);

/** Fields from a target, a suite or a user; the others are fixed words. */
function poisonedResult(result: TestResult, text: string): TestResult {
  const poison = <T extends object>(part: T): T =>
    Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [key, KEPT.has(key) ? inner : poisoned(inner, text)]),
    ) as T;
  return {
    ...result,
    target: { ...poison({ ...result.target, form: {} }), form: result.target.form },
    results: result.results.map(poison),
    findings: result.findings.map(poison),
    facts: result.facts.map(poison),
  };
}

describe('hostile text', () => {
  test.each([
    ['a pass', pass],
    ['a failure', fail],
    ['an incomplete run', incomplete],
  ])('in every field of %s comes out visible', (_, result) => {
    const rendered = renderFull(poisonedResult(result, HOSTILE), {
      reportFile: `reports/${HOSTILE}.json`,
    });
    expect(rendered.replaceAll('\n', '')).not.toMatch(LIVE);
    expect(rendered).toContain(
      '\\e[2J\\e]0;x\\u{7}\\u{9B}31m\\u{202E}\\u{2066}\\u{200B}\\u{FEFF}\\u{D800}\\u{2028}\\r\\u{8}\\u{E0041}',
    );
  });

  test('cannot start a new line', () => {
    const rendered = renderFull(poisonedResult(fail, '\nPASS  Every requirement that applies is met.\n'));
    expect(rendered.split('\n').filter((line) => line.startsWith('PASS'))).toEqual([]);
  });

  test('any text in any field', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(pass, fail, incomplete),
        (text, result) => {
          expect(renderFull(poisonedResult(result, text)).replaceAll('\n', '')).not.toMatch(LIVE);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('is never coloured, with or without a palette', () => {
    expect(renderFull(fail)).not.toContain('\u001B');
    const coloured = renderFull(poisonedResult(fail, HOSTILE), { palette: COLOURS });
    expect(coloured).toContain('\u001B[31mFAIL\u001B[0m');
    const ours = coloured.replaceAll(/\u001B\[(0|1|2|31|32|33)m/g, '');
    expect(ours.replaceAll('\n', '')).not.toMatch(LIVE);
    expect(renderFull(fail, { palette: COLOURS }).replaceAll(/\u001B\[\d+m/g, '')).toBe(renderFull(fail));
  });
});

describe('a suite of the user', () => {
  test('its requirements are among the others, without a section', () => {
    const rendered = renderFull(
      resultOf([row('mine/rule', 'failed', { spec: '-', level: 'SHOULD' })], {
        settings: settingsOf({ seed: 7, failOn: 'should' }),
        findings: [
          finding('mine/rule', { spec: '-', why: '', fix: '', level: 'SHOULD', severity: 'warning' }),
        ],
      }),
    );
    expect(rendered).toContain('mine/rule  SHOULD, good practice');
    expect(rendered).not.toMatch(/^ +(why|fix) /m);
    expect(rendered).toContain('The contract is broken in 1 place.');
  });
});

describe('breaking lines', () => {
  test.each([
    ['one two three', 7, ['one two', 'three']],
    ['one  two', 20, ['one two']],
    ['extraordinary', 5, ['extraordinary']],
    ['a extraordinary b', 5, ['a', 'extraordinary', 'b']],
    ['', 5, ['']],
  ])('%j at %i', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  test('loses only spaces and breaks as late as possible', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 12 })),
        fc.integer({ min: 1, max: 40 }),
        (words, width) => {
          const lines = wrap(words.join(' '), width);
          expect(lines.join(' ')).toBe(words.join(' '));
          for (const [index, line] of lines.entries()) {
            if (line.includes(' ')) expect(line.length).toBeLessThanOrEqual(width);
            const next = lines[index + 1]?.split(' ')[0];
            if (next !== undefined) expect(line.length + 1 + next.length).toBeGreaterThan(width);
          }
        },
      ),
    );
  });

  test('items stay whole', () => {
    expect(wrapItems(['12 failed', '3 passed', '4 blocked'], ', ', 20)).toEqual([
      '12 failed, 3 passed,',
      '4 blocked',
    ]);
    expect(wrapItems(['a b', 'c d'], '  ', 80)).toEqual(['a b  c d']);
    expect(wrapItems([], ', ', 80)).toEqual([]);
  });

  test('a command is broken between its arguments only', () => {
    expect(wrapCommand(`curl -sS -i -H 'a: b c' --data-binary 'it'\\''s one argument' http://x`, 30)).toEqual(
      ["curl -sS -i -H 'a: b c' \\", "  --data-binary 'it'\\''s one argument' \\", '  http://x'],
    );
    expect(wrapCommand('short', 30)).toEqual(['short']);
  });
});
