import * as Type from 'typebox';
import type { JsonObject } from '../json/json.ts';
import { anyObject, recordSchema } from '../model/saved/record-parts.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';

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
