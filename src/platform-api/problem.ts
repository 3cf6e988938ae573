import * as Type from 'typebox';
import { recordSchema, text } from '../model/record-parts.ts';
import type { RecordOf } from '../model/record-schema.ts';

/** A problem (specification, section 7; RFC 9457). */
export const problem = recordSchema(
  {
    type: text,
    title: text,
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong with this request, and the remedy.' }),
    code: Type.String({ description: 'Stable, for programs.' }),
    requestId: Type.String({ description: 'To be given when the operator is asked about it.' }),
  },
  {
    $id: 'Problem',
    description: 'A problem as RFC 9457 writes it down.',
    additionalProperties: true,
  },
);
/** Besides, what a code has to tell to programs. */
export type ProblemBody = RecordOf<typeof problem> & { readonly [more: string]: unknown };
