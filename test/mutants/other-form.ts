import type { Form } from '../../src/model/requirement.ts';
import { createReference } from '../../src/reference/contract.ts';
import type { Mutant, Operation } from './mutant.ts';

/** One operation uses the other form correctly. */
export function answerInForm(form: Form, operation: Operation): Mutant['mutate'] {
  return () => {
    const reference = createReference({ form });
    return async (request, conform) => {
      if (request.operation !== operation) return conform(request);
      const { status, headers, body } = await reference.answer(request);
      return { status, headers, body: Buffer.from(body) };
    };
  };
}
