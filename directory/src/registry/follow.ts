import { visible } from 'probity/model';
import { type ConnectionPool, fetchBody, harnessVersion } from 'probity/service';
import type { Db } from '../db/tables.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { type ForeignPage, PageProblem, readPage } from './read-page.ts';
import { beginPass, endPage, lockPage, notePageProblem, type Source } from './sources.ts';
import { storeServers } from './store-servers.ts';

/** What following needs; `pool` opens only connections that the address guard allows. */
export interface Follower {
  readonly db: Db;
  readonly pool: ConnectionPool;
  readonly settings: Pick<ServiceSettings, 'publicOnly'>;
}

export interface FollowedPass {
  readonly pages: number;
  readonly servers: number;
  /** Versions that were new, or changed. */
  readonly changed: number;
  readonly refused: number;
  /** Of the last refused server. */
  readonly lastRefusal: string | null;
  /** Why it ended before the last page; null: it did not. */
  readonly problem: string | null;
}

/** A pass as far as one process has read it. */
export interface Reading {
  readonly pass: FollowedPass;
  /** Those that were read. */
  readonly cursors: Set<string>;
  /** Its last page was read, or there is a problem. */
  readonly isOver: boolean;
}

export function newReading(): Reading {
  const pass = { pages: 0, servers: 0, changed: 0, refused: 0, lastRefusal: null, problem: null };
  return { pass, cursors: new Set(), isOver: false };
}

/** More pages than a registry has; a list that never ends is ended by it. */
const MAX_PAGES = 20_000;

/** Reads the pages of a registry from where the last reader of them stopped, until the last one, a problem, or a signal. */
export async function followOnce(
  follower: Follower,
  url: string,
  signal: AbortSignal,
  onPage: (pass: FollowedPass) => void = () => undefined,
): Promise<FollowedPass> {
  let reading = newReading();
  while (!signal.aborted && !reading.isOver) {
    const before = reading.pass.pages;
    reading = await followPage(follower, url, reading, signal);
    if (reading.pass.pages > before) onPage(reading.pass);
  }
  return reading.pass;
}

/**
 * Reads the next page. It is stored in one transaction with the place of the one after it, so that a reader can be killed
 * at any time.
 */
export async function followPage(
  follower: Follower,
  url: string,
  reading: Reading,
  signal: AbortSignal,
): Promise<Reading> {
  const { pass, cursors } = reading;
  const ended = (problem: string): Reading => ({ ...reading, pass: { ...pass, problem }, isOver: true });
  const source = await beginPass(follower.db, url);
  if (source === null) return ended('it is no longer followed');
  const read = await readNext(follower, source, cursors, signal);
  if (read === 'interrupted') return reading;
  if ('problem' in read) {
    await notePageProblem(follower.db, source, read.problem, read.endsPass);
    return ended(read.problem);
  }
  const stored = await storePage(follower, source, read);
  // Another process was faster, and its place is read next.
  if (stored === null) return reading;
  const refused = [...read.refused, ...stored.refused];
  return {
    cursors,
    isOver: read.nextCursor === null,
    pass: {
      pages: pass.pages + 1,
      servers: pass.servers + read.servers.length,
      changed: pass.changed + stored.changed,
      refused: pass.refused + refused.length,
      lastRefusal: refused.at(-1) ?? pass.lastRefusal,
      problem: null,
    },
  };
}

interface BadPage {
  readonly problem: string;
  /** Whether reading this page again cannot help. */
  readonly endsPass: boolean;
}

async function readNext(
  follower: Follower,
  source: Source,
  cursors: Set<string>,
  signal: AbortSignal,
): Promise<ForeignPage | BadPage | 'interrupted'> {
  const { cursor, passPages } = source;
  const at = `page ${passPages + 1}`;
  if (passPages >= MAX_PAGES)
    return { problem: `the list does not end: it has more than ${MAX_PAGES} pages`, endsPass: true };
  if (cursor !== null) cursors.add(cursor);
  const fetched = await fetchPage(follower, source, signal);
  if (signal.aborted) return 'interrupted';
  if ('problem' in fetched) return { ...fetched, problem: `${at}: ${fetched.problem}` };
  try {
    const page = readPage(fetched.body);
    if (page.nextCursor !== null && cursors.has(page.nextCursor))
      return { problem: `${at}: the list does not end: its next page was read before`, endsPass: true };
    return page;
  } catch (error) {
    if (!(error instanceof PageProblem)) throw error;
    return { problem: `${at}: ${visible(error.message)}`, endsPass: false };
  }
}

const PAGE_SIZE = 100;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const PAGE_TIMEOUT_MS = 20_000;

/** Follows redirects, but never to an address that the directory must not call. */
async function fetchPage(
  { pool, settings: { publicOnly } }: Follower,
  { url, cursor, passSince }: Source,
  signal: AbortSignal,
): Promise<{ readonly body: Buffer } | BadPage> {
  const address = new URL(`${url}/v0.1/servers`);
  address.searchParams.set('limit', String(PAGE_SIZE));
  if (passSince !== null) address.searchParams.set('updated_since', passSince.toISOString());
  if (cursor !== null) address.searchParams.set('cursor', cursor);
  const { fetched, body } = await fetchBody(address.href, {
    publicOnly,
    pool,
    timeoutMs: PAGE_TIMEOUT_MS,
    maxBytes: MAX_PAGE_BYTES,
    exact: true,
    headers: [
      ['accept', 'application/json'],
      ['accept-encoding', 'identity'],
      ['user-agent', `probity/${harnessVersion()} (registry)`],
    ],
    signal,
  });
  if (fetched.kind === 'unanswered') return { problem: visible(fetched.reason.message), endsPass: false };
  if (fetched.status === 200) return { body };
  // A cursor may be too old.
  const endsPass = cursor !== null && fetched.status >= 400 && fetched.status < 500 && fetched.status !== 429;
  return { problem: `the answer has the status ${fetched.status}`, endsPass };
}

/** Null: another process stored this page. */
function storePage({ db, settings: { publicOnly } }: Follower, source: Source, page: ForeignPage) {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockPage(transaction, source))) return null;
    const now = new Date();
    const { url, maxServers } = source;
    const stored = await storeServers(transaction, page.servers, url, { publicOnly, now, maxServers });
    const newest = page.servers.reduce<Date | null>(
      (latest, { updatedAt }) =>
        updatedAt !== null && (latest === null || updatedAt > latest) ? updatedAt : latest,
      null,
    );
    await endPage(transaction, url, {
      nextCursor: page.nextCursor,
      newest,
      refused: [...page.refused, ...stored.refused],
    });
    return stored;
  });
}
