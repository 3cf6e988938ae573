import { type Exchange, isAnswer } from '../../model/exchange.ts';
import { showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { nextCursor } from '../../wires/mcp/tools.ts';
import { describeAnswer, isServed } from '../answers.ts';
import { defineCheck } from '../define-check.ts';

export const toolPages = defineCheck(
  'step',
  'tool-pages',
  'every page of tools/list is answered, and the cursors lead to an end',
  ({ asked }) => {
    const seen = new Set<string>();
    for (const { exchange } of asked) {
      const exchangeKey = exchange.request.key;
      if (!isAnswer(exchange) || !isServed(exchange))
        return seen.size === 0
          ? inapplicable('tools/list was not answered with a result')
          : failed({
              message: 'a cursor that the server returned is refused',
              expected: 'the next page',
              received: describePage(exchange),
              exchangeKey,
            });
      const cursor = nextCursor(exchange);
      if (cursor === undefined) continue;
      const place = { received: showJson(cursor), pointer: '/result/nextCursor', exchangeKey };
      if (typeof cursor !== 'string')
        return failed({
          message: 'nextCursor is not a string',
          expected: 'a string, or no nextCursor',
          ...place,
        });
      if (seen.has(cursor))
        return failed({
          message: 'two pages have the same nextCursor, so the list never ends',
          expected: 'a new cursor on each page, and none on the last',
          ...place,
        });
      seen.add(cursor);
    }
    const last = asked.at(-1)?.exchange;
    if (last === undefined) return inapplicable('tools/list was not answered');
    const isCut = isAnswer(last) && nextCursor(last) !== undefined;
    return isCut
      ? failed({
          message: 'the list of tools does not end',
          expected: 'a last page without nextCursor',
          received: `${asked.length} pages, and a cursor for another one`,
          pointer: '/result/nextCursor',
          exchangeKey: last.request.key,
        })
      : passed;
  },
);

function describePage(exchange: Exchange): string {
  return isAnswer(exchange) ? describeAnswer(exchange) : exchange.reason.message;
}
