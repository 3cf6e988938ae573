import { expect, test } from 'vitest';
import { renderFormat } from '../../../src/check/render/render-format.ts';
import { BENCH } from './cells.ts';

test.each(['markdown', 'github', 'html', 'badge', 'tap'] as const)(
  'a measured load has no verdict: %s',
  async (format) => {
    const [file] = await renderFormat({ ...BENCH, verdict: 'incomplete' }, format);
    expect(file?.text).not.toMatch(/INCOMPLETE|::error|could be decided/);
  },
);
