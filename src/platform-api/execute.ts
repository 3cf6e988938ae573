import * as Type from 'typebox';
import type { JsonObject } from '../model/json.ts';
import { anyObject, recordSchema, text } from '../model/record-parts.ts';
import type { RecordOf } from '../model/record-schema.ts';

/** What a caller asks for, in form A (specification, section 2.6). */
export const executeRequest = recordSchema(
  {
    function: Type.String({ minLength: 1, description: 'A name that the server’s capabilities list.' }),
    input: Type.Optional(
      anyObject<JsonObject>({ default: {}, description: 'The named parameters of the function.' }),
    ),
  },
  { additionalProperties: false },
);
export type ExecuteRequest = RecordOf<typeof executeRequest>;

/** What a directory made with Probity answers; of others, only `output` or `result` is sure. */
export const executeAnswer = recordSchema({
  output: anyObject<JsonObject>({ description: 'What the function gave: form A’s output, form B’s result.' }),
  server: Type.String({ description: 'The id of the server.' }),
  function: text,
  requestId: Type.String({ description: 'Of this call; a server of form B was given it.' }),
  durationMs: Type.Number({
    minimum: 0,
    description: 'How long the server took to answer, the way to it included.',
  }),
  executionTime: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'Milliseconds that the server says the function took; form B only.',
    }),
  ),
});
export type ExecuteAnswer = RecordOf<typeof executeAnswer>;
