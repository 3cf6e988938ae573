import MarkdownIt, { type Token } from 'markdown-it';
import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { finding, resultOf, row } from '../results.ts';
import { WHOLE } from './cells.ts';

function textOf(result: TestResult): string {
  return renderMarkdown(result)[0]?.text ?? '';
}

function headingsOf(result: TestResult): readonly string[] {
  return textOf(result)
    .split('\n')
    .filter((line) => line.startsWith('#'));
}

/** The inline tokens of the paragraph that starts with a word. */
function inlineOf(result: TestResult, start: string): readonly Token[] {
  const inline = new MarkdownIt()
    .parse(textOf(result), {})
    .find(({ type, content }) => type === 'inline' && content.startsWith(start));
  return inline?.children ?? [];
}

describe('a result as Markdown', () => {
  test('starts with the entries of the baseline that fail the run, and what to do about them', () => {
    expect(headingsOf(WHOLE).slice(0, 3)).toEqual([
      '## ❌ Probity: FAIL',
      '### The baseline is out of date',
      '### Failed: `health/failed-must` (MUST, section 4.2)',
    ]);
    expect(textOf(WHOLE)).toContain(
      '- no longer occurs: `health/passed-must`: `the accepted finding no longer occurs: remove the entry`',
    );
  });

  test('lists what the baseline accepts, with the reasons', () => {
    expect(headingsOf(WHOLE).at(-1)).toBe('### Accepted by the baseline');
    const list = textOf(WHOLE).split('### Accepted by the baseline\n\n')[1]?.split('\n\n')[0];
    expect(list?.split('\n')).toEqual([
      '- `execute/accepted`, until 2026-12-31: `the status is 503: the vendor fixes it in spring`',
      '- `execute/accepted-undecided`, until 2026-12-31: `the status is 503: the vendor fixes it in spring`',
      '- `execute/accepted-blocked`: `accepted until 2026-12-31: the vendor fixes it in spring`',
    ]);
  });

  test('counts warnings in the areas as in the heading', () => {
    const text = textOf(
      resultOf([row('a/must', 'failed'), row('a/may', 'failed', { level: 'MAY' }), row('a/ok', 'passed')]),
    );
    expect(text).toContain('1 passed, 1 failed, 1 warning,');
    expect(text).toContain(
      '| area | passed | failed | warning |\n| --- | ---: | ---: | ---: |\n| `a` | 1 | 1 | 1 |',
    );
  });

  test('sets the code of a fix as code, and escapes only markup', () => {
    const result = resultOf([row('a/b', 'failed')], {
      findings: [
        finding('a/b', { fix: 'Call `parse(a, b)`, not *eval*, for `[x](y)`; see http://127.0.0.1/`a`.' }),
      ],
    });
    expect(textOf(result)).toContain(
      '**Fix:** Call `parse(a, b)`, not \\*eval\\*, for `[x](y)`; see `http://127.0.0.1/a`.',
    );
    expect(
      inlineOf(result, '**Fix')
        .filter(({ type }) => type === 'code_inline')
        .map(({ content }) => content),
    ).toEqual(['parse(a, b)', '[x](y)', 'http://127.0.0.1/a']);
  });
});
