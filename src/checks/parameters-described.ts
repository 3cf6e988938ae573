import { ownProperty, showJson } from '../model/json.ts';
import { type Finding, failed, inapplicable, passed } from '../model/judgement.ts';
import { defineCheck } from './define-check.ts';
import { lettersOf } from './descriptions-say-something.ts';
import { descriptorForm, descriptorsIn, propertiesOf } from './descriptor.ts';

export const parametersDescribed = defineCheck(
  'json',
  'parameters-described',
  'form B: every parameter has a description',
  ({ value }) => {
    const parameters = descriptorsIn(value)
      .filter(({ descriptor }) => descriptorForm(descriptor) === 'B')
      .flatMap((at) =>
        propertiesOf(at, 'parameters').map((parameter) => ({ ...parameter, label: at.label })),
      );
    if (parameters.length === 0) return inapplicable('no function has a parameter');
    const findings = parameters.flatMap(({ name, schema, pointer, label }): readonly Finding[] => {
      const description = ownProperty(schema, 'description');
      if (typeof description === 'string' && lettersOf(description) !== '') return [];
      const message = `function ${label}: the parameter "${name}" is not described`;
      return [failed({ message, expected: 'a description', received: showJson(description), pointer })];
    });
    return findings.length > 0 ? findings : passed;
  },
);
