import { failed, inapplicable, inconclusive } from '../../model/judgement.ts';
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
    if (page === null) return inapplicable('the answer is no page of search results');
    if (page.servers.length === 0)
      return inconclusive({
        message: 'the directory shows no record to look at',
        expected: 'one record at least',
        received: 'an empty list of servers',
        advice: 'Check a directory that lists a server or two, or give a key that may see them.',
      });
    const problems = page.servers.flatMap((record, index) =>
      recordProblems(record).map((problem) => ({ ...problem, record, index })),
    );
    return judgeEach(problems, ({ field, expected, received, record, index }) =>
      failed({
        message:
          field === ''
            ? 'an entry of servers is no record'
            : `${field} of ${nameOf(record)} is not what it should be`,
        expected,
        received,
        pointer: field === '' ? `/servers/${index}` : `/servers/${index}/${field}`,
      }),
    );
  },
);
