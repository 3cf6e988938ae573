import type { FastifyInstance } from 'fastify';
import type { Service } from '../http/service.ts';
import type { Search } from '../store/search.ts';
import { badgeRoute } from './badge-route.ts';
import { entryPageRoute } from './entry-page-route.tsx';
import { iconRoute } from './icon-route.ts';
import { searchPageRoute } from './search-page-route.tsx';
import { signInRoutes } from './sign-in-routes.tsx';

/** What people read of the directory: nothing here runs a test or a call. */
export function pageRoutes(app: FastifyInstance, service: Service, search: Search): void {
  // Apart, because forms are understood here and nowhere else.
  app.register(async (pages) => {
    searchPageRoute(pages, service, search);
    entryPageRoute(pages, service);
    badgeRoute(pages, service);
    iconRoute(pages);
    signInRoutes(pages, service);
  });
}
