import type { Dispatcher } from 'undici';

/**
 * Keeps undici from pausing its parser: if the server ends the connection meanwhile, undici throws where nothing can
 * catch it, and the process ends (nodejs/undici issue 5360). What the reader has not taken yet is kept, up to a limit.
 */
export function neverPaused(
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
