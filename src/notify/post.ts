import { defaultFetch, type TlsOptions } from '../client/default-fetch.ts';

/** The outcome of a request. Reasons do not contain the address, which may be a secret. */
export type Posted =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** The beginning of the body. */
      readonly text: string;
    }
  | { readonly kind: 'timed-out'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

const MAX_ANSWER_CHARACTERS = 65_536;

export interface PostOptions {
  readonly timeoutMs: number;
  /** Interrupts the request. */
  readonly signal?: AbortSignal | undefined;
  readonly tls?: TlsOptions | undefined;
}

/** Posts a body, through the proxy of the environment if there is one. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
  { timeoutMs, signal, tls }: PostOptions,
): Promise<Posted> {
  const ends = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])];
  try {
    const answer = await defaultFetch(url, tls)(url, {
      method: 'POST',
      headers,
      body,
      // A redirect would send the report to an address that nobody named.
      redirect: 'manual',
      signal: AbortSignal.any(ends),
    });
    const retryAfter = answer.headers.get('retry-after');
    return { kind: 'answered', status: answer.status, retryAfter, text: await beginningOf(answer) };
  } catch (error) {
    return failureOf(error, timeoutMs);
  }
}

/** Posts JSON. Returns why it was not accepted; null if it was. */
export async function postJson(url: string, body: unknown, timeoutMs: number): Promise<string | null> {
  const headers = { 'content-type': 'application/json' };
  return refusalOf(await post(url, JSON.stringify(body), headers, { timeoutMs }));
}

/** Null if the body was accepted. */
export function refusalOf(posted: Posted): string | null {
  if (posted.kind !== 'answered') return posted.reason;
  const isAccepted = posted.status >= 200 && posted.status < 300;
  return isAccepted ? null : `it answered with status ${posted.status}`;
}

async function beginningOf({ body }: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_ANSWER_CHARACTERS) break;
  }
  return text;
}

function failureOf(error: unknown, timeoutMs: number): Posted {
  if (!(error instanceof Error)) return { kind: 'failed', reason: 'the request failed' };
  if (error.name === 'AbortError') return { kind: 'timed-out', reason: 'it was interrupted' };
  if (error.name === 'TimeoutError')
    return { kind: 'timed-out', reason: `no answer within ${timeoutMs / 1000} s` };
  const { code } = (error.cause ?? error) as { readonly code?: unknown };
  const reason = typeof code === 'string' ? `the request failed with ${code}` : 'the request failed';
  return { kind: 'failed', reason };
}
