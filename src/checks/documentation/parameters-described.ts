import { ownProperty, showJson } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { judgeProperties, NO_PROPERTIES } from '../capabilities/judge-properties.ts';
import { defineCheck } from '../define-check.ts';
import { lettersOf } from './descriptions-say-something.ts';

export const parametersDescribed = defineCheck(
  'json',
  'parameters-described',
  'form B: every parameter has a description',
  ({ value, form }) =>
    judgeProperties(
      value,
      form,
      'parameters',
      'no function has a parameter',
      ({ name, schema, pointer }, label) => {
        const description = ownProperty(schema, 'description');
        if (typeof description === 'string' && lettersOf(description) !== '') return passed;
        const message = `function ${label}: the parameter "${name}" is not described`;
        return failed({ message, expected: 'a description', received: showJson(description), pointer });
      },
    ),
  { reasons: NO_PROPERTIES },
);
