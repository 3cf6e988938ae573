import { isJsonObject, ownProperty, showJson } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { descriptorForm, descriptorsIn, propertiesOf, typesOf } from '../capabilities/descriptor.ts';
import { defineCheck, judgeEach } from '../define-check.ts';

export const returnsDocumented = defineCheck(
  'json',
  'returns-documented',
  'every function’s return keys are given, with types in form B',
  ({ value, form }) => {
    const all = descriptorsIn(value);
    // A tool of the Model Context Protocol need not declare its result.
    const declared =
      form === 'mcp' ? all.filter(({ descriptor }) => ownProperty(descriptor, 'returns') !== undefined) : all;
    if (form === 'mcp' && declared.length === 0) return inapplicable('no tool declares its result');
    return judgeEach(declared, (at) => {
      const { descriptor, pointer, label } = at;
      if ((descriptorForm(descriptor, form) ?? form) === 'A') {
        const outputs = ownProperty(descriptor, 'outputs');
        if (Array.isArray(outputs)) return passed;
        return failed({
          message: `${label} does not say what it returns`,
          expected: 'outputs, a list of keys',
          received: showJson(outputs),
          pointer,
        });
      }
      const returns = ownProperty(descriptor, 'returns');
      const properties = ownProperty(returns, 'properties');
      // In the Model Context Protocol, a result may be a number or a list: since revision 2026-07-28, any value.
      if (form === 'mcp' && properties === undefined && ownProperty(returns, 'type') !== 'object')
        return passed;
      if (!isJsonObject(properties)) {
        return failed({
          message: `${label} does not say what it returns`,
          expected: `${at.names.returns}.properties`,
          received: showJson(returns),
          pointer,
        });
      }
      const untyped = propertiesOf(at, 'returns').find(({ schema }) => typesOf(schema) === null);
      if (untyped === undefined) return passed;
      const message = `${label}: the return key "${untyped.name}" has no type`;
      return failed({
        message,
        expected: 'a JSON Schema type',
        received: showJson(untyped.schema),
        pointer: untyped.pointer,
      });
    });
  },
);
