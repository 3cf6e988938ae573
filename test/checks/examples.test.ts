import { describe, expect, test } from 'vitest';
import { checks } from '../../src/generated/checks.ts';
import { type Example, judgeExample } from './example.ts';
import { examplesOfAnswers } from './examples-answers.ts';
import { examplesOfContract } from './examples-contract.ts';
import { examplesOfDirectories } from './examples-directory.ts';
import { examplesOfErrors } from './examples-errors.ts';
import { examplesOfCalls, examplesOfDescriptors } from './examples-functions.ts';
import { examplesOfIdentities } from './examples-identities.ts';
import { examplesOfInputs } from './examples-inputs.ts';
import { examplesOfAuthorization } from './examples-mcp-authorization.ts';
import { examplesOfClients } from './examples-mcp-client.ts';
import { examplesOfConduct } from './examples-mcp-conduct.ts';
import { examplesOfMcpHttp } from './examples-mcp-http.ts';
import { examplesOfMessages } from './examples-mcp-messages.ts';
import { examplesOfOffers } from './examples-mcp-offers.ts';
import { examplesOfTools } from './examples-mcp-tools.ts';
import { examplesOfMcpWords } from './examples-mcp-words.ts';
import { examplesOfCreatedApart, examplesOfOwnAnswers } from './examples-own-answers.ts';
import { examplesOfPerformance } from './examples-performance.ts';
import { examplesOfPortability } from './examples-portability.ts';
import { examplesOfRobustness } from './examples-robustness.ts';
import { examplesOfSecurity } from './examples-security.ts';
import { examplesOfTexts } from './examples-texts.ts';

const examples: readonly Example[] = [
  ...examplesOfAnswers,
  ...examplesOfDescriptors,
  ...examplesOfCalls,
  ...examplesOfOwnAnswers,
  ...examplesOfCreatedApart,
  ...examplesOfErrors,
  ...examplesOfInputs,
  ...examplesOfRobustness,
  ...examplesOfSecurity,
  ...examplesOfPerformance,
  ...examplesOfDirectories,
  ...examplesOfMessages,
  ...examplesOfTools,
  ...examplesOfOffers,
  ...examplesOfMcpHttp,
  ...examplesOfConduct,
  ...examplesOfClients,
  ...examplesOfMcpWords,
  ...examplesOfAuthorization,
  ...examplesOfIdentities,
  ...examplesOfTexts,
  ...examplesOfPortability,
  ...examplesOfContract,
];

describe.each([...new Set(examples.map(({ check }) => check))])('%s', (name) => {
  const own = examples.filter(({ check }) => check === name);
  test.each(own.map((example) => [example.what, example] as const))('%s', (_, { given, finds }) => {
    const found = judgeExample(name, given);
    expect(found).toMatchObject(finds);
    expect(found).toHaveLength(finds.length);
  });
});

describe('every check has examples', () => {
  const namesWith = (outcome: string): ReadonlySet<string> =>
    new Set(
      examples.filter(({ finds }) => finds.some((one) => one.outcome === outcome)).map(({ check }) => check),
    );

  test.each(['passed', 'failed'])('including one with the outcome %s', (outcome) => {
    const known = namesWith(outcome);
    const lacking = [...checks.keys()].filter((name) => !known.has(name));
    expect(
      lacking,
      `No example of ${lacking.join(', ')} is ${outcome}. Add one to a table in test/checks/examples-*.ts.`,
    ).toEqual([]);
  });

  test('and no example is of an unknown check', () => {
    expect(examples.map(({ check }) => check).filter((name) => !checks.has(name))).toEqual([]);
  });
});

describe('every check', () => {
  test.each([...checks.values()].map((check) => [check.name, check] as const))(
    '%s describes what it decides',
    (name, check) => {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(check.decides.length).toBeGreaterThan(15);
      for (const { doc } of Object.values(check.options)) expect(doc).toMatch(/\.$/);
    },
  );

  test('judges empty and odd answers without throwing', () => {
    const odd = [{}, [], null, 'text', 0, true, { functions: {} }, { functions: [null, [], 1, { name: 1 }] }];
    for (const [name] of checks) {
      for (const value of odd) {
        const options = { form: 'A', schema: {}, in: 'returns' };
        expect(judgeExample(name, { value, options, item: value }), name).not.toHaveLength(0);
      }
    }
  });
});
