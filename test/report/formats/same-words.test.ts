import { describe, expect, test } from 'vitest';
import { type FormatName, renderFormat } from '../../../src/check/render/render-format.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { renderTerminal } from '../../../src/report/terminal/terminal.ts';
import { finding, resultOf, row } from '../results.ts';
import { failingOnShould } from './cells.ts';

async function textOf(result: TestResult, format: FormatName): Promise<string> {
  const [file] = await renderFormat(result, format);
  return file?.text ?? '';
}

/** How each format writes that a/b failed, and that it is a warning. */
const WORDS: Readonly<Record<string, { readonly failed: RegExp; readonly warning: RegExp }>> = {
  ctrf: { failed: /"name": "a\/b"[^}]*"status": "failed"/, warning: /"rawStatus": "warning"/ },
  github: { failed: /^::error title=\w+ a\/b::/m, warning: /^::warning title=\w+ a\/b::/m },
  html: {
    failed: /<span class="mark failed">failed<\/span> <code class="id">a\/b</,
    warning: /<span class="mark warning">warning<\/span> <code class="id">a\/b</,
  },
  junit: { failed: /name="a\/b">\s*<failure /, warning: /name="a\/b">\s*<system-out>warning: / },
  markdown: { failed: /^### Failed: `a\/b`/m, warning: /^### Warning: `a\/b`/m },
  sarif: {
    failed: /"ruleId": "a\/b"[^}]*"level": "error"/,
    warning: /"ruleId": "a\/b"[^}]*"level": "warning"/,
  },
  tap: { failed: /^not ok 1 - a\/b$/m, warning: /^not ok 1 - a\/b # TODO a warning/m },
};

describe.each(Object.entries(WORDS))('in the format %s, a failed row', (name, { failed, warning }) => {
  const failing = (level: 'MUST' | 'SHOULD' | 'MAY'): TestResult =>
    resultOf([row('a/b', 'failed', { level }), row('a/c', 'passed')], {
      findings: [finding('a/b', { level })],
    });
  const format = name as FormatName;

  test.each([
    ['MUST', failing('MUST')],
    ['SHOULD of a run that fails on SHOULD', failingOnShould(failing('SHOULD'))],
  ])('of level %s is a failure', async (_, result) => {
    const text = await textOf(result, format);
    expect(text).toMatch(failed);
    expect(text).not.toMatch(warning);
  });

  test.each([
    ['SHOULD', failing('SHOULD')],
    ['MAY', failing('MAY')],
    ['MAY of a run that fails on SHOULD', failingOnShould(failing('MAY'))],
  ])('of level %s is a warning', async (_, result) => {
    const text = await textOf(result, format);
    expect(text).toMatch(warning);
    expect(text).not.toMatch(failed);
  });
});

describe('what decided an incomplete run comes before warnings', () => {
  const result = resultOf(
    [row('a/may', 'failed', { level: 'MAY' }), row('a/undecided', 'undecided'), row('a/c', 'passed')],
    { findings: [finding('a/may', { level: 'MAY' }), finding('a/undecided', { outcome: 'undecided' })] },
  );

  test.each([
    ['markdown', '### Undecided: `a/undecided`', '### Warning: `a/may`'],
    ['html', 'id="fix-a-undecided"', 'id="fix-a-may"'],
    ['github', '::error title=MUST a/undecided', '::warning title=MAY a/may'],
  ] as const)('in the format %s', async (format, first, second) => {
    const text = await textOf(result, format);
    expect(text).toContain(first);
    expect(text.indexOf(first)).toBeLessThan(text.indexOf(second));
  });

  test('in the terminal', () => {
    const text = renderTerminal(result);
    expect(text).toMatch(/^\? a\/undecided .*\n! a\/may /m);
  });
});

describe('test cases for several changed entries of the baseline', () => {
  const problem = { kind: 'changed', requirement: 'a/b', function: 'add', message: 'it changed' } as const;
  const result = resultOf([row('a/b', 'failed')], {
    findings: [finding('a/b')],
    baseline: { entries: [], problems: [problem, problem] },
  });

  test.each([
    ['junit', /<testcase [^>]*name="([^"]*)"/g],
    ['ctrf', /"testId": "((?:[^"\\]|\\.)*)"/g],
    ['tap', /^(?:not )?ok \d+ - (.*)$/gm],
  ] as const)('have names of their own: %s', async (format, pattern) => {
    const names = [...(await textOf(result, format)).matchAll(pattern)].map(([, name]) => name);
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(3);
  });
});

describe('a page', () => {
  test('sets the code of rules and advice as code', async () => {
    const result = resultOf([row('a/b', 'failed', { text: 'the `status` is 200' })], {
      findings: [finding('a/b', { why: 'Clients call `fetch()`.', fix: 'Send `200` & no `<b>`.' })],
    });
    const text = await textOf(result, 'html');
    for (const shown of [
      'the <code>status</code> is 200',
      'Clients call <code>fetch()</code>.',
      'Send <code>200</code> &amp; no <code>&lt;b></code>.',
    ])
      expect(text).toContain(shown);
    expect(text.slice(text.indexOf('<body>'), text.lastIndexOf('<script>'))).not.toContain('`');
  });

  test('says in one clause that no listing was given', async () => {
    expect(await textOf(resultOf([row('a/b', 'passed')]), 'html')).toContain(
      '<dt>listing<dd>no listing was given</div>',
    );
  });
});
