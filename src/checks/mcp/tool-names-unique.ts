import { ownProperty, sameJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { listIn, nameOf, type Placed, toolsIn } from './relayed.ts';

export const toolNamesUnique = defineCheck(
  'json',
  'tool-names-unique',
  'no two tools on any page have the same name',
  ({ value }) => {
    const tools = toolsIn(value);
    if (tools.length === 0) return inapplicable('the server lists no tools');
    // Pages that repeat are the fault of another row, and list the same tools again.
    const cursors = listIn(value, 'answers').map((page) =>
      ownProperty(ownProperty(page.value, 'result'), 'nextCursor'),
    );
    const given = cursors.filter((cursor) => cursor !== undefined);
    const repeats = new Set(given).size < given.length;
    const seen = new Map<unknown, Placed>();
    return judgeEach(tools, ({ value: tool, pointer }) => {
      const name = ownProperty(tool, 'name');
      const earlier = seen.get(name);
      if (earlier === undefined) {
        seen.set(name, { value: tool, pointer });
        return passed;
      }
      if (repeats && sameJson(tool, earlier.value)) return passed;
      return failed({
        message: `the tool ${nameOf(tool)} is listed twice`,
        expected: 'each name once',
        received: `the same name at ${earlier.pointer} and ${pointer}`,
        pointer: `${pointer}/name`,
      });
    });
  },
);
