import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName, renderFormat } from '../../../src/check/render/render-format.ts';
import { BENCH, CELLS, PASSING, UNREACHABLE, WHOLE } from './cells.ts';

const FOLDER = path.join(import.meta.dirname, 'golden');
const UPDATES = process.env.PROBITY_UPDATE_GOLDEN === '1';

const RESULTS = [
  ...CELLS,
  { name: 'whole', result: WHOLE },
  { name: 'passing', result: PASSING },
  { name: 'bench', result: BENCH },
  { name: 'unreachable', result: UNREACHABLE },
];

/** All files of a format, each after a line with its name. */
async function allFilesOf(format: FormatName): Promise<string> {
  const sections = await Promise.all(
    RESULTS.map(async ({ name, result }) =>
      (await renderFormat(result, format)).map(
        ({ suffix, text }) =>
          `=== ${name} probity${suffix}\n${text}${text.endsWith('\n') ? '' : '\n(no line end)\n'}`,
      ),
    ),
  );
  return sharingParts(sections.flat()).join('');
}

/** Styles and scripts are the same in every page, so they are stored only once. */
function sharingParts(sections: readonly string[]): readonly string[] {
  const known = new Map<string, number>();
  return sections.map((section) =>
    section.replaceAll(/(?<=<(?:style|script)\b[^>]*>)[\s\S]{500,}?(?=<\/(?:style|script)>)/g, (part) => {
      const number = known.get(part);
      if (number !== undefined) return `(part ${number} again)`;
      known.set(part, known.size + 1);
      return `(part ${known.size})${part}`;
    }),
  );
}

describe('the output of a format for each outcome and level, and for whole results', () => {
  test.each(FORMAT_NAMES)('matches the golden: %s', async (format) => {
    const file = path.join(FOLDER, `${format}.txt`);
    const made = await allFilesOf(format);
    if (UPDATES) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, made);
    }
    expect(
      existsSync(file),
      `The format ${format} has no ${path.relative('.', file)}. Make it with PROBITY_UPDATE_GOLDEN=1 npx vitest run test/report/formats/golden.test.ts, and read it before you keep it.`,
    ).toBe(true);
    expect(made).toBe(readFileSync(file, 'utf8'));
  });
});
