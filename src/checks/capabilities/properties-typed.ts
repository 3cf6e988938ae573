import { ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { type CheckFinding, cannotJudge, defineCheck } from '../define-check.ts';
import {
  descriptorForm,
  descriptorsIn,
  JSON_SCHEMA_TYPES,
  lacksProperties,
  propertiesOf,
  typesOf,
} from './descriptor.ts';

export const propertiesTyped = defineCheck(
  'json',
  'properties-typed',
  'form B: every property of parameters or of returns has a JSON Schema type',
  ({ value, options, form }) => {
    const key = options.in === 'returns' ? 'returns' : 'parameters';
    const formB = descriptorsIn(value).filter(({ descriptor }) => descriptorForm(descriptor, form) === 'B');
    const properties = formB.flatMap((at) =>
      propertiesOf(at, key).map((property) => ({ ...property, label: at.label })),
    );
    const unreadable = formB.some((at) => lacksProperties(at, key));
    if (properties.length === 0 && !unreadable) return inapplicable(`no function has properties in ${key}`);
    const findings = properties
      .filter(({ schema }) => typesOf(schema) === null)
      .map(({ name, schema, pointer, label }): CheckFinding<never> => {
        const type = ownProperty(schema, 'type');
        return failed({
          message: `function ${label}: "${name}" in ${key} has no type`,
          expected: `a type, one of ${JSON_SCHEMA_TYPES.join(', ')}`,
          received: type === undefined ? 'no type' : showJson(type),
          pointer,
        });
      });
    if (findings.length > 0) return findings;
    return unreadable ? cannotJudge('no-properties') : passed;
  },
  {
    options: { in: { doc: 'parameters or returns.', required: true } },
    reasons: { 'no-properties': 'parameters or returns of a function is no schema with properties' },
  },
);
