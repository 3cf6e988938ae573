import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, renderFormat } from '../../../src/check/render/render-format.ts';
import { FULL, replaced, texts } from '../any-texts.ts';
import { WHOLE } from './cells.ts';
import { readerOf } from './readers.ts';

describe.each(FORMAT_NAMES)('a result of any texts, in the format %s', (format) => {
  test('is rendered, even where words of our own are not as they should be', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(FULL, WHOLE), async (words, result) => {
        const files = await renderFormat(replaced(result, words, false), format);
        expect(files.every(({ text }) => text !== '')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('is readable and has no effect', async () => {
    const { read } = readerOf(format);
    await fc.assert(
      fc.asyncProperty(texts, async (words) => {
        // Times and addresses are fixed too, because a schema requires their form.
        const { startedAt, finishedAt, harness } = FULL;
        const result = { ...replaced(FULL, words, true), startedAt, finishedAt, harness };
        expect(read(await renderFormat(result, format)).faults).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
