import type { Fault, TransportFailure, TransportFailureCode } from '../model/exchange.ts';

interface Classified {
  readonly code: TransportFailureCode;
  readonly fault: Fault;
  readonly words: string;
}

const BY_ERROR_CODE: Readonly<Record<string, Classified>> = {
  ENOTFOUND: { code: 'name-not-found', fault: 'network', words: 'the host name does not exist' },
  EAI_AGAIN: { code: 'name-lookup-failed', fault: 'network', words: 'the host name could not be looked up' },
  ECONNREFUSED: {
    code: 'connection-refused',
    fault: 'network',
    words: 'the connection was refused: nothing listens there',
  },
  ERR_ADDRESS_REFUSED: {
    code: 'address-refused',
    fault: 'harness',
    words: 'the harness may only connect to public addresses',
  },
  EHOSTUNREACH: { code: 'network-unreachable', fault: 'network', words: 'the host cannot be reached' },
  ENETUNREACH: { code: 'network-unreachable', fault: 'network', words: 'the network cannot be reached' },
  EADDRNOTAVAIL: {
    code: 'network-unreachable',
    fault: 'network',
    words: 'this machine has no address for that network',
  },
  ETIMEDOUT: {
    code: 'connect-timeout',
    fault: 'network',
    words: 'the connection could not be opened in time',
  },
  UND_ERR_CONNECT_TIMEOUT: {
    code: 'connect-timeout',
    fault: 'network',
    words: 'the connection could not be opened in time',
  },
  ECONNRESET: {
    code: 'connection-reset',
    fault: 'server',
    words: 'the connection was reset before the answer was complete',
  },
  EPIPE: {
    code: 'connection-reset',
    fault: 'server',
    words: 'the connection was closed while the request was being sent',
  },
  UND_ERR_SOCKET: {
    code: 'closed-early',
    fault: 'server',
    words: 'the connection was closed before the answer was complete',
  },
  // Also what the HTTP client makes of an equal Content-Length given twice, which is legal.
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    code: 'invalid-http',
    fault: 'harness',
    words: 'the body is not as long as Content-Length says',
  },
  UND_ERR_HEADERS_OVERFLOW: {
    code: 'headers-too-large',
    fault: 'harness',
    words: 'the headers are larger than the harness accepts',
  },
  UND_ERR_INVALID_ARG: {
    code: 'request-refused',
    fault: 'harness',
    words: 'the HTTP client would not send the request',
  },
  EPROTO: { code: 'tls-failure', fault: 'server', words: 'TLS could not be negotiated' },
};

const TLS_CODE = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** The HTTP client refuses an interim 100 that it did not ask for; servers may send one (RFC 9110, section 15.2). */
const REFUSED_BY_CLIENT = 'bad response';

/** Names what went wrong, and whose trouble it is, from an error of the HTTP client. */
export function transportFailure(error: unknown): TransportFailure {
  const { code, message } = innermost(error);
  const refused = code === 'UND_ERR_SOCKET' && message === REFUSED_BY_CLIENT;
  const known = (refused ? undefined : BY_ERROR_CODE[code]) ?? classifyFamily(code);
  return {
    code: known.code,
    fault: known.fault,
    message: `${known.words} (${code === '' ? message : code})`,
  };
}

function classifyFamily(code: string): Classified {
  if (TLS_CODE.test(code))
    return {
      code: 'tls-failure',
      fault: 'server',
      words: 'the TLS certificate or handshake was not acceptable',
    };
  // The HTTP client refuses some answers that are legal, so what it cannot read is not held against the server.
  return { code: 'invalid-http', fault: 'harness', words: 'the HTTP client could not read the answer' };
}

/** Trying several addresses ends in an AggregateError; its first member tells more. */
function innermost(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const { code } = error as Error & { code?: unknown };
  if (typeof code === 'string') return { code, message: error.message };
  return error.cause === undefined ? { code: '', message: error.message } : innermost(error.cause);
}
