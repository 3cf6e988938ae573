import { describe, expect, test } from 'vitest';
import { slackMessage } from '../../src/notify/slack-message.ts';
import { PASSING, WHOLE } from '../report/formats/cells.ts';
import { finding, resultOf, row } from '../report/results.ts';

describe('a message for Slack', () => {
  test('has the verdict, the first causes, the counts and a link', () => {
    const { text, blocks } = slackMessage(WHOLE, 'https://ci.example.com/run_1?a=1&b=2');
    expect(text).toMatch(/^probity: FAIL http:\/\/127\.0\.0\.1:3000: The contract is broken/);
    const all = JSON.stringify(blocks);
    expect(all).toContain('• baseline, expired: health/failed-must');
    expect(all).toMatch(/and \d+ more causes?, in the report/);
    expect(all).toContain('<https://ci.example.com/run_1?a=1&amp;b=2|Open the run>');
  });

  test('has a line for each cause, not for each requirement', () => {
    const message = 'the Content-Type header is missing';
    const ids = ['health', 'capabilities', 'execute'].map((area) => `${area}/content-type`);
    const result = resultOf(
      ids.map((id) => row(id, 'failed')),
      { findings: ids.map((id) => finding(id, { message })) },
    );
    const [, causes] = slackMessage(result, null).blocks;
    expect(causes).toMatchObject({
      text: {
        text: expect.stringMatching(
          /^• MUST health\/content-type \(failed\): .*; also explains 2 requirements$/,
        ),
      },
    });
  });

  test('of a pass has no causes, and no link without a job', () => {
    const { blocks } = slackMessage(PASSING, null);
    expect(blocks).toHaveLength(2);
    expect(JSON.stringify(blocks)).not.toContain('<');
  });

  test.each([
    '<!channel> <@U123> <#C1> <https://example.com|click>',
    '@channel @here @everyone',
    '*bold* _italics_ ~struck~ `code` ```block```',
    '&lt;!channel&gt;',
    'x\n> quoted \u202E \u0000',
  ])('mentions and marks nothing for the text %j', (text) => {
    const result = resultOf([row('a/b', 'failed')], {
      findings: [finding('a/b', { message: text })],
      target: { url: `http://127.0.0.1/?${text}`, form: { capabilities: null, execute: null } },
    });
    const message = slackMessage(result, null);
    const shown = JSON.stringify(message).replaceAll('*probity*', '');
    expect(shown).not.toMatch(/[<>]|@(?!\u2060)|[*_~`](?!\u2060)|&(?!amp;|lt;|gt;)/);
    expect(shown).not.toMatch(/\u202E|\\u0000/);
  });

  test('keeps to the limits of Slack', () => {
    const rows = Array.from({ length: 100 }, (_, index) => row(`a/${index}`, 'failed'));
    const findings = rows.map(({ id }) => finding(id, { message: '&'.repeat(5000) }));
    const target = {
      url: `http://127.0.0.1/${'&'.repeat(5000)}`,
      form: { capabilities: null, execute: null },
    };
    const { blocks } = slackMessage(resultOf(rows, { findings, target }), null);
    const [heading, causes] = blocks as readonly { readonly text: { readonly text: string } }[];
    expect(heading?.text.text.length).toBeLessThanOrEqual(3000);
    expect(causes?.text.text.length).toBeLessThanOrEqual(3000);
  });
});
