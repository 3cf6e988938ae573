import { ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { nameOf, toolsIn } from './relayed.ts';

export const toolNamesUnique = defineCheck(
  'json',
  'tool-names-unique',
  'no two tools on any page have the same name',
  ({ value }) => {
    const tools = toolsIn(value);
    if (tools.length === 0) return inapplicable('the server lists no tools');
    const seen = new Map<unknown, string>();
    return judgeEach(tools, ({ value: tool, pointer }) => {
      const name = ownProperty(tool, 'name');
      const earlier = seen.get(name);
      if (earlier === undefined) {
        seen.set(name, pointer);
        return passed;
      }
      return failed({
        message: `the tool ${nameOf(tool)} is listed twice`,
        expected: 'each name once',
        received: `the same name at ${earlier} and ${pointer}`,
        pointer: `${pointer}/name`,
      });
    });
  },
);
