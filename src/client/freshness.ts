/** How long a stored answer may be used without a request, and the ETag that revalidates it. */
export interface Freshness {
  readonly freshForMs: number;
  readonly etag: string | null;
}

type Fields = Pick<Headers, 'get'>;

/**
 * How long a private cache may store an answer (RFC 9111); null if it must not, or if the answer can be neither used
 * nor revalidated. Pure.
 */
export function freshnessOf(fields: Fields, nowMs: number): Freshness | null {
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
export function selectedBy(vary: string | null, headers: Readonly<Record<string, string>>): string {
  const names = (vary ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return JSON.stringify([...new Set(names)].sort().map((name) => [name, headers[name] ?? null]));
}
