import * as Type from 'typebox';
import { recordSchema, text } from '../model/saved/record-parts.ts';
import type { RecordOf } from '../model/saved/record-schema.ts';

/** A problem (specification, section 7; RFC 9457). */
export const problem = recordSchema(
  {
    type: text,
    title: text,
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong with this request, and the remedy.' }),
    code: Type.String({ description: 'Stable, for programs.' }),
    requestId: Type.String({ description: 'For questions to the operator.' }),
  },
  {
    $id: 'Problem',
    description: 'A problem in the form of RFC 9457.',
    additionalProperties: true,
  },
);
/** With the further members of some codes. */
export type ProblemBody = RecordOf<typeof problem> & { readonly [more: string]: unknown };
