import { validate } from 'ctrf';
import { describe, expect, test } from 'vitest';
import { renderTogether, TOGETHER_FORMATS } from '../../../src/check/render/render-targets.ts';
import type { NamedResult } from '../../../src/report/target-entry.ts';
import { LIVE } from '../live-text.ts';
import { CELLS, PASSING, UNREACHABLE, WHOLE } from './cells.ts';
import { HOSTILE } from './hostile-texts.ts';
import { validateSarif } from './read-json.ts';
import { tapEvents } from './read-tap.ts';
import { parseXml } from './read-xml.ts';
import { readerOf } from './readers.ts';

const TARGETS: readonly NamedResult[] = [
  { name: 'calm', result: PASSING },
  { name: 'broken', result: WHOLE },
  { name: 'away', result: UNREACHABLE },
];

async function textOf(
  format: (typeof TOGETHER_FORMATS)[number],
  targets: readonly NamedResult[] = TARGETS,
): Promise<string> {
  const [file] = await renderTogether(targets, format);
  return file?.text ?? '';
}

describe('several targets in one file', () => {
  test.each(TOGETHER_FORMATS)(
    'as %s are read by an independent reader, whatever their names are',
    async (format) => {
      const hostile = HOSTILE.map(
        (name, index): NamedResult => ({
          name,
          result: CELLS[index % CELLS.length]?.result ?? PASSING,
        }),
      );
      const text = await textOf(format, hostile);
      for (const line of text.split('\n')) expect(line).not.toMatch(LIVE);
      const { faults } = readerOf(format).read([{ suffix: '', text }]);
      const subtests = faults.filter((fault) => fault.startsWith('an unexpected event: ["child",'));
      expect(faults).toEqual(subtests);
      expect(subtests).toHaveLength(format === 'tap' ? HOSTILE.length : 0);
    },
  );

  test('as JUnit have their own suites and properties', async () => {
    const root = parseXml(await textOf('junit'));
    const suites = root.children.map(({ attributes }) => attributes.name ?? '');
    expect(suites.map((name) => name.split(':')[0])).toEqual(
      expect.arrayContaining(['calm', 'broken', 'away']),
    );
    expect(new Set(suites).size).toBe(suites.length);
    expect(Number(root.attributes.tests)).toBe(
      root.children.reduce((sum, { attributes }) => sum + Number(attributes.tests), 0),
    );
    const urls = root.children.map(
      ({ children }) =>
        children[0]?.children.find(({ attributes }) => attributes.name === 'target.url')?.attributes.value,
    );
    expect(urls.every((url) => url?.startsWith('http'))).toBe(true);
  });

  test('as SARIF are a run each, with a category of its own', async () => {
    const log = JSON.parse(await textOf('sarif'));
    expect(validateSarif(log), JSON.stringify(validateSarif.errors)).toBe(true);
    const categories = log.runs.map(
      ({ automationDetails }: { automationDetails: { id: string } }) => automationDetails.id.split('/')[0],
    );
    expect(categories).toEqual(['probity-calm', 'probity-broken', 'probity-away']);
  });

  test('as CTRF are one valid report, in which no two tests have the same id', async () => {
    const report = JSON.parse(await textOf('ctrf'));
    expect(validate(report)).toMatchObject({ valid: true });
    const ids: readonly string[] = report.results.tests.map(({ testId }: { testId: string }) => testId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(report.results.summary.tests).toBe(ids.length);
  });

  test('as TAP are a subtest each, and pass only if each target does', async () => {
    const outcomes = async (targets: readonly NamedResult[]): Promise<unknown> => {
      const complete = tapEvents(await textOf('tap', targets)).find(([event]) => event === 'complete');
      return (complete?.[1] as { readonly ok: boolean } | undefined)?.ok;
    };
    expect(await outcomes(TARGETS.slice(0, 1))).toBe(true);
    expect(await outcomes(TARGETS)).toBe(false);
    const names = tapEvents(await textOf('tap')).flatMap(([event, point]) =>
      event === 'assert' ? [(point as { readonly name: string }).name] : [],
    );
    expect(names).toEqual(['calm', 'broken', 'away']);
  });

  test('as Markdown are a table and the reports of those that did not pass', async () => {
    const text = await textOf('markdown');
    expect(text).toContain('3 targets: 1 pass, 1 unreachable, 1 fail');
    expect(text).toMatch(/^\| `broken` \| fail \| \d+/m);
    expect(text.match(/^## .*Probity: (FAIL|UNREACHABLE)$/gm)).toHaveLength(2);
    expect(text.length).toBeLessThan(65_536);
  });
});
