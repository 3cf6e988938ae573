import type { FastifyInstance } from 'fastify';
import { readDetails } from '../api/details.ts';
import { readAudit } from '../auditing/audits.ts';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { ownAddress } from '../http/own-address.ts';
import { Problem } from '../http/problem.ts';
import { requireEntry, type Service } from '../http/service.ts';
import type { Registry } from '../registry/read-servers.ts';
import type { FoundRecords, Search } from '../search/search.ts';
import { type GivenParameters, parseSearch, type SearchQuery } from '../search/search-query.ts';
import { basisOf, shareAnswers } from '../search/shared-answers.ts';
import { adminRoutes } from './admin-routes.tsx';
import { AuditPage, createAuditViews } from './audit-page.tsx';
import { crawlerRoutes } from './crawler-routes.ts';
import { EntryPage } from './entry-page.tsx';
import { entryView } from './entry-view.ts';
import { feedRoutes } from './feed-routes.ts';
import { entryBadge } from './figures.tsx';
import { acceptForms } from './forms.ts';
import { KnownOperator } from './known-operator.ts';
import { AFTER_SIGN_IN, PLAIN, renderPage, sendPage, sendUncachedPage } from './layout.tsx';
import type { OverviewOfAll } from './overview.tsx';
import { readerOf } from './reader.ts';
import { registryPageRoutes } from './registry-page-routes.tsx';
import { givenSearch } from './search-address.ts';
import { SearchPage } from './search-page.tsx';
import { signInRoutes } from './sign-in-routes.tsx';

/** The pages of the directory. No page runs a test or a call; only those of the operator change anything. */
export function pageRoutes(app: FastifyInstance, service: Service, search: Search, registry: Registry): void {
  const operator = new KnownOperator(service.store.db);
  app.decorate('operator', operator);
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (routeOptions.config.page !== undefined) await operator.look();
  });
  // A separate scope, because only the pages accept forms.
  app.register(async (pages) => {
    acceptForms(pages);
    searchPageRoute(pages, service, search);
    entryPageRoute(pages, service);
    auditPageRoute(pages, service);
    badgeRoute(pages, service);
    iconRoute(pages);
    feedRoutes(pages, service);
    crawlerRoutes(pages, service);
    signInRoutes(pages, service);
    adminRoutes(pages, service);
    registryPageRoutes(pages, service, registry);
  });
}

const MAX_AGE_SECONDS = 300;

/** GET /servers/{id}/badge.svg: public when the pages are, so that other sites can embed it. */
function badgeRoute(pages: FastifyInstance, service: Service): void {
  pages.get<{ Params: { serverId: string } }>(
    '/servers/:serverId/badge.svg',
    PLAIN,
    async (request, reply) => {
      const reader = await readerOf(service, reply);
      const entry = await requireEntry(service, request.params.serverId);
      const picture = entryBadge({
        status: entry.status,
        uptime: entry.uptime,
        figures: entry.figures_claimed ? 'claimed' : 'observed',
        listing: { decision: entry.decision, awaitsFigures: entry.awaits_figures },
      });
      reply.headers({
        'content-security-policy': "default-src 'none'",
        'cross-origin-resource-policy': reader === 'everybody' ? 'cross-origin' : 'same-origin',
      });
      return answerRead(reply, taggedBody(picture), {
        type: 'image/svg+xml; charset=utf-8',
        isPublic: reader === 'everybody',
        maxAgeSeconds: MAX_AGE_SECONDS,
        vary: reader === 'everybody' ? 'Accept-Encoding' : 'Authorization, Cookie',
      });
    },
  );
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b57a4"/><path d="M4 8.5l2.8 2.8L12 5.5" fill="none" stroke="#fff" stroke-width="2"/></svg>';

/** The icon of the pages; public, because browsers request it without a session. */
function iconRoute(pages: FastifyInstance): void {
  pages.get('/icon.svg', PLAIN, async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=86400', 'content-security-policy': "default-src 'none'" })
      .type('image/svg+xml; charset=utf-8')
      .send(ICON),
  );
}

/** GET /servers/{serverId}: the answer of the details operation as a page. */
function entryPageRoute(pages: FastifyInstance, service: Service): void {
  const { settings } = service;
  pages.get<{ Params: { serverId: string } }>('/servers/:serverId', AFTER_SIGN_IN, async (request, reply) => {
    const reader = await readerOf(service, reply);
    const details = await readDetails(service, request.params.serverId);
    const entry = entryView(details, ownAddress(request, settings));
    const page = <EntryPage entry={entry} isPublic={settings.publicPages} signedIn={reader === 'session'} />;
    return sendPage(reply, renderPage(reply, page), reader);
  });
}

/** GET /: a search, its filters and its results; before anybody has searched also an overview. */
function searchPageRoute(pages: FastifyInstance, service: Service, search: Search): void {
  const { watch } = service.front;
  const shared = shareAnswers(watch);
  pages.get<{ Querystring: GivenParameters }>('/', AFTER_SIGN_IN, async (request, reply) => {
    const reader = await readerOf(service, reply);
    const given = request.query;
    const parsed = parseSearch(given);
    const common = { search: givenSearch(given), signedIn: reader === 'session' };
    if (parsed.kind === 'bad')
      return sendUncachedPage(reply, 400, <SearchPage {...common} outcome={parsed} overview={null} />);
    const query = { ...parsed.query, facets: true };
    await watch.look();
    const depends = JSON.stringify([common.signedIn, request.server.operator.known, request.url]);
    const page = await shared(depends, async () => {
      const found = await search.find(query);
      const overview = given.size === 0 ? await overviewOf(search, found, query) : null;
      const rendered = renderPage(
        reply,
        <SearchPage {...common} outcome={{ kind: 'found', query, found }} overview={overview} />,
      );
      return { ...rendered, basis: basisOf(query, found) };
    });
    return sendPage(reply, page, reader);
  });
}

const NEWS_SHOWN = 5;

async function overviewOf(search: Search, all: FoundRecords, query: SearchQuery): Promise<OverviewOfAll> {
  if (all.total <= query.limit) return { all, news: null };
  const first = { ...query, facets: false, limit: NEWS_SHOWN };
  const [newest, changed] = await Promise.all([
    search.find({ ...first, sort: 'newest' }),
    search.find({ ...first, sort: 'changed' }),
  ]);
  return { all, news: { newest: newest.servers, changed: changed.servers } };
}

const MAX_ID_LENGTH = 100;

/** GET /audits/{auditId}: an audit as a page, for those who may read the pages of entries. */
function auditPageRoute(pages: FastifyInstance, service: Service): void {
  const { db } = service.store;
  const viewOf = createAuditViews(db);
  pages.get<{ Params: { auditId: string } }>('/audits/:auditId', AFTER_SIGN_IN, async (request, reply) => {
    const reader = await readerOf(service, reply);
    const { auditId } = request.params;
    const isPossible = auditId.length <= MAX_ID_LENGTH && !auditId.includes('\0');
    const audit = isPossible ? await readAudit(db, auditId) : null;
    if (audit === null)
      throw new Problem(
        'no-such-path',
        'No audit with this id. The operator lists them with: probity directory audits',
      );
    const page = <AuditPage view={await viewOf(audit)} signedIn={reader === 'session'} />;
    return sendPage(reply, renderPage(reply, page), reader);
  });
}
