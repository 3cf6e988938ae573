import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeReport } from '../../src/check/judge-report.ts';
import { FORMAT_NAMES, renderFormat } from '../../src/check/render/render-format.ts';
import { readReport } from '../../src/report/read-report.ts';
import { serialiseReport } from '../../src/report/serialise-report.ts';

const FOLDER = 'reports/examples';
const NAMES = ['broken', 'reference-a', 'reference-b'];
/** There is one archive of exchanges, because each is large. */
const formatsOf = (name: string) => FORMAT_NAMES.filter((format) => format !== 'har' || name === 'broken');
const REMEDY =
  'Make the examples again: npm run examples (or, where only a format has changed, npm run examples -- --render)';

describe.each(NAMES)('the example %s', (name) => {
  test('matches the current suites and judgement', async () => {
    const saved = await readReport(path.join(FOLDER, `${name}.json`));
    const judged = await judgeReport(saved);
    expect(serialiseReport(judged) === serialiseReport(saved), REMEDY).toBe(true);
  });

  test.each(formatsOf(name))('matches the current output of the format %s', async (format) => {
    const result = await readReport(path.join(FOLDER, `${name}.json`));
    for (const { suffix, text } of await renderFormat(result, format))
      expect(readFileSync(path.join(FOLDER, `${name}${suffix}`), 'utf8') === text, REMEDY).toBe(true);
  });
});

test('all examples are tested', async () => {
  const result = await readReport(path.join(FOLDER, 'broken.json'));
  const filesOf = async (name: string): Promise<readonly string[]> => {
    const files = await Promise.all(formatsOf(name).map((format) => renderFormat(result, format)));
    return files.flat().map(({ suffix }) => `${name}${suffix}`);
  };
  const expected = (await Promise.all(NAMES.map(filesOf))).flat();
  expect(
    readdirSync(FOLDER)
      .filter((file) => !file.endsWith('.png'))
      .sort(),
  ).toEqual(expected.sort());
});
