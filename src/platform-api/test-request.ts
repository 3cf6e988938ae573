import * as Type from 'typebox';
import type { JsonObject } from '../model/json.ts';
import { anyObject, recordSchema } from '../model/record-parts.ts';
import type { RecordOf } from '../model/record-schema.ts';

/** What a caller may say of a test (specification, section 4.1). */
export const testRequest = recordSchema(
  {
    input: Type.Optional(
      anyObject<JsonObject>({
        description:
          'Named sample inputs. Without "function" they are used for every function that declares all of these names, and whose required ones are all given.',
      }),
    ),
    function: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'The function that the input is for, as /capabilities names it.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'May be left out: the server is then tested with the samples of its listing.',
  },
);
export type TestRequest = RecordOf<typeof testRequest>;
