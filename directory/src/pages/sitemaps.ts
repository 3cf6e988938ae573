import { XML_DECLARATION, type XmlNode, xmlText } from 'probity/html';
import type { ChangeWatch } from '../db/change-watch.ts';
import type { Db } from '../db/tables.ts';
import { countPublicPages, type PublicPage, readPublicPages } from '../registry/public-pages.ts';
import { serverAddress } from '../registry/server-answer.ts';

/** The most addresses that a sitemap may have (sitemaps.org). */
const MAX_ADDRESSES = 50_000;
/** A state that changed is a reason to read a page again, but not at once. */
const MAX_AGE_MS = 600_000;
const NAMESPACE = { '@_xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9' };

interface Kept<Value> {
  /** The last change of a listing or a decision before it was read. */
  readonly labels: string;
  readonly readAtMs: number;
  readonly value: Promise<Value>;
}

/**
 * The sitemaps of the public pages: of listed entries, and of the servers of the registry without one. A sitemap of 50,000 takes a second to read and anybody may ask for it, so it is kept
 * until another entry is listed or one no longer is, and read again after ten minutes.
 */
export class Sitemaps {
  readonly #db: Db;
  readonly #watch: ChangeWatch;
  /** Without the address of the directory, because readers may reach it at several. */
  readonly #texts = new Map<number, Kept<string>>();
  readonly #counts = new Map<'parts', Kept<number>>();

  constructor(db: Db, watch: ChangeWatch) {
    this.#db = db;
    this.#watch = watch;
  }

  async index(address: string): Promise<string> {
    const sitemap = Array.from({ length: await this.#parts() }, (_, part) => ({
      loc: `${address}/sitemap-${part + 1}.xml`,
    }));
    return xmlText({ '?xml': XML_DECLARATION, sitemapindex: { ...NAMESPACE, sitemap } });
  }

  /** Null: there are fewer. `part` counts from 0. */
  async part(part: number, address: string): Promise<string | null> {
    if (part >= (await this.#parts())) return null;
    const text = await this.#shared(this.#texts, part, async () => {
      const listed = await readPublicPages(this.#db, part * MAX_ADDRESSES, MAX_ADDRESSES);
      return xmlText({ '?xml': XML_DECLARATION, urlset: { ...NAMESPACE, url: listed.map(urlOf) } });
    });
    const beginning = xmlText({ loc: address }).trim().replace('</loc>', '');
    return text.replaceAll('<loc>', () => beginning);
  }

  /** One for no entries. */
  #parts(): Promise<number> {
    return this.#shared(this.#counts, 'parts', async () =>
      Math.max(1, Math.ceil((await countPublicPages(this.#db)) / MAX_ADDRESSES)),
    );
  }

  async #shared<Name, Value>(
    kept: Map<Name, Kept<Value>>,
    name: Name,
    read: () => Promise<Value>,
  ): Promise<Value> {
    const { labels } = await this.#watch.look();
    const nowMs = this.#watch.storeNowMs();
    const known = kept.get(name);
    if (known !== undefined && known.labels === labels && nowMs - known.readAtMs < MAX_AGE_MS)
      return known.value;
    const next = { labels, readAtMs: nowMs, value: read() };
    kept.set(name, next);
    next.value.catch(() => {
      if (kept.get(name) === next) kept.delete(name);
    });
    return next.value;
  }
}

function urlOf({ name, isEntry, changedAt }: PublicPage): XmlNode {
  return { loc: isEntry ? `/servers/${name}` : serverAddress(name), lastmod: changedAt.toISOString() };
}
