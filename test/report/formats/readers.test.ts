import { describe, expect, test } from 'vitest';
import { readGithub } from './read-github.ts';
import { readHtml } from './read-html.ts';
import { readSarif } from './read-json.ts';
import { readMarkdown } from './read-markdown.ts';
import { readTap } from './read-tap.ts';
import { parseXml } from './read-xml.ts';

const file = (text: string) => ({ suffix: '', text });

describe('a reader finds forbidden content', () => {
  test.each([
    '[x](http://example.com)',
    'see http://example.com',
    '![i](http://example.com/i.png)',
    '<img src=x onerror=alert(1)>',
    'text <b>bold</b>',
    'ask @org/team',
  ])('in Markdown: %s', (text) => {
    expect(readMarkdown(file('all is `well`, @ none')).faults).toEqual([]);
    expect(readMarkdown(file(text)).faults).toHaveLength(text.startsWith('text') ? 2 : 1);
  });

  test.each(['Bail out! over', 'random words', '    # Subtest: a\n    ok 1\n    1..1'])(
    'in TAP: %s',
    (text) => {
      expect(readTap(file('TAP version 14\n1..1\nok 1 - a\n')).faults).toEqual([]);
      expect(readTap(file(`TAP version 14\n1..1\nok 1 - a\n${text}\n`)).faults).not.toEqual([]);
    },
  );

  test.each(['::set-output name=a::b', 'words', '::stop-commands::x'])('in a log of GitHub: %s', (text) => {
    expect(readGithub(file('::error title=a::b\n')).faults).toEqual([]);
    expect(readGithub(file(`::error title=a::b\n${text}\n`)).faults).toEqual([`no command of ours: ${text}`]);
  });

  test('and decodes the escapes of GitHub’s commands', () => {
    expect(readGithub(file('::error title=a%3A%2C%25::b%0Ac%2525\n')).texts).toEqual(['a:,%', 'b', 'c%25']);
  });

  test.each([
    '<p onclick="alert(1)">a</p>',
    '<a href="javascript:alert(1)">a</a>',
    '<a href=" JavaScript:alert(1)">a</a>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<template><img src=x onerror=alert(1)></template>',
  ])('in a page: %s', (text) => {
    expect(readHtml(file('<p>fine <a href="https://example.com">a</a></p>')).faults).toEqual([]);
    expect(readHtml(file(text)).faults).not.toEqual([]);
  });

  test('and counts active elements of a page', () => {
    expect(readHtml(file('<p>a</p><script>b()</script><svg></svg>')).structure).toEqual(['script', 'svg']);
    expect(readHtml(file('<p>a &lt;script&gt; <b>b</b></p>'))).toMatchObject({
      structure: [],
      texts: expect.arrayContaining(['a <script> b']),
    });
  });

  test.each([
    '<a><!-- c --></a>',
    '<!DOCTYPE a><a/>',
    '<a><![CDATA[c]]></a>',
    '<a>\uFFFE</a>',
    '<a b></a>',
    '<a>&b;</a>',
  ])('in XML: %s', (text) => {
    expect(() => parseXml(text)).toThrow();
  });

  test('in SARIF: a non-standard property, and a link', () => {
    const driver = { name: 'a' };
    const log = (run: object) =>
      file(JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver }, ...run }] }));
    expect(readSarif(log({})).faults).toEqual([]);
    expect(readSarif(log({ made: 'up' })).faults).toHaveLength(1);
    const result = (text: string) => ({
      ruleId: 'a',
      level: 'none',
      message: { text },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'a' } } }],
    });
    expect(readSarif(log({ results: [result('fine')] })).faults).toEqual([]);
    expect(readSarif(log({ results: [result('[x](http://example.com)')] })).faults).toHaveLength(1);
  });
});
