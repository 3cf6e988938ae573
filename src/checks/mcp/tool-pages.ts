import { ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { listIn } from './relayed.ts';

export const toolPages = defineCheck(
  'json',
  'tool-pages',
  'every page of tools/list is answered, and the cursors lead to an end',
  ({ value }) => {
    const pages = listIn(value, 'answers');
    const seen = new Set<string>();
    for (const { value: page, pointer } of pages) {
      const result = ownProperty(page, 'result');
      if (result === undefined)
        return seen.size === 0
          ? inapplicable('tools/list was not answered with a result')
          : failed({
              message: 'a cursor that the server returned is refused',
              expected: 'the next page',
              received: showJson(ownProperty(page, 'error')),
              pointer: `${pointer}/error`,
            });
      const cursor = ownProperty(result, 'nextCursor');
      if (cursor === undefined) continue;
      const place = { received: showJson(cursor), pointer: `${pointer}/result/nextCursor` };
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
    if (pages.length === 0) return inapplicable('tools/list was not answered');
    const isCut = ownProperty(ownProperty(pages.at(-1)?.value, 'result'), 'nextCursor') !== undefined;
    return isCut
      ? failed({
          message: 'the list of tools does not end',
          expected: 'a last page without nextCursor',
          received: `${pages.length} pages, and a cursor for another one`,
          pointer: `${pages.at(-1)?.pointer}/result/nextCursor`,
        })
      : passed;
  },
);
