import { isJsonObject, ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { textsOf } from '../capabilities/descriptor.ts';
import { defineCheck } from '../define-check.ts';
import { quoted } from './declared-keys.ts';
import { NO_DECLARATION, withoutDeclaration } from './no-declaration.ts';

export const outputsDeclared = defineCheck(
  'json',
  'outputs-declared',
  'form A: output has the keys that outputs in the descriptor declares, and no others',
  ({ value, item }) => {
    const outputs = ownProperty(item, 'outputs');
    const output = ownProperty(value, 'output');
    const declared = textsOf(outputs);
    if (!Array.isArray(outputs) || declared.length < outputs.length) return withoutDeclaration(item, 'A');
    if (!isJsonObject(output)) return inapplicable('output is not an object');
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
  { reasons: NO_DECLARATION },
);
