import type { Json } from '../../json/json.ts';
import { type Evidence, failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { cannotJudge, defineCheck, type JsonAnswer } from '../define-check.ts';
import { idOf, queryNumber, queryOf, searchPage, totalIn } from './search-page.ts';

export const pageWalk = defineCheck(
  'step',
  'page-walk',
  'the pages together hold as many records as total says, each once',
  ({ used }) => {
    const reads = [used.before ?? [], used.again ?? []];
    const walks = reads.map(walkOf).filter((walk) => walk !== null);
    const [first] = walks;
    if (reads.flat().some(({ value }) => totalIn(value) === null)) return cannotJudge('no-total');
    if (first === undefined) return inapplicable('no page was read');
    if (walks.every(({ total }) => total === 0))
      return undecided({
        message: 'the directory shows no records',
        expected: 'at least one record',
        received: 'a total of 0',
        advice: 'Check a directory that lists servers, or give a key that may see them.',
      });
    // One walk without a problem is enough: the directory may have changed during the other.
    if (walks.some(({ total, problem }) => total !== null && problem === null)) return passed;
    const stable = walks.length === 2 && walks.every(({ total }) => total !== null && total === first.total);
    const problem = first.problem ?? walks.at(-1)?.problem;
    if (stable && problem) return failed(problem);
    return undecided({
      message: 'the number of records changed while the pages were read',
      expected: 'the same total on every page of one walk',
      received: problem?.message ?? 'totals that differ',
      advice: 'Check the directory again while no entries are added or removed.',
    });
  },
  { reasons: { 'no-total': 'a page has no total' } },
);

type Problem = Omit<Evidence, 'fault'>;

interface Walk {
  /** Null where the pages do not agree on it. */
  readonly total: number | null;
  readonly problem: Problem | null;
}

interface Page {
  readonly offset: number;
  /** Where the next page was expected to begin. */
  readonly end: number;
  readonly records: readonly Json[];
  readonly key: string;
}

function walkOf(answers: readonly JsonAnswer[]): Walk | null {
  const pages = answers
    .map(({ exchange, value }): Page => {
      const query = queryOf(exchange);
      const offset = queryNumber(query, 'offset') ?? 0;
      const records = searchPage(value)?.servers ?? [];
      const end = offset + (queryNumber(query, 'limit') ?? records.length);
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
          message: 'a record is listed twice',
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

/** Judges only consecutive pages: a walk skips some pages of a large directory. */
function missingFrom(pages: readonly Page[], total: number | null): Problem | null {
  if (total === null) return null;
  let [reached, end] = [0, 0];
  for (const { offset, records, key, ...page } of pages) {
    if (offset > reached && offset <= end)
      return {
        message: 'records are missing from the pages',
        expected: `records from ${reached} to ${offset}`,
        received: 'none of them on any page',
        exchangeKey: key,
      };
    reached = offset + records.length;
    end = page.end;
  }
  const last = pages.at(-1);
  // If the directory has grown since the pages were chosen, its last page was not requested.
  if (reached >= total || last === undefined || last.end < total) return null;
  return {
    message: 'the pages hold fewer records than total says',
    expected: `${total} records`,
    received: `the last page ends at ${reached}`,
    exchangeKey: last.key,
  };
}
