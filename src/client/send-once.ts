/** One request. */
export interface DirectoryRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ReceivedAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly bytes: number;
}

export type SendFailure =
  | { readonly kind: 'unreachable'; readonly reason: string; readonly cause: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-utf8' };

export interface SendBounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signals: readonly AbortSignal[];
  /** Takes the body of a successful answer as it arrives, without a limit of its size; false ends the request. */
  readonly receive?: ((chunk: Uint8Array) => Promise<boolean>) | undefined;
}

/** Sends a request with limits of time and size; follows no redirect. Never rejects. */
export async function sendOnce(
  request: DirectoryRequest,
  send: typeof fetch,
  { timeoutMs, maxBytes, signals, receive }: SendBounds,
): Promise<ReceivedAnswer | SendFailure> {
  const ending = new AbortController();
  let ended: SendFailure | null = null;
  const end = (failure: SendFailure): void => {
    ended ??= failure;
    ending.abort();
  };
  const onInterrupt = (): void => end({ kind: 'interrupted' });
  if (signals.some(({ aborted }) => aborted)) return { kind: 'interrupted' };
  const timer = setTimeout(() => end({ kind: 'timeout' }), timeoutMs);
  for (const signal of signals) signal.addEventListener('abort', onInterrupt, { once: true });
  try {
    const { url, method, headers, body } = request;
    const response = await send(url, { method, headers, body, redirect: 'manual', signal: ending.signal });
    const read =
      receive !== undefined && response.ok
        ? await passOn(response, receive)
        : await readBody(response, maxBytes);
    // Do not wait for the rest of the body.
    if ('kind' in read) end(read);
    return 'kind' in read
      ? read
      : { kind: 'answered', status: response.status, headers: response.headers, ...read };
  } catch (error) {
    return ended ?? { kind: 'unreachable', reason: reasonOf(error), cause: error };
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onInterrupt);
  }
}

async function passOn(
  { body }: Response,
  receive: (chunk: Uint8Array) => Promise<boolean>,
): Promise<Pick<ReceivedAnswer, 'body' | 'bytes'>> {
  let bytes = 0;
  if (body !== null)
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (!(await receive(chunk))) break;
    }
  return { body: '', bytes };
}

async function readBody(
  response: Response,
  maxBytes: number,
): Promise<Pick<ReceivedAnswer, 'body' | 'bytes'> | SendFailure> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (response.body !== null)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) return { kind: 'too-large' };
      chunks.push(chunk);
    }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(whole), bytes };
  } catch {
    return { kind: 'not-utf8' };
  }
}

/** `fetch` hides the reason in its cause or, for several addresses, in one of the errors of the cause. */
function reasonOf(error: unknown): string {
  const { cause, message = String(error) } = error as { cause?: unknown; message?: string };
  const { code, errors } = (cause ?? error) as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const known = [code, errors?.[0]?.code].find((one) => typeof one === 'string');
  return known === undefined ? (cause as Error | undefined)?.message || message : String(known);
}
