import { escapeLive } from '../../json/visible.ts';
import {
  type Bytes,
  type Header,
  headerValue,
  type SentBody,
  type SentRequest,
  type Timing,
} from '../../model/exchange.ts';
import type { ReportedFinding } from '../../model/judgement.ts';
import type { TestResult } from '../../model/report.ts';
import {
  bufferFrom,
  byteLengthOf,
  bytesFrom,
  bytesOf,
  type HttpExchange,
  isOverHttp,
  NEVER_SENT,
} from '../../model/sent.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import type { RenderedFile } from '../target-entry.ts';

/**
 * The exchanges of a report over HTTP as an HTTP Archive (HAR) 1.2, as they are stored: secrets are already replaced.
 * Members that begin with `_` are not in the standard, as it demands.
 */
export function renderHar(result: TestResult): readonly RenderedFile[] {
  const { harness, exchanges, findings } = result;
  const found = groupedBy(findings, ({ where }) => where.exchange ?? '');
  const entries = exchanges
    .filter(isOverHttp)
    .filter((exchange) => exchange.kind === 'answered' || !NEVER_SENT.has(exchange.reason.code))
    .toSorted((left, right) => left.timing.startedAtMs - right.timing.startedAtMs)
    .map((exchange) => entryOf(exchange, found.get(exchange.request.key) ?? []));
  const log = {
    version: '1.2',
    creator: { name: harness.name, version: harness.version },
    entries,
    comment: 'The time to connect includes DNS and TLS; the time to wait includes sending the request.',
  };
  return [{ suffix: '.har', text: `${escapeLive(JSON.stringify({ log }, null, 2))}\n` }];
}

function entryOf(exchange: HttpExchange, findings: readonly ReportedFinding[]): object {
  const { request, timing } = exchange;
  const ids = [...new Set(findings.map(({ id, outcome }) => `${outcome}: ${id}`))];
  return {
    startedDateTime: new Date(timing.startedAtMs).toISOString(),
    ...timesOf(timing),
    request: requestOf(request),
    response: responseOf(exchange),
    cache: {},
    comment: [request.key, ...ids].join('; '),
  };
}

/** What is unknown is -1, except where the standard requires a time. */
function timesOf({ connectMs, firstByteMs, durationMs }: Timing): object {
  const connected = connectMs ?? 0;
  const answered = Math.max(connected, firstByteMs ?? durationMs);
  const [wait, receive] = [toMicroseconds(answered - connected), toMicroseconds(durationMs - answered)];
  const connect = connectMs === null ? -1 : toMicroseconds(connectMs);
  return {
    // The standard requires it to be the sum of the known parts.
    time: toMicroseconds(Math.max(0, connect) + wait + receive),
    timings: { blocked: -1, dns: -1, connect, ssl: -1, send: 0, wait, receive },
  };
}

function toMicroseconds(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}

function requestOf({ method, url, headers, body }: SentRequest): object {
  const query = URL.canParse(url) ? [...new URL(url).searchParams] : [];
  return {
    method,
    url,
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers: pairs(headers),
    queryString: pairs(query),
    ...(body === null ? { bodySize: 0 } : sentData(body, headers)),
    headersSize: -1,
  };
}

/** The only version that the probe speaks. */
const HTTP_VERSION = 'HTTP/1.1';

const MAX_BODY_BYTES = 64 * 1024;

/** Larger bodies consist of repeated parts; each is given once. */
function sentData(body: SentBody, headers: readonly Header[]): object {
  const parts = ('parts' in body ? body.parts : [{ ...body, times: 1 }]).map((part) => ({
    bytes: bufferFrom(part),
    times: part.times,
  }));
  const bodySize = byteLengthOf(parts);
  const isWhole = bodySize <= MAX_BODY_BYTES || !('parts' in body);
  const bytes = isWhole ? bytesOf(parts) : Buffer.concat(parts.map((part) => part.bytes));
  const { text, encoding } = encoded(bytes);
  return {
    bodySize,
    postData: {
      mimeType: mimeTypeOf(headers),
      text,
      // The standard has an encoding only for responses.
      ...(encoding === undefined ? {} : { _encoding: encoding }),
      ...(isWhole
        ? {}
        : { comment: 'shortened: each part of the body is repeated as often as its size says' }),
    },
  };
}

function responseOf(exchange: HttpExchange): object {
  if (exchange.kind === 'unanswered')
    return {
      ...NO_RESPONSE,
      content: { size: 0, mimeType: UNKNOWN_TYPE },
      ...errorOf(exchange.reason),
    };
  const { status, headers, body, bodyProblem } = exchange.response;
  const size = bufferFrom(body).byteLength;
  const isCoded = (headerValue(headers, 'content-encoding') ?? 'identity') !== 'identity';
  return {
    ...NO_RESPONSE,
    status,
    httpVersion: HTTP_VERSION,
    headers: pairs(headers),
    content: { size, mimeType: mimeTypeOf(headers), ...encoded(body) },
    redirectURL: headerValue(headers, 'location') ?? '',
    bodySize: isCoded || bodyProblem !== undefined ? -1 : size,
    ...(bodyProblem === undefined ? {} : errorOf(bodyProblem)),
  };
}

/** As browsers write a request without an answer. */
const NO_RESPONSE = {
  status: 0,
  statusText: '',
  httpVersion: '',
  cookies: [],
  headers: [],
  redirectURL: '',
  headersSize: -1,
  bodySize: -1,
} as const;

const UNKNOWN_TYPE = 'x-unknown';

function errorOf({ code, message }: { readonly code: string; readonly message: string }): object {
  return { _error: `${code}: ${message}` };
}

function encoded(body: Bytes | Buffer): { readonly text: string; readonly encoding?: 'base64' } {
  const bytes = Buffer.isBuffer(body) ? bytesFrom(body) : body;
  return 'text' in bytes ? bytes : { text: bytes.base64, encoding: 'base64' };
}

function mimeTypeOf(headers: readonly Header[]): string {
  return headerValue(headers, 'content-type') ?? UNKNOWN_TYPE;
}

function pairs(list: readonly (readonly [string, string])[]): readonly object[] {
  return list.map(([name, value]) => ({ name, value }));
}
