import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, renderFormat } from '../../../src/check/render/render-format.ts';
import type { BaselineProblem } from '../../../src/model/judgement.ts';
import { isMeasurement } from '../../../src/model/measurement.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { fullResult } from '../full-result.ts';
import { finding, resultOf, row } from '../results.ts';
import { readerOf } from './readers.ts';

const REQUIREMENTS = 60;
const FINDINGS = 5000;
const MEGABYTE = 1_000_000;

const ids = Array.from({ length: REQUIREMENTS }, (_, index) => `area-${index % 12}/requirement-${index}`);
const RESULT: TestResult = resultOf(
  ids.map((id) => row(id, 'failed', { text: 'Each of many functions keeps to it.' })),
  {
    findings: Array.from({ length: FINDINGS }, (_, index) => {
      const id = ids[index % REQUIREMENTS] ?? '';
      return finding(id, {
        message: `the parameter ${index} has no description`,
        where: {
          ...finding(id).where,
          function: `function-${index}`,
          pointer: `/functions/${index}/parameters/0`,
        },
        fingerprint: (index % 100).toString(16).padStart(16, '0'),
      });
    }),
  },
);

/** The page is for people; tools such as GitHub refuse other files over ten megabytes. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  html: 2 * MEGABYTE,
  markdown: 65_536,
  github: 65_536,
  badge: 4096,
};

describe('5,000 findings over 60 requirements', () => {
  test.each(FORMAT_NAMES)('are rendered within the size limit: %s', async (format) => {
    const files = await renderFormat(RESULT, format);
    expect(readerOf(format).read(files).faults).toEqual([]);
    for (const { text } of files)
      expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES[format] ?? 10 * MEGABYTE);
  });
});

describe('300 outdated baseline entries beside failures', () => {
  const problems = Array.from(
    { length: 300 },
    (_, index): BaselineProblem => ({
      kind: 'changed',
      requirement: ids[index % REQUIREMENTS] ?? '',
      function: `function-${index}`,
      message: `the finding changed: ${'\u202E'.repeat(300)}`,
    }),
  );
  const result: TestResult = { ...RESULT, baseline: { entries: [], problems } };

  test('leave a comment short enough, and are counted', async () => {
    const [file] = await renderFormat(result, 'markdown');
    expect(file?.text.length).toBeLessThan(65_536);
    expect(file?.text).toMatch(/- and \d+ more entries, in the JSON report/);
  });

  test('leave the verdict among the ten annotations that are shown', async () => {
    const [file] = await renderFormat(result, 'github');
    const errors = file?.text.split('\n').filter((line) => line.startsWith('::error')) ?? [];
    expect(errors.length).toBeLessThanOrEqual(10);
    expect(errors[0]).toContain('300 baseline entries are out of date.');
    expect(errors.at(-1)).toContain('title=probity%3A ');
  });

  test('are listed one by one if nothing else fails', async () => {
    const alone = { ...result, results: [], findings: [] };
    const [file] = await renderFormat(alone, 'github');
    const errors = file?.text.split('\n').filter((line) => line.startsWith('::error')) ?? [];
    expect(errors).toHaveLength(10);
    expect(errors.at(-2)).toContain('and 292 more entries, in the JSON report');
  });
});

test('long names with hidden characters leave a comment short enough', async () => {
  const name = '\u202E'.repeat(5000);
  const [times] = fullResult().responseTimes.filter(isMeasurement);
  if (times === undefined) throw new Error('nothing was timed');
  const responseTimes = Array.from({ length: 50 }, () => ({ ...times, function: name }));
  const [file] = await renderFormat({ ...RESULT, responseTimes }, 'markdown');
  expect(file?.text.length).toBeLessThan(65_536);
});
