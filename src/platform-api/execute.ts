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
