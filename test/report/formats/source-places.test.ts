import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../../src/check/run-settings.ts';
import type { TestResult } from '../../../src/model/report.ts';
import { parseSourcePlace, sourceOf } from '../../../src/model/source-map.ts';
import { renderCodequality } from '../../../src/report/formats/codequality.ts';
import { renderGithub } from '../../../src/report/formats/github.ts';
import { renderSarif } from '../../../src/report/formats/sarif.ts';
import { finding, resultOf, row } from '../results.ts';
import { runnerCommand } from './read-github.ts';

const SOURCES = {
  functions: [
    { glob: 'create_*', file: 'src/tools/create it, now.ts', line: 12 },
    { glob: '*', file: 'src/tools/index.ts', line: 1 },
  ],
  requirements: [{ glob: 'health/*', file: 'src/health.ts', line: 3 }],
} as const;

function failing(id: string, functionName?: string): TestResult {
  const where = { ...finding(id).where, ...(functionName === undefined ? {} : { function: functionName }) };
  return resultOf([row(id, 'failed')], {
    findings: [finding(id, { where })],
    settings: settingsOf({ seed: 7, sources: SOURCES }),
  });
}

describe('a finding points to the code that the configuration names', () => {
  test.each([
    ['a function', 'execute/status-200', 'create_order', 'src/tools/create it, now.ts', 12],
    ['another function', 'execute/status-200', 'add', 'src/tools/index.ts', 1],
    ['a function rather than its requirement', 'health/a', 'add', 'src/tools/index.ts', 1],
    ['a requirement', 'health/status-200', undefined, 'src/health.ts', 3],
    ['a function that the check made up', 'health/a', 'probity-unknown-736', 'src/health.ts', 3],
    ['nothing that is mapped', 'capabilities/a', undefined, 'suites/server/health.suite.yaml', 10],
  ])('about %s', (_, id, name, file, line) => {
    const result = failing(id, name);
    const [codequality, sarif, github] = [renderCodequality, renderSarif, renderGithub].map(
      (render) => render(result)[0]?.text ?? '',
    );
    expect(JSON.parse(codequality ?? '')).toMatchObject([
      { location: { path: file, lines: { begin: line } } },
    ]);
    expect(JSON.parse(sarif ?? '')).toMatchObject({
      runs: [
        {
          results: [
            {
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: encodeURI(file).replaceAll(',', '%2C') },
                    region: { startLine: line },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
    const { properties } = runnerCommand(github?.split('\n')[0] ?? '') ?? {};
    const place = file.startsWith('suites/') ? {} : { file, line: String(line) };
    expect(properties).toEqual({ title: `MUST ${id}`, ...place });
  });

  test('nowhere without a mapping', () => {
    expect(sourceOf(undefined, 'health/a', 'add')).toBeNull();
  });

  test.each([
    ['src/a.ts', { file: 'src/a.ts', line: 1 }],
    ['src/a.ts:12', { file: 'src/a.ts', line: 12 }],
  ])('%s is read as a place', (text, place) => {
    expect(parseSourcePlace(text)).toEqual(place);
  });
});
