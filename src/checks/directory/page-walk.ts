import type { Json } from '../../model/json.ts';
import { type Evidence, failed, inapplicable, inconclusive, passed } from '../../model/judgement.ts';
import { cannotJudge, defineCheck, type JsonAnswer } from '../define-check.ts';
import { totalIn } from './known-records.ts';
import { askedNumber, idOf, queryOf, searchPage } from './search-page.ts';

export const pageWalk = defineCheck(
  'step',
  'page-walk',
  'the pages together hold as many records as total says, and none twice',
  ({ used }) => {
    const walks = [walkOf(used.before), walkOf(used.again)].filter((walk) => walk !== null);
    const [first] = walks;
    if (
      [used.before, used.again]
        .flat()
        .some((answer) => answer !== undefined && totalIn(answer.value) === null)
    )
      return cannotJudge('no-total');
    if (first === undefined) return inapplicable('no page was read');
    if (walks.every(({ total }) => total === 0))
      return inconclusive({
        message: 'the directory shows no record to walk through',
        expected: 'one record at least',
        received: 'a total of 0',
        advice: 'Check a directory that lists a server or two, or give a key that may see them.',
      });
    // One walk that went well is enough: the other may have met a change.
    if (walks.some(({ total, problem }) => total !== null && problem === null)) return passed;
    const stable = walks.length === 2 && walks.every(({ total }) => total !== null && total === first.total);
    const problem = first.problem ?? walks.at(-1)?.problem;
    if (stable && problem) return failed(problem);
    return inconclusive({
      message: 'the number of records changed while the pages were walked through',
      expected: 'the same total on every page of one walk',
      received: problem?.message ?? 'totals that differ',
      advice: 'Check the directory again while nobody adds or removes entries.',
    });
  },
  { reasons: { 'no-total': 'a page does not say how many records there are' } },
);

type Problem = Omit<Evidence, 'fault'>;

interface Walk {
  /** Null where the pages do not agree on it. */
  readonly total: number | null;
  readonly problem: Problem | null;
}

interface Page {
  readonly offset: number;
  /** Where the next page was to begin. */
  readonly end: number;
  readonly records: readonly Json[];
  readonly key: string;
}

function walkOf(answers: readonly JsonAnswer[] = []): Walk | null {
  const pages = answers
    .map(({ exchange, value }): Page => {
      const query = queryOf(exchange);
      const offset = askedNumber(query, 'offset') ?? 0;
      const records = searchPage(value)?.servers ?? [];
      const end = offset + (askedNumber(query, 'limit') ?? records.length);
      return { offset, end, records, key: exchange.request.key };
    })
    .sort((left, right) => left.offset - right.offset);
  if (pages.length === 0) return null;
  const totals = new Set(answers.map(({ value }) => totalIn(value)));
  const [total = null] = totals.size === 1 ? [...totals] : [];
  return { total, problem: repeatedIn(pages) ?? missingFrom(pages, total) };
}

function repeatedIn(pages: readonly Page[]): Problem | null {
  const seen = new Map<string, number>();
  for (const { offset, records, key } of pages) {
    for (const [index, record] of records.entries()) {
      const id = idOf(record);
      if (id === null) continue;
      const earlier = seen.get(id);
      if (earlier !== undefined)
        return {
          message: 'a record comes twice in a walk through the pages',
          expected: 'every record once',
          received: `"${id}" at ${earlier} and at ${offset + index}`,
          pointer: `/servers/${index}`,
          exchangeKey: key,
        };
      seen.set(id, offset + index);
    }
  }
  return null;
}

/** Only where the pages follow one another to the end: of a large directory, some are left out. */
function missingFrom(pages: readonly Page[], total: number | null): Problem | null {
  if (total === null) return null;
  let [reached, end] = [0, 0];
  for (const { offset, records, key, ...page } of pages) {
    if (offset > reached && offset <= end)
      return {
        message: 'the pages leave records out',
        expected: `records from ${reached} to ${offset}`,
        received: 'none of them on any page',
        exchangeKey: key,
      };
    reached = offset + records.length;
    end = page.end;
  }
  const last = pages.at(-1);
  // Where the directory has grown since the pages were chosen, its end was not asked for.
  if (reached >= total || last === undefined || last.end < total) return null;
  return {
    message: 'the pages hold fewer records than total says',
    expected: `${total} records`,
    received: `the last page ends at ${reached}`,
    exchangeKey: last.key,
  };
}
