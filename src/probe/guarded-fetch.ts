import type { Dispatcher } from 'undici';
import { refuseUrl } from './address-guard.ts';
import { type AgentOptions, createGuardedAgent } from './guarded-agent.ts';

interface GuardedFetchOptions extends Omit<AgentOptions, 'connect'> {
  /** Maximum size of an answer, or of one event in a stream of events. */
  readonly maxBytes: number;
}

/** A `fetch` for libraries that talk to untrusted servers. */
export interface GuardedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { publicOnly, maxBytes } = options;
  const agent = createGuardedAgent(options);
  return {
    fetch: async (url, init) => {
      const refusal = publicOnly ? refuseUrl(new URL(url)) : null;
      if (refusal !== null) throw new Error(refusal);
      const [{ fetch }, made] = await Promise.all([import('undici'), agent.made()]);
      const dispatcher = made.compose(
        (dispatch) => (request, handler) => dispatch(request, neverPaused(handler, maxBytes)),
      );
      // The types of undici and Node.js differ only in parts that are not used here.
      const response = (await fetch(url, { ...(init as object), dispatcher })) as unknown as Response;
      if (response.body === null) return response;
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const { status, statusText, headers } = response;
      const body = response.body.pipeThrough(limited(maxBytes, isStream));
      return new Response(body, { status, statusText, headers });
    },
    close: () => agent.close('the connections were closed'),
  };
}

class AnswerTooLarge extends Error {
  readonly code = 'ERR_ANSWER_TOO_LARGE';
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];

/** Fails when the answer, or the current event of a stream, is larger than the limit. */
function limited(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineBytes = 0;
  const count = (byte: number): void => {
    bytes += 1;
    if (byte !== NEWLINE) lineBytes += byte === RETURN ? 0 : 1;
    // An empty line ends an event.
    else if (lineBytes === 0) bytes = 0;
    else lineBytes = 0;
  };
  return new TransformStream({
    transform: (chunk, controller) => {
      if (isStream) chunk.forEach(count);
      else bytes += chunk.length;
      if (bytes > maxBytes) controller.error(new AnswerTooLarge(`an answer of more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/**
 * Keeps undici from pausing its parser: if the server ends the connection meanwhile, undici throws where nothing can
 * catch it, and the process ends (nodejs/undici issue 5360). What the reader has not taken yet is kept, up to a limit.
 */
function neverPaused(
  handler: Dispatcher.DispatchHandler,
  maxWaitingBytes: number,
): Dispatcher.DispatchHandler {
  let waitingBytes = 0;
  let abort: (error?: Error) => void = () => undefined;
  return {
    onConnect: (give) => {
      abort = give;
      handler.onConnect?.(give);
    },
    onResponseStarted: () => handler.onResponseStarted?.(),
    onUpgrade: (status, headers, socket) => handler.onUpgrade?.(status, headers, socket),
    onHeaders: (status, headers, resume, statusText) => {
      const onResume = (): void => {
        waitingBytes = 0;
        resume();
      };
      return handler.onHeaders?.(status, headers, onResume, statusText) ?? true;
    },
    onData: (part) => {
      waitingBytes = handler.onData?.(part) === false ? waitingBytes + part.byteLength : 0;
      if (waitingBytes > maxWaitingBytes)
        abort(new Error(`more than ${maxWaitingBytes} bytes wait to be read`));
      return true;
    },
    onComplete: (trailers) => handler.onComplete?.(trailers),
    onError: (error) => handler.onError?.(error),
    onBodySent: (bytes, total) => handler.onBodySent?.(bytes, total),
  };
}
