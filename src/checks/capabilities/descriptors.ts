import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { descriptorForm, descriptorsIn } from './descriptor.ts';

export const descriptors = defineCheck(
  'json',
  'descriptors',
  'each descriptor of a form is valid against a schema',
  ({ value, options, form, formForced, schemas }) => {
    const wanted = options.form;
    // A form given by the user applies to every descriptor. Otherwise each descriptor has the form of its keys.
    const judged = descriptorsIn(value).filter(
      ({ descriptor }) => (formForced ? form : descriptorForm(descriptor, form)) === wanted,
    );
    if (judged.length === 0) return inapplicable(`no function is described in form ${wanted}`);
    return judgeEach(judged, ({ descriptor, pointer, label }) => {
      const verdict = schemas.apply(options.schema ?? {}, descriptor);
      if (verdict.kind === 'valid') return passed;
      if (verdict.kind === 'undecided') {
        const { reason } = verdict;
        return undecided({
          message: `function ${label}: the schema cannot be applied to the descriptor: ${reason}`,
          expected: 'a schema that can be applied',
          received: reason,
          pointer,
        });
      }
      const { problem } = verdict;
      const { expected, received } = problem;
      return failed({
        message: `function ${label}: ${wordsAt(problem.pointer)} is invalid`,
        expected,
        received,
        pointer: pointer + problem.pointer,
      });
    });
  },
  {
    options: {
      form: { doc: 'A or B: which descriptors are judged.', required: true },
      schema: { doc: 'JSON Schema for a descriptor.', required: true, schema: true },
    },
  },
);

function wordsAt(pointer: string): string {
  return pointer === '' ? 'the descriptor' : pointer.slice(1);
}
