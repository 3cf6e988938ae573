import { readFileSync } from 'node:fs';
import type { Log, Result, Run } from 'sarif';
import { describe, expect, test } from 'vitest';
import type { TestResult } from '../../../src/model/report.ts';
import { renderSarif } from '../../../src/report/formats/sarif.ts';
import { finding, resultOf, row } from '../results.ts';
import { BENCH, CELLS, failingOnShould, PASSING, UNREACHABLE, WHOLE } from './cells.ts';
import { validateSarif } from './read-json.ts';

function logOf(result: TestResult): Log {
  return JSON.parse(renderSarif(result)[0]?.text ?? '') as Log;
}

function runOf(result: TestResult): Run {
  const [run] = logOf(result).runs;
  if (run === undefined) throw new Error('there is no run');
  return run;
}

function resultsOf(result: TestResult): readonly Result[] {
  return runOf(result).results ?? [];
}

function levelsOf(result: TestResult): readonly (readonly [string, unknown, unknown])[] {
  const seen = resultsOf(result).map(({ ruleId, kind, level }) => [ruleId ?? '', kind, level] as const);
  return seen.filter(([id], index) => seen.findIndex(([other]) => other === id) === index);
}

describe('a result as SARIF', () => {
  test.each([
    ...CELLS.map(({ name, result }) => [name, result] as const),
    ['whole', WHOLE] as const,
    ['passing', PASSING] as const,
    ['bench', BENCH] as const,
    ['unreachable', UNREACHABLE] as const,
  ])('is valid: %s', (_, result) => {
    expect(validateSarif(logOf(result)), JSON.stringify(validateSarif.errors)).toBe(true);
    for (const { kind, level } of resultsOf(result)) if (kind !== 'fail') expect(level).toBe('none');
  });

  test('has a level that shows whether the finding fails the run', () => {
    expect(levelsOf(WHOLE)).toEqual(
      expect.arrayContaining([
        ['health/failed-must', 'fail', 'error'],
        ['health/failed-should', 'fail', 'warning'],
        ['health/failed-may', 'fail', 'warning'],
        ['health/undecided-must', 'open', 'none'],
      ]),
    );
    expect(levelsOf(failingOnShould(WHOLE))).toEqual(
      expect.arrayContaining([
        ['health/failed-should', 'fail', 'error'],
        ['health/failed-may', 'fail', 'warning'],
      ]),
    );
  });

  test('has every requirement as a rule, and every result points at its own', () => {
    const { tool, results = [] } = runOf(WHOLE);
    const rules = tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(WHOLE.results.map(({ id }) => id));
    for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex ?? -1]?.id).toBe(ruleId);
    const rule = rules.find(({ id }) => id === 'health/failed-must');
    expect(rule).toMatchObject({
      shortDescription: { text: 'The answer is of the kind that MUST demands.' },
      defaultConfiguration: { level: 'error' },
      properties: { tags: ['MUST', 'health'] },
    });
    expect(rule?.help?.text).toContain('Why: Load balancers look at the status line first.');
    expect(rule?.help?.markdown).toContain('**Fix:** Answer with status 200.');
    for (const { help, fullDescription } of rules)
      expect([help?.text, fullDescription?.text]).not.toContain('');
  });

  test('locates a finding in the suite and in the answer', () => {
    const [, second] = resultsOf(WHOLE).filter(({ ruleId }) => ruleId === 'health/failed-must');
    expect(second?.locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: 'suites/server/health.suite.yaml', uriBaseId: 'SUITES' },
          region: { startLine: 22, startColumn: 9 },
        },
        logicalLocations: [
          { name: 'add', kind: 'function' },
          { fullyQualifiedName: '/functions/3/name', kind: 'value' },
        ],
      },
    ]);
  });

  test.each([
    ['/home/me/own suite.yaml', { uri: 'file:///home/me/own%20suite.yaml' }],
    ['own/süß#1?.yaml', { uri: 'own/s%C3%BC%C3%9F%231%3F.yaml', uriBaseId: 'SUITES' }],
    ['own\\windows.yaml', { uri: 'own/windows.yaml', uriBaseId: 'SUITES' }],
    ['half\uD800.yaml', { uri: 'half%5Cu%7BD800%7D.yaml', uriBaseId: 'SUITES' }],
  ])('has an address for the file %j', (suite, location) => {
    const where = { ...finding('a/b').where, suite };
    const [first] = resultsOf(resultOf([row('a/b', 'failed')], { findings: [finding('a/b', { where })] }));
    expect(first?.locations?.[0]?.physicalLocation?.artifactLocation).toEqual(location);
  });

  test('has a name and a page for each rule of the registry', () => {
    const rules = runOf(WHOLE).tool.driver.rules ?? [];
    expect(rules[0]).toMatchObject({
      name: 'HealthPassedMust',
      helpUri: expect.stringMatching(/\/docs\/requirements\.md#healthpassed-must$/),
    });
    const own = runOf(resultOf([row('own/rule', 'passed')])).tool.driver.rules?.[0];
    expect(own).toMatchObject({ name: 'OwnRule' });
    expect(own).not.toHaveProperty('helpUri');
  });

  test('links only to headings that exist', () => {
    // GitHub makes an anchor of a heading: lower case, without punctuation.
    const anchors = readFileSync('docs/requirements.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('## '))
      .map((line) =>
        line
          .slice(3)
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, ''),
      );
    expect(new Set(anchors).size).toBe(anchors.length);
    const rules = ['broken', 'reference-a', 'reference-b'].flatMap((name) => {
      const log = JSON.parse(readFileSync(`reports/examples/${name}.sarif`, 'utf8')) as Log;
      return log.runs[0]?.tool.driver.rules ?? [];
    });
    expect(rules.length).toBeGreaterThan(200);
    for (const { helpUri } of rules) expect(anchors).toContain(helpUri?.split('#')[1]);
  });

  test('suppresses only what the baseline accepts', () => {
    const suppressed = resultsOf(WHOLE).filter(({ suppressions }) => suppressions !== undefined);
    expect(suppressed.map(({ ruleId }) => ruleId)).toEqual([
      'execute/accepted',
      'execute/accepted-undecided',
    ]);
    expect(suppressed[0]).toMatchObject({
      level: 'error',
      suppressions: [
        {
          kind: 'external',
          status: 'accepted',
          justification: 'the vendor fixes it in spring (until 2026-12-31)',
        },
      ],
    });
  });

  test('has different fingerprints that do not depend on the order of findings', () => {
    const findings = Array.from({ length: 12 }, (_, index) =>
      finding('a/b', {
        fingerprint: index % 3 === 0 ? 'aaaaaaaaaaaaaaaa' : 'bbbbbbbbbbbbbbbb',
        where: { ...finding('a/b').where, pointer: `/functions/${index}` },
      }),
    );
    const printsOf = (ordered: TestResult['findings']): ReadonlyMap<string, string> =>
      new Map(
        resultsOf(resultOf([row('a/b', 'failed')], { findings: ordered })).map((one) => [
          one.locations?.[0]?.logicalLocations?.[0]?.fullyQualifiedName ?? '',
          one.partialFingerprints?.primaryLocationLineHash ?? '',
        ]),
      );
    const prints = printsOf(findings);
    expect(new Set(prints.values()).size).toBe(12);
    expect([...prints.values()].filter((print) => /^[ab]{16}$/.test(print))).toHaveLength(2);
    for (const ordered of [findings.toReversed(), [...findings.slice(5), ...findings.slice(0, 5)]])
      expect(Object.fromEntries(printsOf(ordered))).toEqual(Object.fromEntries(prints));
  });

  test('makes no link of text from a target', () => {
    const message = 'see [here](https://example.com) and [1](2)';
    const [first] = resultsOf(resultOf([row('a/b', 'failed')], { findings: [finding('a/b', { message })] }));
    expect(first?.message.text).toContain('see [here]\\u{28}https://example.com) and [1]\\u{28}2)');
  });

  test('has notifications of blocked rows, problems of the baseline and an incomplete run', () => {
    const [invocation] = runOf(WHOLE).invocations ?? [];
    expect(invocation?.executionSuccessful).toBe(true);
    expect(invocation?.toolExecutionNotifications?.map(({ associatedRule }) => associatedRule?.id)).toEqual([
      'health/blocked-must',
      'health/blocked-should',
      'health/blocked-may',
    ]);
    expect(invocation?.toolConfigurationNotifications).toHaveLength(3);
    const [unreachable] = runOf(UNREACHABLE).invocations ?? [];
    expect(unreachable?.executionSuccessful).toBe(false);
    expect(unreachable?.toolExecutionNotifications?.[0]).toMatchObject({ level: 'error' });
    expect(runOf(PASSING).invocations?.[0]?.toolExecutionNotifications).toEqual([]);
  });
});
