import { Refused } from '../natural-server.ts';
import { type Craft, careful, type Reply } from '../serve-natural.ts';

/** What a caller gets when an exception leaves the handler: each framework has its own answer. */

/** Errors of the caller follow the contract; everything else is left to the framework. */
function unhandled(replyTo: (error: unknown) => Reply): Partial<Craft> {
  return {
    failure: (form, error, requestId, name) =>
      error instanceof Refused ? careful.failure(form, error, requestId, name) : replyTo(error),
  };
}

export const EXPRESS_PAGE = unhandled(() => ({
  status: 500,
  body: '<!DOCTYPE html><html lang="en"><head><title>Error</title></head><body><pre>Internal Server Error</pre></body></html>',
}));

export const FASTIFY_BODY = unhandled((error) => ({
  status: 500,
  body: { statusCode: 500, error: 'Internal Server Error', message: (error as Error).message },
}));

/** The worker of the function stops, and the proxy before it answers. */
export const PROXY_PAGE = unhandled(() => ({
  status: 502,
  body: '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
}));

export const EMPTY_BODY = unhandled(() => ({ status: 500, body: '' }));

/** The connection is closed without an answer, because the error handler fails too. */
export const NO_ANSWER = unhandled((error) => {
  throw error;
});

/** An error in the right form, but with a code for failures of the server outside its functions. */
export const INTERNAL_CODE: Partial<Craft> = {
  failure: (form, error, requestId, name) =>
    error instanceof Refused
      ? careful.failure(form, error, requestId, name)
      : { status: 503, body: { error: { code: 'INTERNAL_ERROR', message: 'Try again later.' }, requestId } },
};
