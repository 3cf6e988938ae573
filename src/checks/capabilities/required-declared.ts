import { ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { descriptorsIn, requiredNames } from './descriptor.ts';

export const requiredDeclared = defineCheck(
  'json',
  'required-declared',
  'form B: every required name is in properties',
  ({ value }) => {
    const required = descriptorsIn(value).flatMap(({ descriptor, pointer, label }) => {
      const parameters = ownProperty(descriptor, 'parameters');
      const properties = ownProperty(parameters, 'properties');
      return requiredNames(parameters).map((name, index) => ({ name, index, properties, pointer, label }));
    });
    if (required.length === 0) return inapplicable('no function requires a parameter');
    return judgeEach(required, ({ name, index, properties, pointer, label }) => {
      if (ownProperty(properties, name) !== undefined) return passed;
      return failed({
        message: `function ${label} requires "${name}", which its properties do not have`,
        expected: `"${name}" in parameters.properties`,
        received: 'no such property',
        pointer: `${pointer}/parameters/required/${index}`,
      });
    });
  },
);
