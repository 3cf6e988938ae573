import { count, milliseconds, text, timestamp } from '../http/common-schemas.ts';

/** JSON Schemas of what a test takes and gives; the OpenAPI document is made from them. */

/** The body of a test: directory/src/testing/test-request.ts reads it. */
export const testRequest = {
  type: 'object',
  additionalProperties: false,
  description: 'May be left out: the server is then tested with the samples of its listing.',
  properties: {
    input: {
      type: 'object',
      additionalProperties: true,
      description:
        'Named sample inputs. Without "function" they are used for every function that declares all of these names, and whose required ones are all given.',
    },
    function: { ...text, description: 'The function that the input is for, as /capabilities names it.' },
  },
} as const;

const RESULT_MEMBER = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

export const verdict = { type: 'string', enum: ['pass', 'fail', 'incomplete'] } as const;

export const summary = {
  type: 'object',
  required: ['passed', 'failed', 'warnings', 'inapplicable', 'blocked', 'inconclusive'],
  properties: {
    passed: count,
    failed: count,
    warnings: count,
    inapplicable: count,
    blocked: count,
    inconclusive: count,
    accepted: count,
  },
} as const;

export const outlineProperties = {
  harness: { type: 'object', properties: { name: text, version: text } },
  results: { ...RESULT_MEMBER, description: 'Every requirement, decided.' },
  findings: { ...RESULT_MEMBER, description: 'What failed or is undecided, with its evidence and remedy.' },
  responseTimes: { ...RESULT_MEMBER, description: 'By operation and by function, in milliseconds.' },
  errors: { ...RESULT_MEMBER, description: 'Calls that were meant to succeed and did not, by kind.' },
  samples: { ...RESULT_MEMBER, description: 'What functions returned.' },
  facts: { ...RESULT_MEMBER, description: 'What was learned that is not a rule.' },
} as const;

export const testResult = {
  $id: 'TestResult',
  type: 'object',
  description:
    'The main members of a test result; the whole of it is described by schemas/test-result.schema.json of probity (https://probity.invalid/schemas/test-result/v1, an id that is never fetched).',
  required: [
    'schema',
    'id',
    'target',
    'startedAt',
    'finishedAt',
    'durationMs',
    'verdict',
    'reachable',
    'summary',
    ...Object.keys(outlineProperties),
  ],
  additionalProperties: true,
  properties: {
    schema: text,
    id: { ...text, description: 'Names the result in the history of the server.' },
    target: { type: 'object', additionalProperties: true },
    startedAt: timestamp,
    finishedAt: timestamp,
    durationMs: milliseconds,
    verdict,
    reachable: { type: 'boolean' },
    summary,
    ...outlineProperties,
  },
} as const;
