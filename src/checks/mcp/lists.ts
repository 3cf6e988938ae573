import { showJson } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { answeringMessage } from '../../wires/mcp/answer.ts';
import { nextCursor } from '../../wires/mcp/lists.ts';
import { defineCheck } from '../define-check.ts';
import { describeAnswer, isServed } from '../json/answers.ts';
import { methodOf } from './received.ts';

// What holds for every list of a server: its tools, prompts, resources and templates.

export const listPages = defineCheck(
  'step',
  'list-pages',
  'every page of a list is answered, and the cursors lead to an end',
  ({ asked }) => {
    const seen = new Set<string>();
    for (const { exchange } of asked) {
      const exchangeKey = exchange.request.key;
      if (!isAnswer(exchange) || !isServed(exchange))
        return seen.size === 0
          ? inapplicable(`${methodOf(exchange)} was not answered with a result`)
          : failed({
              message: `${methodOf(exchange)} refuses a cursor that the server returned`,
              expected: 'the next page',
              received: isAnswer(exchange) ? describeAnswer(exchange) : exchange.reason.message,
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
    if (last === undefined) return inapplicable('the list was not read');
    const isCut = isAnswer(last) && nextCursor(last) !== undefined;
    return isCut
      ? failed({
          message: `${methodOf(last)} does not end`,
          expected: 'a last page without nextCursor',
          received: `${asked.length} pages, and a cursor for another one`,
          pointer: '/result/nextCursor',
          exchangeKey: last.request.key,
        })
      : passed;
  },
);

export const unknownCursor = defineCheck(
  'step',
  'unknown-cursor',
  'a cursor that the server did not return is refused with the error -32602',
  ({ used }) => {
    const isPaged = (used.pages ?? []).some(({ exchange }) => nextCursor(exchange) !== undefined);
    if (!isPaged) return inapplicable('the list has one page');
    const [unknown] = used.unknown ?? [];
    if (unknown === undefined || !isAnswer(unknown.exchange)) return inapplicable('it was not answered');
    const message = answeringMessage(unknown.exchange)?.message;
    if (message?.kind === 'error' && message.code === -32_602) return passed;
    return failed({
      message: 'the server does not refuse an unknown cursor with the error -32602',
      expected: 'the error -32602',
      received: describeAnswer(unknown.exchange),
      exchangeKey: unknown.exchange.request.key,
    });
  },
);
