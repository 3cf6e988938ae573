import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { TlsOptions } from '../client/default-fetch.ts';
import { jsonOrNull, ownProperty, shorten } from '../json/json.ts';
import { visible } from '../json/visible.ts';
import { type Posted, post, refusalOf } from './post.ts';
import type { SignalSettings } from './telemetry-settings.ts';

/** What a collector made of the data. */
export type Exported =
  | { readonly kind: 'accepted' }
  /** `rejected` is a number of spans or data points. */
  | { readonly kind: 'partly-accepted'; readonly rejected: number; readonly message: string }
  | { readonly kind: 'refused'; readonly reason: string };

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
const JITTER_MS = 250;
const MAX_CHARACTERS = 200;

/** Only these are temporary: https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends data as OTLP over HTTP in JSON, again after a temporary failure, within the time limit. */
export async function exportOtlp(
  { url, headers, timeoutMs, compression, tls: files }: SignalSettings,
  payload: object,
  userAgent: string,
  signal?: AbortSignal,
): Promise<Exported> {
  let tls: TlsOptions | undefined;
  for (const { option, variable, path } of files) {
    const pem = await readFile(path, 'utf8').catch(() => null);
    if (pem === null) return { kind: 'refused', reason: `the file that ${variable} names cannot be read` };
    tls = { ...tls, [option]: pem };
  }
  const endMs = performance.now() + timeoutMs;
  const json = JSON.stringify(payload);
  const isCompressed = compression === 'gzip';
  const sent = {
    'user-agent': userAgent,
    ...headers,
    'content-type': 'application/json',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  };
  const body = isCompressed ? gzipSync(json) : json;
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = Math.max(1, Math.ceil(endMs - performance.now()));
    const posted = await post(url, body, sent, { timeoutMs: leftMs, signal, tls });
    const reason = refusalOf(posted);
    if (reason === null && posted.kind === 'answered') return answerIn(posted.text);
    const pauseMs = attempt < MAX_ATTEMPTS ? pauseAfter(posted, attempt) : null;
    if (pauseMs === null || performance.now() + pauseMs >= endMs || signal?.aborted)
      return { kind: 'refused', reason: reason ?? 'the request failed' };
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

/** Null if another attempt is of no use. */
function pauseAfter(posted: Posted, attempt: number): number | null {
  const usualMs = FIRST_PAUSE_MS * 2 ** (attempt - 1) + randomInt(JITTER_MS);
  if (posted.kind !== 'answered') return posted.kind === 'failed' ? usualMs : null;
  if (!RETRYABLE.has(posted.status)) return null;
  const { retryAfter } = posted;
  if (retryAfter === null) return usualMs;
  const waitMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(waitMs) ? usualMs : Math.max(0, waitMs);
}

/** A collector that accepts everything may answer with anything. */
function answerIn(text: string): Exported {
  const partial = ownProperty(jsonOrNull(text), 'partialSuccess');
  const rejected = Number(
    ownProperty(partial, 'rejectedSpans') ?? ownProperty(partial, 'rejectedDataPoints') ?? 0,
  );
  const message = ownProperty(partial, 'errorMessage');
  const said = typeof message === 'string' ? shorten(visible(message), MAX_CHARACTERS) : '';
  if (!(rejected > 0) && said === '') return { kind: 'accepted' };
  return { kind: 'partly-accepted', rejected: rejected > 0 ? rejected : 0, message: said };
}
