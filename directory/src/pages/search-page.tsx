import type { VNode } from 'preact';
import { Sign } from 'probity/html';
import { visible } from 'probity/model';
import type { ParameterProblem } from '../http/problem.ts';
import type { FoundRecords } from '../search/search.ts';
import { DEFAULT_LIMIT, SEARCH_PARAMETERS, type SearchQuery } from '../search/search-query.ts';
import { FacetLinks } from './facets.tsx';
import { FoundEntry } from './found-entry.tsx';
import { Layout } from './layout.tsx';
import { Overview, type OverviewOfAll } from './overview.tsx';
import { registryAddress } from './registry-list-page.tsx';
import { type Filter, filtersOf, type GivenSearch, searchAddress } from './search-address.ts';
import { SearchForm } from './search-form.tsx';

/** The outcome of a search. */
export type SearchOutcome =
  | { readonly kind: 'found'; readonly query: SearchQuery; readonly found: FoundRecords }
  | { readonly kind: 'bad'; readonly problems: readonly ParameterProblem[] };

export function SearchPage({
  search,
  outcome,
  overview,
  signedIn,
}: Readonly<{
  search: GivenSearch;
  outcome: SearchOutcome;
  /** Before anybody has searched. */
  overview: OverviewOfAll | null;
  signedIn: boolean;
}>): VNode {
  const problems = outcome.kind === 'bad' ? outcome.problems : [];
  const others = problems.filter(({ parameter }) => !FIELDS.has(parameter));
  const filters = filtersOf(search);
  return (
    <Layout
      title={outcome.kind === 'bad' ? 'Invalid search' : titleOf(search)}
      signedIn={signedIn}
      description="MCP servers with their tools, uptime, response times and the results of their tests."
      feed="/feed.atom"
    >
      <h1>Search MCP servers</h1>
      <SearchForm search={search} problems={problems} />
      {overview === null ? null : <Overview of={overview} />}
      {outcome.kind === 'found' ? <Results search={search} filters={filters} {...outcome} /> : null}
      {problems.length === 0 ? null : (
        <div class="box fail" role="alert">
          <h2>This search is invalid</h2>
          {others.length < problems.length ? <p>Correct the marked fields.</p> : null}
          {others.length === 0 ? null : (
            <ul>
              {others.map(({ parameter, detail }, index) => (
                <li key={index}>
                  <code>{visible(parameter)}</code> {visible(detail)}
                </li>
              ))}
            </ul>
          )}
          <p>
            <a href="/">Start over</a>
          </p>
        </div>
      )}
    </Layout>
  );
}

/** The parameters that have a field in the form; links set `offset` and `limit`, and programs use `updatedSince`. */
const FIELDS: ReadonlySet<string> = new Set(
  SEARCH_PARAMETERS.filter((name) => !['limit', 'offset', 'updatedSince', 'facets'].includes(name)),
);

function titleOf({ q }: GivenSearch): string {
  return q === undefined ? 'Search' : `${visible(q)}: search`;
}

function Results({
  search,
  filters,
  query: { limit, offset },
  found: { servers, total, facets },
}: Readonly<{
  search: GivenSearch;
  filters: readonly Filter[];
  query: SearchQuery;
  found: FoundRecords;
}>): VNode {
  if (total === 0) return <Nothing search={search} filters={filters} />;
  const first = offset + 1;
  const last = offset + servers.length;
  const lastPage = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  return (
    <section aria-labelledby="count">
      <p id="count" class="count">
        {servers.length === 0 ? (
          <>
            {total === 1 ? 'One server matches' : `${total} servers match`}, but this page is past the last
            one. <a href={searchAddress(search, { offset: String(lastPage) })}>Show the last page</a>
          </>
        ) : total <= limit && offset === 0 ? (
          <b>{total === 1 ? 'One server' : `${total} servers`}</b>
        ) : (
          <>
            <b>
              {first === last ? first : `${first}–${last}`} of {total}
            </b>{' '}
            servers
          </>
        )}
      </p>
      {filters.length === 0 ? null : <ActiveFilters title="Active filters" filters={filters} />}
      {facets === null || total <= 1 ? null : <FacetLinks facets={facets} search={search} />}
      <ol class="entries">
        {servers.map((record) => (
          <FoundEntry key={record.id} record={record} />
        ))}
      </ol>
      <Pager search={search} limit={limit} offset={offset} shown={servers.length} total={total} />
    </section>
  );
}

function Nothing({
  search: { q },
  filters,
}: Readonly<{ search: GivenSearch; filters: readonly Filter[] }>): VNode {
  return (
    <section class="nothing" aria-labelledby="count">
      <h2 id="count">{filters.length === 0 ? 'No server is listed yet' : 'No server matches'}</h2>
      {filters.length === 0 ? (
        <p>The operator adds entries; those that meet the listing requirements are shown here.</p>
      ) : (
        <>
          <ActiveFilters
            title={filters.length === 1 ? 'Remove the filter:' : 'Remove a filter:'}
            filters={filters}
          />
          <p>
            <a href="/">Show all servers</a>
          </p>
          {q === undefined ? null : (
            <p>
              <a href={registryAddress({ search: q })}>Look in the registry for a name with this text</a>
            </p>
          )}
        </>
      )}
    </section>
  );
}

function ActiveFilters({ title, filters }: Readonly<{ title: string; filters: readonly Filter[] }>): VNode {
  return (
    <div class="loosen">
      <p id="loosen-title">{title}</p>
      <ul class="labels" aria-labelledby="loosen-title">
        {filters.map(({ words, without }, index) => (
          <li key={index}>
            <a href={without} aria-label={`Remove ${words}`}>
              <bdi>{words}</bdi> <Sign mark="fail" />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Pager({
  search,
  limit,
  offset,
  shown,
  total,
}: Readonly<{
  search: GivenSearch;
  limit: number;
  offset: number;
  shown: number;
  total: number;
}>): VNode | null {
  const before = offset > 0 ? Math.max(0, Math.min(offset - limit, total - 1)) : null;
  const after = offset + shown < total && shown > 0 ? offset + limit : null;
  if (before === null && after === null) return null;
  const to = (at: number): string =>
    searchAddress(search, { offset: String(at), limit: limit === DEFAULT_LIMIT ? '' : String(limit) });
  return (
    <nav class="pager" aria-label="Pages of results">
      {before === null ? (
        <span />
      ) : (
        <a href={to(before)} rel="prev">
          Previous {Math.min(limit, offset)}
        </a>
      )}
      {after === null ? null : (
        <a href={to(after)} rel="next">
          Next {Math.min(limit, total - after)}
        </a>
      )}
    </nav>
  );
}
