import { ownProperty, showJson } from '../../model/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import { descriptorForm, descriptorsIn, lacksProperties, propertiesOf } from '../capabilities/descriptor.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { lettersOf } from './descriptions-say-something.ts';

export const parametersDescribed = defineCheck(
  'json',
  'parameters-described',
  'form B: every parameter has a description',
  ({ value, form }) => {
    const formB = descriptorsIn(value).filter(({ descriptor }) => descriptorForm(descriptor, form) === 'B');
    const parameters = formB.flatMap((at) =>
      propertiesOf(at, 'parameters').map((parameter) => ({ ...parameter, label: at.label })),
    );
    const unreadable = formB.some((at) => lacksProperties(at, 'parameters'));
    if (parameters.length === 0 && !unreadable) return inapplicable('no function has a parameter');
    const findings = parameters.flatMap(({ name, schema, pointer, label }): readonly Finding[] => {
      const description = ownProperty(schema, 'description');
      if (typeof description === 'string' && lettersOf(description) !== '') return [];
      const message = `function ${label}: the parameter "${name}" is not described`;
      return [failed({ message, expected: 'a description', received: showJson(description), pointer })];
    });
    if (findings.length > 0) return findings;
    return unreadable ? cannotJudge('no-properties') : passed;
  },
  { reasons: { 'no-properties': 'parameters of a function is no schema with properties' } },
);
