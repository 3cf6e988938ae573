import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import {
  DIFF_FORMAT_NAMES,
  type DiffFormatName,
  renderDiffFormat,
} from '../../../src/check/render/render-compared.ts';
import { encodeHistogram } from '../../../src/latency/encoded-histogram.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { diffResults, type ResultDiff } from '../../../src/report/compare/diff-results.ts';
import { renderDiff } from '../../../src/report/terminal/diff-terminal.ts';
import { histogramOf } from '../../latency/histogram-of.ts';
import { startBrowser, whyNoBrowser } from '../../set-up/browser.ts';
import { unless } from '../../set-up/skips.ts';
import { expectAccessible } from '../accessibility.ts';
import { isCommand, LIVE } from '../live-text.ts';
import { finding, resultOf, row } from '../results.ts';
import { MEASURED } from './cells.ts';
import { HOSTILE } from './hostile-texts.ts';
import { parseXml, type XmlElement } from './read-xml.ts';
import { readerOf } from './readers.ts';

/** Every kind of change; all that comes from the target is this text. */
function diffOf(text: string): ResultDiff {
  const where = { ...finding('a/still').where, function: text, case: text, pointer: text };
  const told = { message: text, expected: text, received: text, fix: text, where };
  const times = (ms: number) => ({
    ...MEASURED,
    operation: 'execute' as const,
    function: text,
    p50Ms: ms,
    samples: 75,
    histogram: encodeHistogram(histogramOf(Array.from({ length: 75 }, () => ms * 1000))),
  });
  const before = resultOf(
    [
      row('a/worse', 'passed'),
      row('a/better', 'failed'),
      row('a/still', 'failed'),
      row('a/open', 'passed'),
      row('a/gone', 'passed'),
    ],
    {
      findings: [
        finding('a/better', told),
        finding('a/still', { ...told, fingerprint: '1' }),
        finding('a/still', { where: finding('a/still').where, fingerprint: '2' }),
      ],
      responseTimes: [times(10), { ...times(10), function: `${text}, twice` }],
      target: { ...resultOf([]).target, name: 'earlier' },
    },
  );
  const after = resultOf(
    [
      row('a/worse', 'failed'),
      row('a/better', 'passed'),
      row('a/still', 'failed'),
      row('a/open', 'blocked', { blockedBy: 'a/worse' }),
      row('a/new', 'failed', { level: 'SHOULD' }),
    ],
    {
      findings: [
        finding('a/worse', told),
        finding('a/still', { ...told, fingerprint: '3' }),
        finding('a/still', { ...told, fingerprint: '4' }),
        finding('a/new', told),
      ],
      responseTimes: [times(30), { ...times(5), function: `${text}, twice` }],
      target: { ...before.target, name: text, url: `http://127.0.0.1:3000/?q=${text}` },
    },
  );
  return diffResults(before, after);
}

const DIFF = diffOf('tame');
const SAME = diffResults(resultOf([row('a/b', 'passed')]), resultOf([row('a/b', 'passed')]));

describe.each(DIFF_FORMAT_NAMES)(
  'text from a target, in a diff in the format %s',
  (format: DiffFormatName) => {
    const reader = readerOf(format);

    test.each(HOSTILE.map((text) => [JSON.stringify(text), text]))('stays text: %s', async (_, text) => {
      const render = async (said: string) => ({
        suffix: '',
        text: await renderDiffFormat(diffOf(said), format),
      });
      const [tame, hostile] = await Promise.all([render('tame'), render(text)]);
      const [expected, reading] = [reader.read([tame]), reader.read([hostile])];
      expect(reading.faults).toEqual([]);
      expect(reading.structure).toEqual(expected.structure);
      expect(hostile.text.replaceAll('\n', '').match(new RegExp(LIVE, 'gu'))).toEqual(
        tame.text.replaceAll('\n', '').match(new RegExp(LIVE, 'gu')),
      );
      expect(hostile.text.split('\n').filter(isCommand)).toEqual([]);
      const told = reader.told?.(text).trim() ?? '';
      expect(reading.texts.some((shown) => shown.includes(told))).toBe(true);
    });
  },
);

