import { type AskContext, ask, type Order } from './ask.ts';
import { badAnswer } from './directory-problem.ts';
import type { ReceivedAnswer } from './send-once.ts';

/** How old an answer may be: as its directory allows, of any age, or always revalidated. */
export type Age = 'as-allowed' | 'any' | 'revalidated';

/**
 * Returns the body of a read, from the cache if allowed; otherwise revalidates the stored answer or requests a new one.
 */
export async function readCached(
  order: Order,
  age: Age,
  cache: AnswerCache | null,
  context: AskContext,
): Promise<string> {
  const { request } = order;
  const { url, headers } = request;
  const found = cache?.find(url) ?? null;
  const stored = found !== null && found.selectedBy === selectedBy(found.vary, headers) ? found : null;
  if (stored !== null && isUsable(stored, age, context.clock.nowMs())) return stored.body;
  const etag = stored?.etag ?? null;
  const conditional =
    etag === null ? request : { ...request, headers: { ...headers, 'if-none-match': etag } };
  const answer = await ask({ ...order, request: conditional }, context);
  if (answer.status !== 304) {
    keep(cache, order, answer, context);
    return answer.body;
  }
  if (stored === null || etag === null)
    throw badAnswer(order, {
      at: '',
      expected: 'an answer',
      received: '304 to a request without a condition',
    });
  keep(cache, order, { ...answer, body: stored.body, bytes: stored.bytes }, context, stored);
  return stored.body;
}

function isUsable({ freshUntilMs }: StoredAnswer, age: Age, nowMs: number): boolean {
  return age === 'any' || (age === 'as-allowed' && nowMs < freshUntilMs);
}

/** Fields that a 304 does not repeat keep their stored values. */
function keep(
  cache: AnswerCache | null,
  { request: { url, headers } }: Order,
  { headers: fields, body, bytes }: Pick<ReceivedAnswer, 'headers' | 'body' | 'bytes'>,
  { clock }: AskContext,
  before?: StoredAnswer,
): void {
  if (cache === null) return;
  const nowMs = clock.nowMs();
  const freshness = freshnessOf(fields, nowMs);
  const etag = freshness?.etag ?? before?.etag ?? null;
  if (freshness === null && (before === undefined || isForbidden(fields))) {
    cache.remove(url);
    return;
  }
  const vary = fields.get('vary') ?? before?.vary ?? null;
  const freshUntilMs = nowMs + (freshness?.freshForMs ?? 0);
  cache.store(url, { body, bytes, etag, freshUntilMs, vary, selectedBy: selectedBy(vary, headers) });
}

function isForbidden(fields: Headers): boolean {
  return /no-store/i.test(fields.get('cache-control') ?? '') || (fields.get('vary') ?? '').includes('*');
}

/** How long a stored answer may be used without a request, and the ETag that revalidates it. */
interface Freshness {
  readonly freshForMs: number;
  readonly etag: string | null;
}

type Fields = Pick<Headers, 'get'>;

/**
 * How long a private cache may store an answer (RFC 9111); null if it must not, or if the answer can be neither used
 * nor revalidated. Pure.
 */
function freshnessOf(fields: Fields, nowMs: number): Freshness | null {
  const directives = directivesOf(fields.get('cache-control') ?? '');
  if (directives.has('no-store') || fields.get('vary')?.includes('*')) return null;
  const etag = fields.get('etag');
  const lifetimeMs = directives.has('no-cache')
    ? 0
    : (maxAgeMs(directives) ?? expiresInMs(fields, nowMs) ?? 0);
  const freshForMs = Math.max(0, lifetimeMs - secondsIn(fields.get('age') ?? '') * 1000);
  return freshForMs === 0 && etag === null ? null : { freshForMs, etag };
}

function directivesOf(field: string): ReadonlyMap<string, string> {
  return new Map(
    field.split(',').map((directive) => {
      const [name = '', value = ''] = directive.split('=', 2);
      return [name.trim().toLowerCase(), value.trim().replaceAll('"', '')];
    }),
  );
}

function maxAgeMs(directives: ReadonlyMap<string, string>): number | null {
  const value = directives.get('max-age');
  return value === undefined ? null : secondsIn(value) * 1000;
}

function expiresInMs(fields: Fields, nowMs: number): number | null {
  const expires = fields.get('expires');
  if (expires === null) return null;
  const at = Date.parse(expires);
  const said = Date.parse(fields.get('date') ?? '');
  return Number.isNaN(at) ? 0 : at - (Number.isNaN(said) ? nowMs : said);
}

/** An invalid number counts as 0, which is stale. */
function secondsIn(text: string): number {
  return /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0;
}

/** The values of the request fields that selected the answer (RFC 9111, section 4.1). Pure. */
function selectedBy(vary: string | null, headers: Readonly<Record<string, string>>): string {
  const names = (vary ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return JSON.stringify([...new Set(names)].sort().map((name) => [name, headers[name] ?? null]));
}

/** A stored body, with what is needed to reuse it. */
interface StoredAnswer {
  readonly body: string;
  readonly bytes: number;
  readonly etag: string | null;
  readonly freshUntilMs: number;
  readonly vary: string | null;
  /** See `selectedBy`. */
  readonly selectedBy: string;
}

/** Limited in memory; evicts the least recently used answer first. */
interface AnswerCache {
  find(address: string): StoredAnswer | null;
  store(address: string, answer: StoredAnswer): void;
  remove(address: string): void;
  /** The stored answer must be revalidated before it is reused. */
  expire(address: string): void;
}

interface Bounds {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

const DEFAULT_BOUNDS: Bounds = { maxEntries: 200, maxBytes: 10 * 1024 * 1024 };

export function createAnswerCache({ maxEntries, maxBytes }: Bounds = DEFAULT_BOUNDS): AnswerCache {
  // In the order of their last use.
  const answers = new Map<string, StoredAnswer>();
  let bytes = 0;
  const remove = (address: string): void => {
    bytes -= answers.get(address)?.bytes ?? 0;
    answers.delete(address);
  };
  return {
    find: (address) => {
      const found = answers.get(address);
      if (found === undefined) return null;
      answers.delete(address);
      answers.set(address, found);
      return found;
    },
    store: (address, answer) => {
      remove(address);
      if (answer.bytes > maxBytes) return;
      answers.set(address, answer);
      bytes += answer.bytes;
      for (const [oldest] of answers) {
        if (answers.size <= maxEntries && bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    remove,
    expire: (address) => {
      const found = answers.get(address);
      if (found !== undefined) answers.set(address, { ...found, freshUntilMs: 0 });
    },
  };
}
