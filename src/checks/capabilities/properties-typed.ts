import { ownProperty, showJson } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { JSON_SCHEMA_TYPES, typesOf } from './descriptor.ts';
import { judgeProperties, NO_PROPERTIES } from './judge-properties.ts';

export const propertiesTyped = defineCheck(
  'json',
  'properties-typed',
  'form B: every property of parameters or of returns has a JSON Schema type',
  ({ value, options, form }) => {
    const key = options.in === 'returns' ? 'returns' : 'parameters';
    const whenNone = `no function has properties in ${key}`;
    return judgeProperties(value, form, key, whenNone, ({ name, schema, pointer }, label) => {
      if (typesOf(schema) !== null) return passed;
      if (
        options.implied === true &&
        SAYS_WHAT_IT_MAY_BE.some((keyword) => ownProperty(schema, keyword) !== undefined)
      )
        return passed;
      const type = ownProperty(schema, 'type');
      return failed({
        message: `function ${label}: "${name}" in ${key} has no type`,
        expected: `a type, one of ${JSON_SCHEMA_TYPES.join(', ')}`,
        received: type === undefined ? 'no type' : showJson(type),
        pointer,
      });
    });
  },
  {
    options: {
      in: { doc: 'parameters or returns.', required: true },
      implied: { doc: 'true: keywords such as enum or anyOf say enough.', required: false },
    },
    reasons: NO_PROPERTIES,
  },
);

const SAYS_WHAT_IT_MAY_BE = ['enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf'];
