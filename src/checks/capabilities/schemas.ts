import { type Json, ownProperty, showJson } from '../../json/json.ts';
import { type Finding, failed, inapplicable, passed } from '../../model/judgement.ts';
import type { Wire } from '../../model/wire.ts';
import { type CheckResult, cannotJudge, defineCheck, judgeEach, notApplied } from '../define-check.ts';
import {
  type DescriptorAt,
  descriptorForm,
  descriptorsIn,
  JSON_SCHEMA_TYPES,
  lacksProperties,
  type PropertyAt,
  propertiesOf,
  requiredNames,
  typesOf,
} from './descriptor.ts';

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
      const what = `${key} of ${label}`;
      if (read.kind === 'unusable') return notApplied(`${what} cannot be applied`, read.reason, pointer);
      const { pointer: below, expected, received } = read.problem;
      const message = `${what} is not a valid JSON Schema`;
      return failed({ message, expected, received, pointer: pointer + below });
    });
  },
);

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
        message: `${label} requires "${name}", which its properties do not have`,
        expected: `"${name}" in parameters.properties`,
        received: 'no such property',
        pointer: `${pointer}/parameters/required/${index}`,
      });
    });
  },
);

export const NO_PROPERTIES = {
  'no-properties': 'parameters or returns of a function is not a schema with properties',
} as const;

export const propertiesTyped = defineCheck(
  'json',
  'properties-typed',
  'form B: every property of parameters or of returns has a JSON Schema type',
  ({ value, options, form }) => {
    const key = options.in === 'returns' ? 'returns' : 'parameters';
    const whenNone = `no function has properties in ${key}`;
    return judgeProperties(value, form, key, whenNone, ({ name, schema, pointer }, { label, names }) => {
      const isImplied = SAYS_WHAT_IT_MAY_BE.some((keyword) => ownProperty(schema, keyword) !== undefined);
      if (typesOf(schema) !== null || (options.implied === true && isImplied)) return passed;
      const type = ownProperty(schema, 'type');
      return failed({
        message: `${label}: "${name}" in ${names[key]} has no type`,
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

/** Judges each property under `parameters` or `returns` of the descriptors of form B. */
export function judgeProperties(
  capabilities: Json,
  form: Wire | null,
  key: 'parameters' | 'returns',
  whenNone: string,
  judge: (property: PropertyAt, at: DescriptorAt) => Finding,
): CheckResult<keyof typeof NO_PROPERTIES> {
  const formB = descriptorsIn(capabilities).filter((at) => descriptorForm(at.descriptor, form) === 'B');
  const properties = formB.flatMap((at) => propertiesOf(at, key).map((property) => ({ property, at })));
  const isUnreadable = formB.some((at) => lacksProperties(at, key));
  if (properties.length === 0 && !isUnreadable) return inapplicable(whenNone);
  const result = judgeEach(properties, ({ property, at }) => judge(property, at));
  return isUnreadable && result === passed ? cannotJudge('no-properties') : result;
}
