import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serialiseReport } from '../../src/report/serialise-report.ts';
import { COLOURS } from '../../src/report/terminal/layout.ts';
import { wrapCommand } from '../../src/report/view/wrap.ts';
import { FULL, replaced, texts } from './any-texts.ts';
import { isCommand, LIVE } from './live-text.ts';
import { renderFull } from './render-full.ts';
import { finding, resultOf, row } from './results.ts';

describe('a report of any texts', () => {
  test('is rendered without effect on a terminal or a CI system', () => {
    fc.assert(
      fc.property(
        texts,
        fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
        (words, columns) => {
          const rendered = renderFull(replaced(FULL, words, true), {
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

  test('is rendered only in our colours', () => {
    fc.assert(
      fc.property(texts, (words) => {
        const rendered = renderFull(replaced(FULL, words, true), { palette: COLOURS });
        expect(rendered.replaceAll(/\u001B\[(0|1|2|31|32|33)m|\n/g, '')).not.toMatch(LIVE);
      }),
      { numRuns: 200 },
    );
  });

  test('is rendered even if fixed words are invalid', () => {
    fc.assert(
      fc.property(texts, (words) => {
        expect(renderFull(replaced(FULL, words, false)).endsWith('\n')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('is written as equivalent JSON without effect on a terminal', () => {
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
    ['lone surrogates', '\uD800'],
  ])('of a megabyte of %s each is rendered and shortened', (_, unit) => {
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
    expect(renderFull(result).length).toBeLessThan(300_000);
    expect(() =>
      renderFull({ ...result, findings: [finding('health/failed', { curl: long })] }),
    ).not.toThrow();
  });
});

describe('a command that is broken into lines', () => {
  test('keeps all pieces in order', () => {
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
