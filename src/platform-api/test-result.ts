import * as Type from 'typebox';
import type { ClientView } from '../model/client-view.ts';
import type { Coverage } from '../model/judgement.ts';
import type { TestResult } from '../model/report.ts';
import {
  anyObject,
  count,
  milliseconds,
  oneOf,
  recordSchema,
  text,
  timestamp,
} from '../model/saved/record-parts.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';

/** @internal The part of a result that is stored longest. */
export const summaryMembers = {
  id: Type.String({ description: 'The id of the result in the history of the server.' }),
  startedAt: timestamp,
  durationMs: milliseconds,
  verdict: oneOf(['pass', 'fail', 'incomplete']),
  reachable: Type.Boolean(),
  summary: Type.Object({
    passed: count,
    failed: count,
    warnings: count,
    inapplicable: count,
    undecided: count,
    accepted: Type.Optional(count),
  }),
};

/** @internal The further members of a result in the details operation. */
export const outlineMembers = {
  harness: Type.Unsafe<TestResult['harness']>({ type: 'object', properties: { name: text, version: text } }),
  coverage: Type.Optional(
    Type.Unsafe<Coverage>({
      type: 'object',
      description: 'How many of the listed functions gave a result, and why the others did not.',
    }),
  ),
  clientView: Type.Optional(
    Type.Unsafe<ClientView>({
      type: 'object',
      description: 'What clients see: the cost of the definitions, who accepts them, and what changed.',
    }),
  ),
  results: rows<TestResult['results']>('Every requirement with its outcome.'),
  findings: rows<TestResult['findings']>('Failed and undecided assertions with evidence and remedy.'),
  responseTimes: rows<TestResult['responseTimes']>('By operation and by function, in milliseconds.'),
  errors: rows<TestResult['errors']>('Calls that were meant to succeed but failed, by kind.'),
  samples: rows<TestResult['samples']>('Outputs of functions.'),
  facts: rows<TestResult['facts']>('Observations that no requirement covers.'),
};
const outline = recordSchema(outlineMembers);
export type ResultOutline = RecordOf<typeof outline>;

function rows<Value>(description: string) {
  return Type.Unsafe<Value>({ type: 'array', items: anyObject(), description });
}

/** The answer of a test by a directory made with Probity. */
export const testResult = recordSchema(
  {
    schema: text,
    target: anyObject<TestResult['target']>(),
    finishedAt: timestamp,
    ...summaryMembers,
    ...outlineMembers,
  },
  {
    $id: 'TestResult',
    description:
      'The main members of a test result; schemas/test-result.schema.json of probity describes all of them (https://probity.invalid/schemas/test-result/v2, an id that is never fetched).',
    additionalProperties: true,
  },
);
