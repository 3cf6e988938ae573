import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../src/model/report.ts';
import { COLOURS } from '../../src/report/formats/palette.ts';
import { renderTerminal } from '../../src/report/formats/terminal.ts';
import { wrapCommand } from '../../src/report/formats/wrap.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { craftedText, isCommand, LIVE } from './live-text.ts';
import { finding, resultOf, row } from './results.ts';

const OUTCOMES = ['failed', 'passed', 'blocked', 'inconclusive', 'inapplicable'] as const;

/** A result with something in every part that the renderer looks at. */
const FULL: TestResult = resultOf(
  OUTCOMES.flatMap((outcome) => [
    row(`health/${outcome}`, outcome, { blockedBy: 'health/failed', reason: 'why not' }),
    row(`execute/${outcome}`, outcome, { level: 'SHOULD', blockedBy: 'execute/inconclusive' }),
  ]),
  {
    findings: (['failed', 'inconclusive'] as const).flatMap((outcome) =>
      (['server', 'network', 'harness'] as const).map((fault, index) =>
        finding(`health/${outcome}`, {
          outcome,
          fault,
          fix: `fix ${index % 2}`,
          curl: index === 0 ? null : `curl -sS 'a b' "c" http://127.0.0.1/${index}`,
          where: {
            suite: 's.yaml',
            line: 1,
            column: 2,
            step: 'a/b',
            function: 'add',
            case: 'small',
            pointer: '/a',
          },
        }),
      ),
    ),
    responseTimes: [
      {
        operation: 'health',
        count: 3,
        errors: 1,
        minMs: 1,
        meanMs: 2,
        maxMs: 3,
        p50Ms: 2,
        intervals: { p50: [1, 3] },
      },
    ],
    facts: [
      { name: 'form', text: 'form B' },
      { name: 'bound', text: 'a bound' },
    ],
  },
);

/** Words of our own, on which the shape of a report depends. */
const OUR_WORDS = new Set([
  'level',
  'outcome',
  'severity',
  'fault',
  'verdict',
  'operation',
  'capabilities',
  'execute',
]);

/** The same with every text replaced by the next of these, but for our own words if they are to be kept. */
function replaced<T>(value: T, texts: readonly string[], keepsWords: boolean): T {
  let turn = 0;
  const walk = (part: unknown, key: string): unknown => {
    if (typeof part === 'string') {
      if (keepsWords && OUR_WORDS.has(key)) return part;
      turn += 1;
      return texts[turn % texts.length] ?? part;
    }
    if (Array.isArray(part)) return part.map((item) => walk(item, key));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner, name)]));
  };
  return walk(value, '') as T;
}

const anyText = fc.oneof(
  craftedText,
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\n', "'", '"', '\\', '-x', '\u001B[31m', '\u202E'),
    maxLength: 60,
  }),
);
const texts = fc.array(anyText, { minLength: 1, maxLength: 30 });

describe('a report of any texts', () => {
  test('is rendered, and does nothing to a terminal or to a CI system', () => {
    fc.assert(
      fc.property(
        texts,
        fc.option(fc.integer({ min: -5, max: 300 }), { nil: undefined }),
        (words, columns) => {
          const rendered = renderTerminal(replaced(FULL, words, true), {
            ...(columns === undefined ? {} : { columns }),
            reportFile: words[0] ?? '',
          });
          expect(rendered.replaceAll('\n', '')).not.toMatch(LIVE);
          expect(rendered.split('\n').filter(isCommand)).toEqual([]);
        },
      ),
      { numRuns: 600 },
    );
  });

  test('is rendered in colours that are ours alone', () => {
    fc.assert(
      fc.property(texts, (words) => {
        const rendered = renderTerminal(replaced(FULL, words, true), { palette: COLOURS });
        expect(rendered.replaceAll(/\u001B\[(0|1|2|31|32|33)m|\n/g, '')).not.toMatch(LIVE);
      }),
      { numRuns: 200 },
    );
  });

  test('is rendered even where words of our own are not as they should be', () => {
    fc.assert(
      fc.property(texts, (words) => {
        expect(renderTerminal(replaced(FULL, words, false)).endsWith('\n')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('is written as JSON that says the same, and does nothing', () => {
    fc.assert(
      fc.property(texts, (words) => {
        const result = replaced(FULL, words, false);
        const written = serialiseReport(result);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(result)));
        expect(written.replaceAll('\n', '')).not.toMatch(LIVE);
        expect(written.split('\n').filter(isCommand)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['quotation marks', `''`],
    ['quotation marks of both kinds', `"'`],
    ['quotation marks that are escaped', `'\\''`],
    ['backslashes', '\\'],
    ['blanks', ' '],
    ['words', 'a '],
    ['colons', ' ::a'],
    ['controls', '\u001B'],
    ['halves of characters', '\uD800'],
  ])('of a megabyte of %s each is rendered, and no longer than can be read', (_, unit) => {
    const long = unit.repeat(1_000_000 / unit.length);
    const [first] = FULL.findings;
    const result = resultOf([row('health/failed', 'failed')], {
      findings: [
        finding('health/failed', {
          ...first,
          message: long,
          expected: long,
          received: long,
          where: { ...finding('a/b').where, function: long, case: long, pointer: long },
        }),
      ],
      target: { ...FULL.target, name: long, version: long },
      facts: [{ name: 'bound', text: long }],
    });
    expect(renderTerminal(result).length).toBeLessThan(300_000);
    expect(() =>
      renderTerminal({ ...result, findings: [finding('health/failed', { curl: long })] }),
    ).not.toThrow();
  });
});

describe('a command that is broken into lines', () => {
  test('keeps every piece of it, in order', () => {
    const command = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', "'", '"', '\\', '-x', '-'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(command, fc.integer({ min: 5, max: 60 }), (text, width) => {
        const lines = wrapCommand(text, width).map((line, index, all) =>
          index < all.length - 1 ? line.slice(0, -2) : line,
        );
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
      { numRuns: 2000 },
    );
  });
});
