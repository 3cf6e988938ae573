import { ownProperty, sameJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { nextCursor } from '../../wires/mcp/tools.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { answersOf, nameOf, type PagedTool, toolsIn } from './received.ts';

export const toolNamesUnique = defineCheck(
  'step',
  'tool-names-unique',
  'no two tools on any page have the same name',
  ({ asked }) => {
    const tools = toolsIn(asked);
    if (tools.length === 0) return inapplicable('the server lists no tools');
    // Pages that repeat are the fault of another row, and list the same tools again.
    const given = answersOf(asked).flatMap((page) => nextCursor(page) ?? []);
    const repeats = new Set(given).size < given.length;
    const seen = new Map<unknown, PagedTool>();
    return judgeEach(tools, (listed) => {
      const { tool, pointer, exchangeKey } = listed;
      const name = ownProperty(tool, 'name');
      const earlier = seen.get(name);
      if (earlier === undefined) {
        seen.set(name, listed);
        return passed;
      }
      if (repeats && sameJson(tool, earlier.tool)) return passed;
      return failed({
        message: `the tool ${nameOf(tool)} is listed twice`,
        expected: 'each name once',
        received: `the same name at ${earlier.pointer} and ${pointer}`,
        pointer: `${pointer}/name`,
        exchangeKey,
      });
    });
  },
);
