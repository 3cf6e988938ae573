import type { FastifyInstance } from 'fastify';
import { Problem } from '../http/problem.ts';
import type { Service } from '../http/service.ts';
import { readAudit } from '../store/audits.ts';
import { AuditPage } from './audit-page.tsx';
import { createAuditViews } from './audit-view.ts';
import { readerOf } from './reader.ts';
import { renderPage, sendPage } from './send-page.tsx';

const MAX_ID_LENGTH = 100;

/** GET /audits/{auditId}: an audit as a page, for those who may read the pages of entries. */
export function auditPageRoute(pages: FastifyInstance, service: Service): void {
  const { db } = service.store;
  const viewOf = createAuditViews(db);
  const options = { schema: { hide: true }, config: { page: 'sign-in' } } as const;
  pages.get<{ Params: { auditId: string } }>('/audits/:auditId', options, async (request, reply) => {
    const reader = await readerOf(service, request, reply);
    const { auditId } = request.params;
    const isPossible = auditId.length <= MAX_ID_LENGTH && !auditId.includes('\0');
    const audit = isPossible ? await readAudit(db, auditId) : null;
    if (audit === null)
      throw new Problem(
        'no-such-path',
        'No audit with this id. The operator lists them with: probity directory audits',
      );
    return sendPage(
      request,
      reply,
      renderPage(<AuditPage view={await viewOf(audit)} signedIn={reader === 'session'} />),
      reader,
    );
  });
}
