import { failed, inapplicable, undecided } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { nameOf } from './known-records.ts';
import { searchPage } from './search-page.ts';
import { recordProblems } from './server-record.ts';

export const serverRecords = defineCheck(
  'json',
  'server-records',
  'each record has the twelve fields of a server record, with their types and ranges',
  ({ value }) => {
    const page = searchPage(value);
    if (page === null) return inapplicable('the answer is not a page of search results');
    if (page.servers.length === 0)
      return undecided({
        message: 'the directory shows no records',
        expected: 'at least one record',
        received: 'an empty list of servers',
        advice: 'Check a directory that lists servers, or give a key that may see them.',
      });
    const problems = page.servers.flatMap((record, index) =>
      recordProblems(record).map((problem) => ({ ...problem, record, index })),
    );
    return judgeEach(problems, ({ field, expected, received, record, index }) =>
      failed({
        message:
          field === ''
            ? 'an entry of servers is not an object'
            : `${field} of ${nameOf(record)} is missing or invalid`,
        expected,
        received,
        pointer: field === '' ? `/servers/${index}` : `/servers/${index}/${field}`,
      }),
    );
  },
);
