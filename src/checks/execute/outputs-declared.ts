import { isJsonObject, ownProperty } from '../../model/json.ts';
import { blocked, failed, inapplicable, passed } from '../../model/judgement.ts';
import { descriptorForm, textsOf } from '../capabilities/descriptor.ts';
import { defineCheck } from '../define-check.ts';
import { quoted } from './quoted-names.ts';

export const outputsDeclared = defineCheck(
  'json',
  'outputs-declared',
  'form A: output holds the keys that the descriptor’s outputs declares, and no other',
  ({ value, item }) => {
    const outputs = ownProperty(item, 'outputs');
    const output = ownProperty(value, 'output');
    const declared = textsOf(outputs);
    if (!Array.isArray(outputs) || declared.length < outputs.length) {
      const form = descriptorForm(item ?? null);
      if (form === 'B') return inapplicable('the function is described in form B');
      return blocked(form === 'A' ? 'capabilities/outputs-array' : 'capabilities/descriptor-form');
    }
    if (!isJsonObject(output)) return inapplicable('output is not an object: see execute/output-object');
    const missing = declared.filter((key) => !Object.hasOwn(output, key));
    const undeclared = Object.keys(output).filter((key) => !declared.includes(key));
    if (missing.length === 0 && undeclared.length === 0) return passed;
    const differences = [
      missing.length > 0 && `lacks ${quoted(missing)}`,
      undeclared.length > 0 && `has the undeclared ${quoted(undeclared)}`,
    ];
    return failed({
      message: `output ${differences.filter(Boolean).join(' and ')}`,
      expected: declared.length === 0 ? 'no keys' : `exactly the keys ${quoted(declared)}`,
      received: Object.keys(output).length === 0 ? 'no keys' : `the keys ${quoted(Object.keys(output))}`,
      pointer: '/output',
    });
  },
);