describe('a diff says the same in every format', () => {
  test.each(DIFF_FORMAT_NAMES)('with each change by name: %s', async (format) => {
    const rendered = await renderDiffFormat(DIFF, format);
    const text = rendered.replaceAll('<span class="arrow">→</span>', '→');
    for (const id of ['a/worse', 'a/better', 'a/still', 'a/open', 'a/new', 'a/gone'])
      expect(text).toContain(id);
    for (const words of ['passed → failed, MUST', 'blocked by a/worse', '10.01 ms → 30.02 ms, 3.00 times'])
      expect(text).toContain(words);
    expect(text).toContain('WORSE');
  });

  test('as the terminal', () => {
    const text = renderDiff(DIFF);
    expect(text).toContain('WORSE  a/worse  passed → failed, MUST');
    expect(text).toContain(
      'Something got worse, and something better. Some calls are slower, others faster.',
    );
  });

  test.each(DIFF_FORMAT_NAMES)('also if nothing changed: %s', async (format) => {
    const text = await renderDiffFormat(SAME, format);
    expect(text).toContain('SAME');
    expect(text).toContain('Nothing changed: ');
  });
});

describe('a diff as JUnit XML', () => {
  const cases = (diff: ResultDiff, failsOnSlower = false): Promise<readonly XmlElement[]> =>
    renderDiffFormat(diff, 'junit', failsOnSlower).then((text) =>
      parseXml(text)
        .children.flatMap(({ children }) => children)
        .filter(({ name }) => name === 'testcase'),
    );
  const kindsOf = (all: readonly XmlElement[]) =>
    Object.fromEntries(
      all.map(({ attributes, children }) => [attributes.name, children.map(({ name }) => name)]),
    );

  test('matches the Jenkins schema', async () => {
    const schema = readFileSync(new URL('schemas/junit-10.xsd', import.meta.url), 'utf8');
    const texts = await Promise.all([DIFF, SAME].map(async (diff) => renderDiffFormat(diff, 'junit')));
    const xml = texts.map((contents, index) => ({ fileName: `${index}.xml`, contents }));
    const { valid, errors } = await validateXML({ xml, schema });
    expect(errors).toEqual([]);
    expect(valid).toBe(true);
  });

  test('fails for what got worse, and only for that', async () => {
    const place = 'a/still, function "tame"';
    expect(kindsOf(await cases(DIFF))).toEqual({
      'a/worse': ['failure'],
      'a/open': ['skipped', 'system-out'],
      'a/new': ['system-out'],
      'a/better': ['system-out'],
      'a/gone': ['system-out'],
      [place]: ['system-out'],
      [`${place} (2)`]: ['failure'],
      'a/still': ['system-out'],
      'execute:tame': ['system-out'],
      'execute:tame, twice': ['system-out'],
    });
  });

  test('fails for slower calls only if they count as worse', async () => {
    const kinds = kindsOf(await cases(DIFF, true));
    expect(kinds['execute:tame']).toEqual(['failure']);
    expect(kinds['execute:tame, twice']).toEqual(['system-out']);
  });

  test('fails if the target no longer answers', async () => {
    const base = resultOf([row('a/b', 'passed')]);
    const silent = { ...base, reachable: false };
    expect(kindsOf(await cases(diffResults(base, silent)))).toEqual({ target: ['failure'] });
    expect(kindsOf(await cases(diffResults(silent, base)))).toEqual({ target: ['system-out'] });
  });
});

test('a diff of thousands of findings fits a comment and a page', async () => {
  const ids = Array.from({ length: 300 }, (_, index) => `area/requirement-${index}`);
  const before = resultOf(ids.map((id) => row(id, 'passed')));
  const long = '\u202E'.repeat(3000);
  const after: TestResult = resultOf(
    ids.map((id) => row(id, 'failed')),
    {
      findings: ids.flatMap((id) =>
        Array.from({ length: 20 }, (_, index) =>
          finding(id, { message: `${index} ${long}`, fingerprint: `${index}` }),
        ),
      ),
    },
  );
  const diff = diffResults(before, after);
  const markdown = await renderDiffFormat(diff, 'markdown');
  expect(markdown.length).toBeLessThan(65_536);
  expect(markdown).toMatch(/- and \d+ more; `--format json` has all/);
  expect((await renderDiffFormat(diff, 'html')).match(/<details/g)).toHaveLength(200);
});

describe('a diff as a page', unless(whyNoBrowser()), () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'probity-diff-'));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('is accessible, also on a phone, and loads nothing', async () => {
    const file = path.join(folder, 'diff.html');
    await writeFile(file, await renderDiffFormat(DIFF, 'html'));
    const page = await browser.newPage({ viewport: { width: 375, height: 700 } });
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    page.on('request', (request) => problems.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    await expectAccessible(page);
    expect(problems).toEqual([pathToFileURL(file).href]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
  });
});
