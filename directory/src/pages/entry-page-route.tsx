import type { FastifyInstance } from 'fastify';
import { readDetails } from '../details/details.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { EntryPage } from './entry-page.tsx';
import { entryView } from './entry-view.ts';
import { ownAddress } from './own-address.ts';
import { readerOf } from './reader.ts';
import { renderPage, sendPage } from './send-page.tsx';

/** GET /servers/{serverId}: the answer of the details operation as a page. */
export function entryPageRoute(pages: FastifyInstance, service: Service): void {
  const { settings } = service;
  const options = { schema: { hide: true }, config: { page: 'sign-in' } } as const;
  pages.get<{ Params: { serverId: string } }>('/servers/:serverId', options, async (request, reply) => {
    const reader = await readerOf(service, request, reply);
    const details = await readDetails(service, await requireEntry(service, request.params.serverId));
    const entry = entryView(details, ownAddress(request, settings));
    return sendPage(
      request,
      reply,
      renderPage(<EntryPage entry={entry} isPublic={settings.publicPages} signedIn={reader === 'session'} />),
      reader,
    );
  });
}
