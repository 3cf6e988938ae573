import * as Type from 'typebox';
import type { JsonObject } from '../json/json.ts';
import { anyObject, recordSchema, text } from '../model/saved/record-parts.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';

/** The call of a function, in form A (specification, section 2.6). */
export const executeRequest = recordSchema(
  {
    function: Type.String({
      minLength: 1,
      description: 'The name of a function in the server’s capabilities.',
    }),
    input: Type.Optional(
      anyObject<JsonObject>({ default: {}, description: 'The named parameters of the function.' }),
    ),
  },
  { additionalProperties: false },
);
export type ExecuteRequest = RecordOf<typeof executeRequest>;

/** The answer of a directory made with Probity; others have at least `output` or `result`. */
export const executeAnswer = recordSchema({
  output: anyObject<JsonObject>({
    description: 'The output of the function: `output` of form A, `result` of form B.',
  }),
  server: Type.String({ description: 'The id of the server.' }),
  function: text,
  requestId: Type.String({ description: 'The id of this call; sent to a server of form B.' }),
  durationMs: Type.Number({
    minimum: 0,
    description: 'The time until the server’s answer, including the network.',
  }),
  executionTime: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'The execution time that the server reports, in milliseconds; form B only.',
    }),
  ),
});
export type ExecuteAnswer = RecordOf<typeof executeAnswer>;

/** The options of a test (specification, section 4.1). */
export const testRequest = recordSchema(
  {
    input: Type.Optional(
      anyObject<JsonObject>({
        description:
          'Named sample inputs. Without "function", they are used for every function that declares all of these names and requires no others.',
      }),
    ),
    function: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'The function for the input, by its name in /capabilities.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Optional. Without it, the server is tested with the samples of its listing.',
  },
);
export type TestRequest = RecordOf<typeof testRequest>;

/** A problem (specification, section 7; RFC 9457). */
export const problem = recordSchema(
  {
    type: text,
    title: text,
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong with this request, and the remedy.' }),
    code: Type.String({ description: 'Stable, for programs.' }),
    requestId: Type.String({ description: 'For questions to the operator.' }),
    called: Type.Optional(
      Type.Unsafe<boolean | 'unknown'>({
        enum: [true, false, 'unknown'],
        description:
          'Of a problem with a call of a function: whether the function was called, so that the call may have had effects. Repeat a call with "unknown" only with its Idempotency-Key, or after a look at what it did.',
      }),
    ),
  },
  {
    $id: 'Problem',
    description: 'A problem in the form of RFC 9457.',
    additionalProperties: true,
  },
);
/** With the further members of some codes. */
export type ProblemBody = RecordOf<typeof problem> & { readonly [more: string]: unknown };
