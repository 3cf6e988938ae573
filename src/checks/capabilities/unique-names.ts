import { ownProperty, showJson } from '../../model/json.ts';
import { type Finding, failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { descriptorsIn } from './descriptor.ts';

export const uniqueNames = defineCheck(
  'json',
  'unique-names',
  'no two functions share a name',
  ({ value }) => {
    const firstPointers = new Map<string, string>();
    const findings: Finding[] = [];
    for (const { descriptor, pointer } of descriptorsIn(value)) {
      const name = ownProperty(descriptor, 'name');
      if (typeof name !== 'string') continue;
      const first = firstPointers.get(name);
      if (first === undefined) firstPointers.set(name, pointer);
      else {
        findings.push(
          failed({
            message: `the name is already used by ${first}`,
            expected: 'a unique name',
            received: showJson(name),
            pointer: `${pointer}/name`,
          }),
        );
      }
    }
    return findings.length > 0 ? findings : passed;
  },
);
