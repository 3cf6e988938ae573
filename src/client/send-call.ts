import type { Answer, Call } from './call.ts';
import { badAnswer, DirectoryError, placeOf, unansweredError } from './directory-error.ts';

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Sends a request once, with limits of time and size; follows no redirect.
 *
 * @throws DirectoryError without a complete answer
 */
export async function sendCall(call: Call, send: typeof fetch): Promise<Answer> {
  const timeout = AbortSignal.timeout(call.timeoutMs);
  const signal = AbortSignal.any([call.signal, timeout]);
  const failure = (error: unknown): DirectoryError => {
    const ending = timeout.aborted ? 'timeout' : 'unreachable';
    return unansweredError(call, call.signal.aborted ? 'interrupted' : ending, error);
  };
  async function* chunksOf(body: Response['body']): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body ?? []) yield chunk;
    } catch (error) {
      throw failure(error);
    }
  }
  let response: Response;
  try {
    signal.throwIfAborted();
    const { url, method, headers, body } = call;
    response = await send(url, { method, headers, body, redirect: 'manual', signal });
  } catch (error) {
    throw failure(error);
  }
  const { status, headers, ok } = response;
  const chunks = chunksOf(response.body);
  if (call.read === undefined || !ok) return { status, headers, body: await textOf(chunks, call) };
  await call.read(chunks);
  return { status, headers, body: '' };
}

async function textOf(body: AsyncIterable<Uint8Array>, call: Call): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES)
      throw new DirectoryError(
        `${call.what} was answered by ${placeOf(call)} with more than ${MAX_ANSWER_BYTES} bytes. Use a smaller limit, or contact the directory’s operator.`,
        { code: 'answer-too-large' },
      );
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw badAnswer(call, { at: '', expected: 'JSON in UTF-8', received: 'other bytes' });
  }
}
