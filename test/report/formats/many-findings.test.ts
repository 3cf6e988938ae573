import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { FORMAT_NAMES, renderFormat } from '../../../src/report/formats/formats.ts';
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

/** A page is opened by people; the others are taken by tools that refuse what is over ten megabytes, such as GitHub. */
const MOST_BYTES: Readonly<Record<string, number>> = {
  html: 2 * MEGABYTE,
  markdown: 65_536,
  github: 65_536,
  badge: 4096,
};

describe('5,000 findings over 60 requirements', () => {
  test.each(FORMAT_NAMES)('are rendered, and not too large: %s', async (format) => {
    const files = await renderFormat(RESULT, format);
    expect(readerOf(format).read(files).faults).toEqual([]);
    for (const { text } of files)
      expect(Buffer.byteLength(text)).toBeLessThan(MOST_BYTES[format] ?? 10 * MEGABYTE);
  });
});
