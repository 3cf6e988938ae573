import type { VNode } from 'preact';
import { visible } from 'probity/model';
import { cursorOf } from '../registry/registry-query.ts';
import { serverAddress } from '../registry/server-answer.ts';
import { visibleText } from './figures.tsx';
import { Layout } from './layout.tsx';
import type { RegistryView } from './registry-view.ts';
import { writable } from './search-form.tsx';
import { VerdictMark } from './verdict-mark.tsx';

/** A page of the list of the registry. */
interface FoundServers {
  /** One more than the limit if there is another page. */
  readonly views: readonly RegistryView[];
  readonly limit: number;
  readonly isFirst: boolean;
}

export function RegistryListPage({
  search,
  found,
  problem,
  signedIn,
}: Readonly<{
  search: string;
  found: FoundServers | null;
  problem: string | null;
  signedIn: boolean;
}>): VNode {
  return (
    <Layout
      title={search === '' ? 'Registry' : `${visible(search)}: registry`}
      signedIn={signedIn}
      description="The servers of the registry API of this directory, with packages, which are tested only if the operator allows it."
    >
      <h1>Registry</h1>
      <p>
        What clients of the registry API see: the listed servers, and the packages of followed registries.
        Packages are tested only if the operator of this directory allows it. <a href="/">The search</a> has
        the tested servers, with more filters.
      </p>
      <search class="find" aria-label="Registry">
        <form method="get" action="/registry">
          <div class="text">
            <div class="field">
              <label for="search">Part of a name</label>
              <input id="search" name="search" type="search" value={writable(search)} maxLength={255} />
            </div>
            <button type="submit">Search</button>
          </div>
        </form>
      </search>
      {problem === null ? null : (
        <div class="box fail" role="alert">
          <h2>This search is invalid</h2>
          <p>{visible(problem)}</p>
          <p>
            <a href="/registry">Start over</a>
          </p>
        </div>
      )}
      {found === null ? null : <Found search={search} {...found} />}
    </Layout>
  );
}

function Found({ search, views, limit, isFirst }: FoundServers & { readonly search: string }): VNode {
  const page = views.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined) return <Nothing search={search} isFirst={isFirst} />;
  const { isFollowed, name, version } = last.row;
  const next = cursorOf({ updatedAt: null, isFollowed, name, version });
  return (
    <>
      <ol class="entries">
        {page.map((view) => (
          <FoundServer key={view.name} view={view} />
        ))}
      </ol>
      <nav class="pager" aria-label="Pages of the registry">
        {isFirst ? <span /> : <a href={registryAddress({ search })}>First page</a>}
        {views.length > limit ? (
          <a href={registryAddress({ search, cursor: next })} rel="next">
            Next
          </a>
        ) : null}
      </nav>
    </>
  );
}

function Nothing({ search, isFirst }: Readonly<{ search: string; isFirst: boolean }>): VNode {
  const isEmpty = search === '' && isFirst;
  const which = isFirst ? 'No server' : 'No further server';
  return (
    <section class="nothing" aria-labelledby="count">
      <h2 id="count">
        {isEmpty
          ? 'The registry has no server yet'
          : `${which} ${search === '' ? 'follows' : 'has this text in its name'}`}
      </h2>
      {isEmpty ? (
        <p>It shows servers that are listed, and those of registries that the operator follows or imports.</p>
      ) : (
        <p>
          <a href="/registry">Show the whole registry</a>
        </p>
      )}
    </section>
  );
}

function FoundServer({ view }: { readonly view: RegistryView }): VNode {
  const { row, name, title, description } = view;
  return (
    <li class="entry">
      <h2>
        <a href={serverAddress(name)} dir="auto">
          {visibleText(title, 'name')}
        </a>{' '}
        <VerdictMark row={row} />
      </h2>
      <p>
        <code class="id">{visibleText(name, 'name')}</code> {visibleText(row.version, 'label')}
      </p>
      <p class="description" dir="auto">
        {visibleText(description, 'description')}
      </p>
    </li>
  );
}

/** The address of a page of the list. Pure. */
export function registryAddress(given: Readonly<{ search: string; cursor?: string }>): string {
  const parameters = new URLSearchParams(Object.entries(given).filter(([, text]) => text !== ''));
  return parameters.size === 0 ? '/registry' : `/registry?${parameters}`;
}
