import type { FastifyInstance } from 'fastify';
import { ownAddress } from '../http/own-address.ts';
import { Problem } from '../http/problem.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { type Registry, readList, readVersions, type ServerRow } from '../registry/read-servers.ts';
import { type Parameters, readListQuery } from '../registry/registry-query.ts';
import { AFTER_SIGN_IN, renderPage, sendPage, sendUncachedPage } from './layout.tsx';
import { readerOf } from './reader.ts';
import { RegistryListPage } from './registry-list-page.tsx';
import { RegistryServerPage } from './registry-server-page.tsx';
import { registryView } from './registry-view.ts';

/** The parameters of the list that its page has fields and links for. */
const SHOWN = ['search', 'cursor'] as const;

/** The servers of the registry API as pages: also those without an entry, such as packages. */
export function registryPageRoutes(pages: FastifyInstance, service: Service, registry: Registry): void {
  pages.get<{ Querystring: Parameters }>('/registry', AFTER_SIGN_IN, async (request, reply) => {
    const reader = await readerOf(service, reply);
    const given = new Map(SHOWN.map((name) => [name, request.query.get(name) ?? []]));
    const common = { search: given.get('search')?.[0] ?? '', signedIn: reader === 'session' };
    try {
      const query = readListQuery(new Map([...given, ['version', ['latest']]]));
      const { rows } = await readList(registry, query);
      const views = rows.map((row) => registryView(row, registry.namespace));
      const page = (
        <RegistryListPage
          {...common}
          found={{ views, limit: query.limit, isFirst: query.after === null }}
          problem={null}
        />
      );
      return sendPage(reply, renderPage(reply, page), reader);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'bad-parameter') throw error;
      const page = <RegistryListPage {...common} found={null} problem={error.message} />;
      return sendUncachedPage(reply, 400, page);
    }
  });

  pages.get<{ Params: { serverName: string }; Querystring: Parameters }>(
    '/registry/:serverName',
    AFTER_SIGN_IN,
    async (request, reply) => {
      const reader = await readerOf(service, reply);
      const { rows } = await readVersions(registry, request.params.serverName, null, true);
      const wanted = request.query.get('version')?.[0] ?? null;
      const shown = rows.find((row) => (wanted === null ? row.isLatest : row.version === wanted));
      if (shown === undefined) throw notFound();
      // The public reason of the operator, if the entry was rejected, is the answer then.
      if (shown.entryId !== null) await requireEntry(service, shown.entryId);
      if (!isListed(shown)) throw notFound();
      const page = (
        <RegistryServerPage
          server={registryView(shown, registry.namespace)}
          versions={rows.filter(isListed)}
          address={ownAddress(request, service.settings)}
          signedIn={reader === 'session'}
        />
      );
      return sendPage(reply, renderPage(reply, page), reader);
    },
  );
}

function isListed({ state, status }: ServerRow): boolean {
  return state === 'shown' && status !== 'deleted';
}

function notFound(): Problem {
  return new Problem('no-such-path', 'The registry has no server with this name and version.');
}
