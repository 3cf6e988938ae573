import type { FastifyInstance } from 'fastify';
import type { Service } from '../http/service.ts';
import type { Search } from '../store/search.ts';
import { auditPageRoute } from './audit-page-route.tsx';
import { badgeRoute } from './badge-route.ts';
import { entryPageRoute } from './entry-page-route.tsx';
import { iconRoute } from './icon-route.ts';
import { searchPageRoute } from './search-page-route.tsx';
import { signInRoutes } from './sign-in-routes.tsx';

/** The pages of the directory. They only read: no page runs a test or a call. */
export function pageRoutes(app: FastifyInstance, service: Service, search: Search): void {
  // A separate scope, because only the pages accept forms.
  app.register(async (pages) => {
    searchPageRoute(pages, service, search);
    entryPageRoute(pages, service);
    auditPageRoute(pages, service);
    badgeRoute(pages, service);
    iconRoute(pages);
    signInRoutes(pages, service);
  });
}
