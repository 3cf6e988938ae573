import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { type Header, headerValue, interrupted, type TransportFailure } from '../model/exchange.ts';
import type { Fetched } from '../model/listing.ts';
import { refuseUrl } from './address-guard.ts';
import { startAwakeTimer } from './awake-timer.ts';
import type { ReceivedAnswer } from './capture.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { transportFailure } from './transport-failure.ts';
import { FailedExchange } from './wire/send-request.ts';

type Response = Pick<ReceivedAnswer['response'], 'status' | 'headers'>;

export interface FetchOptions {
  /** Connect only to public addresses, also after a redirect. */
  readonly publicOnly: boolean;
  /** Opens the connections, with the same guard. */
  readonly pool: ConnectionPool;
  /** From the first DNS lookup to the last byte, redirects included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Refuse an answer with a content coding, because the exact bytes at the address are needed. */
  readonly exact: boolean;
  readonly headers: readonly Header[];
  readonly signal: AbortSignal;
  /** Called before each request; returns the receiver of the answer's body. */
  readonly listen?: () => (part: Buffer) => void;
}

/** The result and, if requested, the body; empty without an answer. */
export interface FetchedBody {
  readonly fetched: Fetched;
  readonly body: Buffer;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const LIMITS = { maxHeaderBytes: 64 * 1024, maxHeaderCount: 1000, maxInformational: 16 };

/** GETs an untrusted address and computes the digests of its content, which is not kept. Never rejects. */
export async function fetchAddress(url: string, options: FetchOptions): Promise<Fetched> {
  return (await follow(url, options, false)).fetched;
}

/** Like fetchAddress, but keeps the body. */
export async function fetchBody(url: string, options: FetchOptions): Promise<FetchedBody> {
  return follow(url, options, true);
}

/** Follows redirects one by one, so that the guard checks every address before connecting. */
async function follow(first: string, options: FetchOptions, keep: boolean): Promise<FetchedBody> {
  const ending = new AbortController();
  // Every hop adds a listener, so the limit of listeners is removed.
  setMaxListeners(0, ending.signal);
  const end = (failure: TransportFailure): void => ending.abort(new FailedExchange(failure));
  const onInterrupt = (): void => end(interrupted);
  const timer = startAwakeTimer({
    awakeMs: options.timeoutMs,
    onOver: () => end(timedOut(options.timeoutMs)),
  });
  options.signal.addEventListener('abort', onInterrupt, { once: true });
  if (options.signal.aborted) onInterrupt();
  let url = first;
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const sink = createSink(keep, options.listen?.() ?? null);
      const response = await getOnce(new URL(url), options, sink.take, ending.signal);
      const next = redirectOf(response, url);
      if (next === null) return sink.answered(url, response.status);
      if ('problem' in next)
        return unanswered(url, { code: 'bad-redirect', fault: 'server', message: next.problem });
      url = next.url;
    }
    const message = `more than ${MAX_REDIRECTS} redirects`;
    return unanswered(first, { code: 'too-many-redirects', fault: 'server', message });
  } catch (error) {
    return unanswered(url, error instanceof FailedExchange ? error.failure : transportFailure(error));
  } finally {
    timer.stop();
    options.signal.removeEventListener('abort', onInterrupt);
  }
}

async function getOnce(
  url: URL,
  { publicOnly, pool, maxBytes, headers, exact }: FetchOptions,
  onBody: (part: Buffer) => void,
  signal: AbortSignal,
): Promise<Response> {
  const refusal = publicOnly ? refuseUrl(url) : null;
  if (refusal !== null)
    throw new FailedExchange({ code: 'address-refused', fault: 'harness', message: refusal });
  const request = { method: 'GET', url, headers, body: null };
  const { response } = await pool.send(request, { ...LIMITS, maxBodyBytes: maxBytes }, signal, { onBody });
  const coding = headerValue(response.headers, 'content-encoding') ?? 'identity';
  if (exact && response.status < 300 && coding.toLowerCase() !== 'identity')
    throw new FailedExchange({
      code: 'undecodable-body',
      fault: 'server',
      message: `the answer has the content coding ${coding}, which was not requested: its digest would differ`,
    });
  return response;
}

function redirectOf(
  { status, headers }: Response,
  from: string,
): { readonly url: string } | { readonly problem: string } | null {
  if (!REDIRECTS.has(status)) return null;
  const location = headerValue(headers, 'location');
  if (location === undefined) return { problem: `status ${status} without a Location` };
  let url: URL;
  try {
    url = new URL(location, from);
  } catch {
    return { problem: `status ${status} with a Location that is not a URL` };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return {
      problem: `it redirects to a URL with the scheme ${url.protocol}, which is neither http nor https`,
    };
  url.hash = '';
  url.username = '';
  url.password = '';
  return { url: url.href };
}

interface Sink {
  readonly take: (part: Buffer) => void;
  readonly answered: (url: string, status: number) => FetchedBody;
}

function createSink(keep: boolean, listener: ((part: Buffer) => void) | null): Sink {
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
  const parts: Buffer[] = [];
  let bytes = 0;
  return {
    take: (part) => {
      bytes += part.length;
      sha256.update(part);
      sha512.update(part);
      listener?.(part);
      if (keep) parts.push(Buffer.from(part));
    },
    answered: (url, status) => ({
      fetched: {
        kind: 'answered',
        url,
        status,
        bytes,
        sha256: sha256.digest('hex'),
        sha512: sha512.digest('hex'),
      },
      body: Buffer.concat(parts),
    }),
  };
}

function unanswered(url: string, reason: Extract<Fetched, { kind: 'unanswered' }>['reason']): FetchedBody {
  return { fetched: { kind: 'unanswered', url, reason }, body: Buffer.alloc(0) };
}

function timedOut(timeoutMs: number): TransportFailure {
  return { code: 'timeout', fault: 'network', message: `no complete answer within ${timeoutMs / 1000} s` };
}
