import type { VNode } from 'preact';
import type { ServerRecord } from 'probity/model';
import type { FoundRecords } from '../search/search.ts';
import { FacetGroup } from './facets.tsx';
import { visibleText } from './figures.tsx';
import { searchAddress } from './search-address.ts';
import { StateMark } from './state.tsx';

/** What the first page shows before anybody has searched. */
export interface OverviewOfAll {
  readonly all: FoundRecords;
  /** Null when the list of all servers, which follows, is as short. */
  readonly news: {
    readonly newest: readonly ServerRecord[];
    /** Those whose state changed last. */
    readonly changed: readonly ServerRecord[];
  } | null;
}

/** Numbers, categories and news of the directory; null while nothing is listed. */
export function Overview({ of: { all, news } }: { readonly of: OverviewOfAll }): VNode | null {
  const { total, facets } = all;
  if (total === 0 || facets === null) return null;
  return (
    <section class="glance" aria-label="Overview">
      <FacetGroup name="status" values={facets.status} search={{}} />
      <FacetGroup name="category" values={facets.category} search={{}} />
      {news === null ? null : (
        <div class="news">
          <News id="newest" title="Newest" records={news.newest} sort="newest" />
          <News id="changed" title="Changed their state" records={news.changed} sort="changed" />
        </div>
      )}
    </section>
  );
}

function News({
  id,
  title,
  records,
  sort,
}: Readonly<{
  id: string;
  title: string;
  records: readonly ServerRecord[];
  sort: 'newest' | 'changed';
}>): VNode {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul>
        {records.map(({ id: serverId, name, status }) => (
          <li key={serverId}>
            {status === undefined ? null : <StateMark status={status} />}{' '}
            <a href={`/servers/${serverId}`} dir="auto">
              {visibleText(name, 'name')}
            </a>
          </li>
        ))}
      </ul>
      <p>
        <a href={searchAddress({ sort })}>More</a>
      </p>
    </section>
  );
}
