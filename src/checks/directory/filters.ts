import { type Json, ownProperty } from '../../json/json.ts';
import { urlOf } from '../../model/exchange.ts';
import {
  type Evidence,
  type Finding,
  failed,
  inapplicable,
  passed,
  undecided,
} from '../../model/judgement.ts';
import { textsOf } from '../capabilities/descriptor.ts';
import { type CheckFinding, cannotJudge, defineCheck, type JsonAnswer } from '../define-check.ts';
import { answersIn } from '../json/answers.ts';
import { type Fit, filtersIn, fitOfAll, type SearchFilter } from './search-filters.ts';
import {
  credibleTotal,
  idOf,
  type KnownRecords,
  knownRecords,
  nameOf,
  queryOf,
  searchPage,
  totalIn,
} from './search-page.ts';

/** Filters that combined searches depend on. */
const RELIED_ON = ['audited', 'category', 'openSource', 'tags', 'transport'] as const;
type BrokenAlone = (typeof RELIED_ON)[number];
const BROKEN_ALONE = Object.fromEntries(
  RELIED_ON.map((name) => [name, `the filter ${name} does not work alone either`]),
) as Readonly<Record<BrokenAlone, string>>;

export const filtered = defineCheck(
  'step',
  'filtered',
  'searches with filters return all records that match the filters, and no others',
  ({ used }) => {
    const asked = used.asked ?? [];
    if (asked.length === 0) return inapplicable('no search with the filter was answered');
    const known = knownRecords(used.before, used.again);
    const problems = asked.flatMap((answer): readonly CheckFinding<BrokenAlone>[] => {
      const problem = problemOf(answer, known);
      const broken = problem === null ? null : brokenAlone(answer, Object.values(used).flat(), known);
      if (broken !== null) return [cannotJudge(broken)];
      return problem === null ? [] : [failed({ ...problem, exchangeKey: answer.exchange.request.key })];
    });
    if (problems.length > 0) return problems;
    return asked.some((answer) => showsIgnoredFilters(answer, known)) ? passed : cannotShow(asked);
  },
  { reasons: BROKEN_ALONE },
);

/** The filter of a combined search that does not work alone either. */
function brokenAlone(
  { exchange }: JsonAnswer,
  answers: readonly JsonAnswer[],
  known: KnownRecords,
): BrokenAlone | null {
  const names = filtersIn(queryOf(exchange)).map(({ name }) => name);
  if (names.length < 2) return null;
  const isBroken = (name: string): boolean =>
    answers.some((answer) => {
      const [only, ...others] = filtersIn(queryOf(answer.exchange));
      return only?.name === name && others.length === 0 && problemOf(answer, known) !== null;
    });
  return RELIED_ON.find((name) => names.includes(name) && isBroken(name)) ?? null;
}

type Problem = Pick<Evidence, 'message' | 'expected' | 'received' | 'pointer'>;

function problemOf({ exchange, value }: JsonAnswer, known: KnownRecords): Problem | null {
  const page = searchPage(value);
  const filters = filtersIn(queryOf(exchange));
  const words = inWords(filters);
  if (page === null) return null;
  const mismatch = page.servers.findIndex((record) => fitOfAll(filters, record) === 'no');
  const found = page.servers[mismatch];
  if (found !== undefined) return mismatchAt(mismatch, found, filters);
  const total = credibleTotal(page, queryOf(exchange));
  const ids = new Set(page.servers.map(idOf));
  const isWhole = total !== null && total <= page.servers.length;
  const missing = known.lasting.find(
    ({ id, ...record }) => isWhole && !ids.has(id) && lastingFit(filters, record) === 'yes',
  );
  if (missing !== undefined)
    return {
      message: `a record that matches ${words} is missing`,
      expected: `"${missing.id}" among the results`,
      received: `${page.servers.length} results without it`,
      pointer: '/servers',
    };
  if (total === null || known.total === null) return null;
  const excluded = known.lasting.find((record) => lastingFit(filters, record) === 'no');
  const limit = excluded === undefined ? known.total : known.total - 1;
  if (total <= limit) return null;
  return {
    message: `${words} does not narrow the search`,
    expected: `a total of at most ${limit}${excluded === undefined ? '' : `: "${excluded.id}" does not match it`}`,
    received: `${total}`,
    pointer: '/pagination/total',
  };
}

function mismatchAt(index: number, record: Json, filters: readonly SearchFilter[]): Problem {
  const broken = filters.filter(({ fitOf }) => fitOf(record) === 'no');
  return {
    message: `${nameOf(record)} is among the results, but does not match ${inWords(broken)}`,
    expected: 'only records that match the filter',
    received: `${nameOf(record)} as result ${index + 1}`,
    pointer: `/servers/${index}`,
  };
}

function lastingFit(filters: readonly SearchFilter[], { before, after }: { before: Json; after: Json }): Fit {
  const [first, second] = [fitOfAll(filters, before), fitOfAll(filters, after)];
  return first === second ? first : 'unsure';
}

/** Whether the answer would differ if a filter were ignored: for each filter, some record fails only that one. */
function showsIgnoredFilters({ exchange }: JsonAnswer, { lasting }: KnownRecords): boolean {
  const filters = filtersIn(queryOf(exchange));
  return filters.every((filter) =>
    lasting.some(
      ({ after }) =>
        filter.fitOf(after) === 'no' &&
        filters.every((other) => other === filter || other.fitOf(after) === 'yes'),
    ),
  );
}

function cannotShow(asked: readonly JsonAnswer[]): Finding {
  const words = [...new Set(asked.map(({ exchange }) => inWords(filtersIn(queryOf(exchange)))))].join('; ');
  return undecided({
    message: 'no shown record can prove that the filter is applied',
    expected: `a record that does not match ${words}`,
    received: 'none: the answers are the same with the filter and without it',
    advice: 'Check a directory that also has entries which do not match the filter.',
  });
}

function inWords(filters: readonly SearchFilter[]): string {
  return filters.map(({ words }) => `"${words}"`).join(' and ');
}

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
      exchangeKey: asked[0]?.exchange.request.key,
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

const OK = 200;

export const oneAccepted = defineCheck(
  'step',
  'one-accepted',
  'of several variants of a request, at least one is answered with 200',
  ({ asked }) => {
    const answers = answersIn(asked);
    if (answers.length === 0) return inapplicable('nothing was answered');
    if (answers.some(({ response }) => response.status === OK)) return passed;
    const statuses = [...new Set(answers.map(({ response }) => response.status))];
    return failed({
      message: 'every variant of the request is refused',
      expected: 'status 200 for at least one of them',
      received: `status ${statuses.join(', status ')}`,
      exchangeKey: answers[0]?.request.key,
    });
  },
);
