import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { jsonBody } from '../json/json-body.ts';
import { MAX_RECORDS } from './pagination-true.ts';
import { countIn, searchPage } from './search-page.ts';

export const pageSizeKept = defineCheck(
  'answer',
  'page-size-kept',
  'no page holds more than 100 records or reports a larger limit: a larger limit is reduced or refused',
  ({ exchange }) => {
    const { status } = exchange.response;
    if (status >= 400 && status < 500) return passed;
    const page = searchPage(jsonBody(exchange).value);
    if (page === null)
      return failed({
        message: 'the search is neither answered with a page nor refused',
        expected: 'a page of at most 100 records, or a 4xx status',
        received: `status ${status} without a page`,
      });
    const held = page.servers.length;
    if (held > MAX_RECORDS)
      return failed({
        message: 'the page holds more than 100 records',
        expected: 'at most 100 records',
        received: `${held} records`,
        pointer: '/servers',
      });
    const limit = countIn(page, 'limit');
    if (limit === null) return inapplicable('the pagination gives no limit');
    if (limit <= MAX_RECORDS) return passed;
    return failed({
      message: 'the pagination reports a limit above 100',
      expected: 'a limit of at most 100',
      received: `${limit}`,
      pointer: '/pagination/limit',
    });
  },
);
