import * as Type from 'typebox';
import {
  anyObject,
  count,
  milliseconds,
  oneOf,
  recordSchema,
  text,
  timestamp,
} from '../model/record-parts.ts';
import type { RecordOf } from '../model/record-schema.ts';
import type { TestResult } from '../model/report.ts';

/** @internal What is left of a result longest. */
export const summaryMembers = {
  id: Type.String({ description: 'Names the result in the history of the server.' }),
  startedAt: timestamp,
  durationMs: milliseconds,
  verdict: oneOf(['pass', 'fail', 'incomplete']),
  reachable: Type.Boolean(),
  summary: Type.Object({
    passed: count,
    failed: count,
    warnings: count,
    inapplicable: count,
    blocked: count,
    inconclusive: count,
    accepted: Type.Optional(count),
  }),
};

/** @internal What the details operation shows of a result besides. */
export const outlineMembers = {
  harness: Type.Unsafe<TestResult['harness']>({ type: 'object', properties: { name: text, version: text } }),
  results: rows<TestResult['results']>('Every requirement, decided.'),
  findings: rows<TestResult['findings']>('What failed or is undecided, with its evidence and remedy.'),
  responseTimes: rows<TestResult['responseTimes']>('By operation and by function, in milliseconds.'),
  errors: rows<TestResult['errors']>('Calls that were meant to succeed and did not, by kind.'),
  samples: rows<TestResult['samples']>('What functions returned.'),
  facts: rows<TestResult['facts']>('What was learned that is not a rule.'),
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
      'The main members of a test result; the whole of it is described by schemas/test-result.schema.json of probity (https://probity.invalid/schemas/test-result/v1, an id that is never fetched).',
    additionalProperties: true,
  },
);
