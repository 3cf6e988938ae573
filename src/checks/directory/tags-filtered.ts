import { urlOf } from '../../model/exchange.ts';
import { type Json, ownProperty } from '../../model/json.ts';
import { failed, inapplicable, passed, undecided } from '../../model/judgement.ts';
import { textsOf } from '../capabilities/descriptor.ts';
import { defineCheck, type JsonAnswer } from '../define-check.ts';
import { type KnownRecords, knownRecords, totalIn } from './known-records.ts';
import { credibleTotal, idOf, queryOf, searchPage } from './search-page.ts';

/**
 * The specification does not say how a request lists several tags, nor whether a record must have all of them or any.
 * One of the usual encodings must work, with one of the two meanings.
 */
export const tagsFiltered = defineCheck(
  'step',
  'tags-filtered',
  'a search for two tags, in one of the usual encodings, returns the records with both tags, or those with either',
  ({ used }) => {
    const asked = used.asked ?? [];
    if (asked.length === 0) return inapplicable('no search for two tags was answered with a page');
    const tags = requestedTags(asked);
    if (tags.length < 2) return inapplicable('the search has fewer than two tags');
    const known = knownRecords(used.before, used.again);
    if (asked.some((answer) => works(answer, tags, known))) return passed;
    const received = asked.map(({ exchange, value }) => {
      const { search } = new URL(urlOf(exchange));
      return `${decodeURIComponent(search)}: ${totalIn(value) ?? '?'} results`;
    });
    const evidence = {
      message: 'no encoding of two tags returns the records with both tags, or those with either',
      expected: `the records with ${quoted(tags, ' and ')}, or those with ${quoted(tags, ' or ')}`,
      received: received.join('; '),
      ...(asked[0] === undefined ? {} : { exchangeKey: asked[0].exchange.request.key }),
    };
    if (known.total !== null) return failed(evidence);
    return undecided({
      ...evidence,
      message: `${evidence.message}, but the directory changed meanwhile`,
      advice: 'Check the directory again while no entries are added or removed.',
    });
  },
);

function quoted(tags: readonly string[], between: string): string {
  return tags.map((tag) => `"${tag}"`).join(between);
}

function requestedTags(answers: readonly JsonAnswer[]): readonly string[] {
  const written = answers.flatMap(({ exchange }) => {
    const query = queryOf(exchange);
    return [...query.getAll('tags'), ...query.getAll('tags[]')];
  });
  return [...new Set(written.flatMap((text) => text.split(',')))];
}

/** Whether the page fits one of the two meanings. Records that may be on a later page are not judged. */
function works(
  { exchange, value }: JsonAnswer,
  tags: readonly string[],
  { lasting, total }: KnownRecords,
): boolean {
  const page = searchPage(value);
  if (page === null || page.servers.length === 0) return false;
  const found = credibleTotal(page, queryOf(exchange));
  const isWhole = found !== null && found <= page.servers.length;
  if (total !== null && found === total && lasting.some(({ after }) => countOf(tags, after) === 0))
    return false;
  const ids = new Set(page.servers.map(idOf));
  return [tags.length, 1].some((minCount) => {
    const fits = (record: Json): boolean => countOf(tags, record) >= minCount;
    return (
      page.servers.every(fits) &&
      lasting.every(({ id, before, after }) => !isWhole || ids.has(id) || !(fits(before) && fits(after)))
    );
  });
}

function countOf(tags: readonly string[], record: Json): number {
  const own = textsOf(ownProperty(record, 'tags'));
  return tags.filter((tag) => own.includes(tag)).length;
}
