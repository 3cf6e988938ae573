import { describe, expect, it } from 'vitest';
import { renderFormat } from '../../../src/check/render/render-format.ts';
import type { ClientView } from '../../../src/model/client-view.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { renderTerminal } from '../../../src/report/terminal/terminal.ts';
import { reportView } from '../../../src/report/view/report-view.ts';
import { CLIENT_VIEW } from '../client-view.ts';
import { finding, resultOf, row } from '../results.ts';

const seen = (clientView?: ClientView, texts: readonly ('passed' | 'failed')[] = []): TestResult =>
  resultOf(
    [
      row('a/b', 'passed'),
      ...texts.map((outcome, index) => row(`texts/rule-${index}`, outcome, { level: 'SHOULD' })),
    ],
    {
      findings: texts.flatMap((outcome, index) =>
        outcome === 'failed' ? [finding(`texts/rule-${index}`, { level: 'SHOULD' })] : [],
      ),
      ...(clientView === undefined ? {} : { clientView }),
    },
  );
const linesOf = (result: TestResult) => Object.fromEntries(reportView(result).clients?.lines ?? []);

describe('what clients see', () => {
  it('is a line for each question', () => {
    expect(linesOf(seen(CLIENT_VIEW, ['passed', 'failed']))).toEqual({
      definitions: '2 functions, about 100 tokens (an estimate); most: search 75 (75 %), add 25 (25 %)',
      portable: 'to anthropic; 0 of 2 to openai-strict; 1 of 2 to gemini',
      texts: 'texts/rule-1 1 finding',
      contract: '1 breaking, 1 cosmetic changes since the file; 1 text may say something else to the model',
    });
  });

  it('says nothing of texts and contracts that were not judged, and names no function of one alone', () => {
    const { changes: _, ...rest } = CLIENT_VIEW;
    const alone = { ...rest, tokens: { ...rest.tokens, functions: rest.tokens.functions.slice(0, 1) } };
    expect(linesOf(seen({ ...alone, functions: 1 }))).toEqual({
      definitions: '1 function, about 100 tokens (an estimate)',
      portable: expect.any(String),
    });
    expect(linesOf(seen({ ...CLIENT_VIEW, changes: [] }, ['passed']))).toMatchObject({
      texts: 'no rule found something hidden, an order to the model or a secret',
      contract: 'no change since the file',
    });
  });

  it.each([['no list', undefined] as const, ['no function', { ...CLIENT_VIEW, functions: 0 }] as const])(
    'is left out with %s',
    async (_, clientView) => {
      const result = seen(clientView);
      expect(reportView(result).clients).toBeNull();
      for (const format of ['html', 'markdown'] as const)
        expect((await renderFormat(result, format))[0]?.text).not.toContain('What clients see');
      expect(renderTerminal(result)).not.toContain('portable');
    },
  );

  it('is in the terminal, in three or four lines', () => {
    const lines = renderTerminal(seen(CLIENT_VIEW), { columns: 120 }).split('\n');
    expect(lines.filter((line) => /^ {2}(definitions|portable|contract) /.test(line))).toHaveLength(3);
    expect(renderTerminal(seen(CLIENT_VIEW), { detail: 'full' })).toContain(
      'What clients see\n  definitions ',
    );
    expect(renderTerminal(seen(CLIENT_VIEW), { detail: 'verdict' })).not.toContain('definitions');
  });

  it('is a table of functions and profiles in a page, with the smallest changes', async () => {
    const [file] = await renderFormat(seen(CLIENT_VIEW), 'html');
    const text = file?.text ?? '';
    expect(text).toContain('<h2 id="clients-title">What clients see</h2>');
    expect(text).toMatch(/<code>search<\/code>.*?<td>75.*?<td>yes.*?<td class="no">no.*?<td class="no">no/s);
    expect(text).toContain('add "additionalProperties": false');
    expect(text).toContain('and 3 more problems, in the JSON report');
    expect(text).toContain('function search: the argument "unit" is required now');
    expect(text).toContain('the description was changed; it may say something else to the model');
  });

  it('names the changes that break callers in a comment', async () => {
    const [file] = await renderFormat(seen(CLIENT_VIEW), 'markdown');
    expect(file?.text).toContain('- `function search: the argument "unit" is required now`');
    expect(file?.text).not.toContain('the description was changed');
    expect(file?.text).toContain('| `OpenAI functions, strict` | 0 of 2 |');
  });
});
