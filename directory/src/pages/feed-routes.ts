import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sentenceOfChange, XML_DECLARATION, type XmlNode, xmlText } from 'probity/html';
import { visible } from 'probity/model';
import { type News, readNews } from '../entries/entry-news.ts';
import { answerRead, taggedBody } from '../http/cached-answer.ts';
import { ownAddress } from '../http/own-address.ts';
import { requireEntry, type Service } from '../http/service.ts';
import { stableId } from '../http/stable-id.ts';
import { visibleText } from './figures.tsx';
import { PLAIN } from './layout.tsx';
import { type Reader, readerOf } from './reader.ts';
import { STATES } from './state.tsx';

const MAX_NEWS = 50;
const MAX_CHANGES = 20;
/** Readers of feeds ask again after minutes. */
const MAX_AGE_SECONDS = 60;

/** The news of the directory, and of each entry, as Atom 1.0 (RFC 4287). Who reads the pages can read them. */
export function feedRoutes(pages: FastifyInstance, service: Service): void {
  const { db } = service.store;
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    reader: Reader,
    about: { readonly path: string; readonly title: string; readonly entryId: string | null },
  ): Promise<FastifyReply> => {
    const address = ownAddress(request, service.settings);
    const { name } = request.server.operator.known;
    const news = await readNews(db, about.entryId, MAX_NEWS);
    const isPublic = reader === 'everybody';
    return answerRead(reply, taggedBody(feedOf(news, { ...about, address, operator: name })), {
      type: 'application/atom+xml; charset=utf-8',
      isPublic,
      maxAgeSeconds: isPublic ? MAX_AGE_SECONDS : 0,
      vary: isPublic ? 'Accept-Encoding' : 'Authorization, Cookie',
    });
  };
  pages.get('/feed.atom', PLAIN, async (request, reply) => {
    const reader = await readerOf(service, reply);
    return send(request, reply, reader, {
      path: '/',
      title: 'Directory of MCP servers: news',
      entryId: null,
    });
  });
  pages.get<{ Params: { serverId: string } }>(
    '/servers/:serverId/feed.atom',
    PLAIN,
    async (request, reply) => {
      const reader = await readerOf(service, reply);
      const { id, name } = await requireEntry(service, request.params.serverId);
      const title = `${visibleText(name, 'name')}: news`;
      return send(request, reply, reader, { path: `/servers/${id}`, title, entryId: id });
    },
  );
}

interface Feed {
  readonly address: string;
  /** Of the page that has the same. */
  readonly path: string;
  readonly title: string;
  readonly operator: string | null;
}

/** Pure. */
function feedOf(news: readonly News[], { address, path, title, operator }: Feed): string {
  const page = `${address}${path}`;
  const self = `${address}${path === '/' ? '' : path}/feed.atom`;
  const updated = news[0]?.at ?? new Date(0);
  return xmlText({
    '?xml': XML_DECLARATION,
    feed: {
      '@_xmlns': 'http://www.w3.org/2005/Atom',
      id: stableId(`feed ${self}`),
      title,
      updated: updated.toISOString(),
      link: [
        { '@_rel': 'self', '@_type': 'application/atom+xml', '@_href': self },
        { '@_rel': 'alternate', '@_type': 'text/html', '@_href': page },
      ],
      author: { name: visible(operator ?? 'Directory of MCP servers') },
      entry: news.map((one) => itemOf(one, address)),
    },
  });
}

function itemOf(news: News, address: string): XmlNode {
  const { id, kind, at, name } = news;
  return {
    id: stableId(`${kind} ${id} ${at.toISOString()}`),
    title: `${visibleText(name, 'name')}: ${wordsOf(news)}`,
    updated: at.toISOString(),
    link: { '@_rel': 'alternate', '@_type': 'text/html', '@_href': `${address}/servers/${id}` },
    category: { '@_term': kind },
    summary: summaryOf(news),
  };
}

function summaryOf(news: News): string {
  if (news.kind === 'contract') return changesOf(news);
  if (news.kind === 'state' && news.pauseReason !== null)
    return `The operator of the directory says: ${visible(news.pauseReason)}`;
  return visibleText(news.description, 'description');
}

function wordsOf(news: News): string {
  switch (news.kind) {
    case 'listed':
      return 'new in the directory';
    case 'state':
      return `${STATES[news.status].words.toLowerCase()}, before ${STATES[news.before].words.toLowerCase()}`;
    case 'contract': {
      const { worst, isSuspicious, changeCount } = news;
      const words = changeCount === 1 ? `one ${worst} change` : `${changeCount} changes, the worst ${worst}`;
      return `${words} of what it offers${isSuspicious ? '; a text may say something else to the model' : ''}`;
    }
  }
}

function changesOf({ changes, changeCount }: Extract<News, { kind: 'contract' }>): string {
  const shown = changes.slice(0, MAX_CHANGES).map((change) => visible(sentenceOfChange(change, 'function')));
  return [...shown, ...(changeCount > shown.length ? [`and ${changeCount - shown.length} more`] : [])].join(
    '\n',
  );
}
