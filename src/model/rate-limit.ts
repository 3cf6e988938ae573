import { type Exchange, headerValue } from './exchange.ts';

export const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

/** A 503 with Retry-After is a rate limit; one without it is a server error. */
export function isRateLimit(status: number, retryAfter: string | undefined): boolean {
  return status === TOO_MANY_REQUESTS || (status === SERVICE_UNAVAILABLE && retryAfter !== undefined);
}

export function isRateLimited(exchange: Exchange): boolean {
  if (exchange.kind !== 'answered') return false;
  const { status, headers } = exchange.response;
  return isRateLimit(status, headerValue(headers, 'retry-after'));
}

/** The wait in Retry-After: seconds or a date (RFC 9110, section 10.2.3). Null if it is neither. */
export function retryAfterMs(field: string | undefined, nowMs: number): number | null {
  const text = field?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

/** How many calls are left, and for how long. */
export interface LimitLeft {
  readonly remaining: number;
  /** Counted from the answer; null if not given. */
  readonly resetMs: number | null;
}

type Fields = Pick<Headers, 'get'>;

/**
 * The rate limits in an answer: the RateLimit field with its policies (draft-ietf-httpapi-ratelimit-headers) in its
 * newer and older forms, or the older RateLimit-Remaining and -Reset fields, with or without X-. Of several limits, the
 * strictest. Lenient: ignores values that it does not understand. Pure.
 */
export function limitLeftOf(fields: Fields, nowMs: number): LimitLeft | null {
  const structured = structuredLimits(fields);
  const all = structured.length > 0 ? structured : plainLimit(fields, nowMs);
  return all.reduce<LimitLeft | null>((binding, limit) => {
    if (binding === null || limit.remaining < binding.remaining) return limit;
    const later = (limit.resetMs ?? 0) > (binding.resetMs ?? 0);
    return limit.remaining === binding.remaining && later ? limit : binding;
  }, null);
}

function structuredLimits(fields: Fields): readonly LimitLeft[] {
  const items = itemsOf(fields.get('ratelimit') ?? '');
  const windows = new Map(
    itemsOf(fields.get('ratelimit-policy') ?? '').map(({ name, parameters }) => [name, parameters.get('w')]),
  );
  const limits = items.flatMap(({ name, parameters }) => {
    const remaining = wholeNumber(parameters.get('r'));
    const seconds = wholeNumber(parameters.get('t') ?? windows.get(name));
    return remaining === null ? [] : [{ remaining, resetMs: inMs(seconds) }];
  });
  // Drafts before the eighth: `limit=100, remaining=50, reset=5`.
  const members = new Map(items.map(({ name }) => keyAndValue(name)));
  const remaining = wholeNumber(members.get('remaining'));
  return remaining === null
    ? limits
    : [...limits, { remaining, resetMs: inMs(wholeNumber(members.get('reset'))) }];
}

/** A larger number of seconds is a Unix time, which some services send. */
const MIN_UNIX_SECONDS = 1_000_000_000;

function plainLimit(fields: Fields, nowMs: number): readonly LimitLeft[] {
  const field = (name: string): number | null =>
    wholeNumber(fields.get(`ratelimit-${name}`) ?? fields.get(`x-ratelimit-${name}`) ?? undefined);
  const remaining = field('remaining');
  const reset = field('reset');
  if (remaining === null) return [];
  const resetMs =
    reset !== null && reset >= MIN_UNIX_SECONDS ? Math.max(0, reset * 1000 - nowMs) : inMs(reset);
  return [{ remaining, resetMs }];
}

interface Item {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function itemsOf(field: string): readonly Item[] {
  return split(field, ',').map((item) => {
    const [name = '', ...parameters] = split(item, ';');
    return { name: unquoted(name), parameters: new Map(parameters.map(keyAndValue)) };
  });
}

/** Splits at separators outside of quotes, and leaves out empty parts. */
function split(text: string, separator: string): readonly string[] {
  const parts = [''];
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) parts.push('');
    else parts[parts.length - 1] += character;
    if (quoted && character === '\\') {
      index += 1;
      parts[parts.length - 1] += text.charAt(index);
    }
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function keyAndValue(text: string): readonly [string, string] {
  const [, key = '', value = ''] = /^\s*([^=\s]*)\s*=?\s*(.*)$/s.exec(text) ?? [];
  return [key.toLowerCase(), unquoted(value.trim())];
}

function unquoted(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1) : text;
}

function wholeNumber(text: string | undefined): number | null {
  const [digits] = /^\d{1,15}(?=$|[\s;,.])/.exec(text?.trim() ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

/** The wait that Retry-After requires; a date is compared with the answer's date. Null without a valid field. */
export function requestedWaitMs(fields: Fields, nowMs: number): number | null {
  const said = Date.parse(fields.get('date') ?? '');
  return retryAfterMs(fields.get('retry-after') ?? undefined, Number.isNaN(said) ? nowMs : said);
}
