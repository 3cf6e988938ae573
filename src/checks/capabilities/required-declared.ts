import { ownProperty } from '../../model/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { descriptorsIn, requiredNames } from './descriptor.ts';

export const requiredDeclared = defineCheck(
  'json',
  'required-declared',
  'form B: every required name is in properties',
  ({ value }) => {
    const lists = descriptorsIn(value).flatMap(({ descriptor, pointer, label }) => {
      const parameters = ownProperty(descriptor, 'parameters');
      const names = requiredNames(parameters);
      return names.length === 0
        ? []
        : [{ names, properties: ownProperty(parameters, 'properties'), pointer, label }];
    });
    if (lists.length === 0) return inapplicable('no function requires a parameter');
    const findings = lists.flatMap(({ names, properties, pointer, label }) =>
      names.flatMap((name, index): readonly Finding[] => {
        if (ownProperty(properties, name) !== undefined) return [];
        return [
          failed({
            message: `function ${label} requires "${name}", which its properties do not have`,
            expected: `"${name}" in parameters.properties`,
            received: 'no such property',
            pointer: `${pointer}/parameters/required/${index}`,
          }),
        ];
      }),
    );
    return findings.length > 0 ? findings : passed;
  },
);
