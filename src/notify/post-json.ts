import { defaultFetch } from '../client/default-fetch.ts';

/**
 * Posts JSON, through the proxy of the environment if there is one. Returns why it failed, without the address, which may
 * be a secret; null if it did not.
 */
export async function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<string | null> {
  try {
    const answer = await defaultFetch(url)(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // A redirect would send the report to an address that nobody named.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel();
    return answer.ok ? null : `it answered with status ${answer.status}`;
  } catch (error) {
    return reasonOf(error, timeoutMs);
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { code } = (error.cause ?? error) as { readonly code?: unknown };
  return typeof code === 'string' ? `the request failed with ${code}` : 'the request failed';
}
