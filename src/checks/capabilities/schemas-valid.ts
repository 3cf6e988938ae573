import { ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { descriptorForm, descriptorsIn } from './descriptor.ts';

export const schemasValid = defineCheck(
  'json',
  'schemas-valid',
  'form B: parameters and returns are JSON Schemas that can be applied within bounds',
  ({ value, schemas, form }) => {
    const given = descriptorsIn(value)
      .filter(({ descriptor }) => descriptorForm(descriptor, form) === 'B')
      .flatMap(({ descriptor, pointer, label }) =>
        (['parameters', 'returns'] as const).flatMap((key) => {
          const schema = ownProperty(descriptor, key);
          return schema === undefined ? [] : [{ schema, key, pointer: `${pointer}/${key}`, label }];
        }),
      );
    if (given.length === 0) return inapplicable('no function has parameters or returns');
    return judgeEach(given, ({ schema, key, pointer, label }) => {
      const read = schemas.foreign(schema);
      if (read.kind === 'usable') return passed;
      if (read.kind === 'unusable') {
        const message = `${key} of function ${label} cannot be applied: ${read.reason}`;
        return undecided({
          message,
          expected: 'a schema that can be applied',
          received: read.reason,
          pointer,
        });
      }
      const { expected, received } = read.problem;
      return failed({
        message: `${key} of function ${label} is not a valid JSON Schema`,
        expected,
        received,
        pointer: pointer + read.problem.pointer,
      });
    });
  },
);
