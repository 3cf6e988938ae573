import type { Fault, TransportFailure, TransportFailureCode } from '../model/exchange.ts';
import { isLoopback } from '../text/loopback.ts';

interface Classified {
  readonly code: TransportFailureCode;
  readonly fault: Fault;
  readonly words: string;
}

type ErrorsOfFailure = readonly [
  TransportFailureCode,
  Fault,
  wordsByErrorCode: Readonly<Record<string, string>>,
];

const NO_TLS = 'the server does not speak TLS on this port';

const ERRORS: readonly ErrorsOfFailure[] = [
  ['name-not-found', 'network', { ENOTFOUND: 'the host name does not exist' }],
  ['name-lookup-failed', 'network', { EAI_AGAIN: 'the host name could not be looked up' }],
  ['connection-refused', 'network', { ECONNREFUSED: 'the connection was refused: nothing listens there' }],
  ['address-refused', 'harness', { ERR_ADDRESS_REFUSED: 'the harness may only connect to public addresses' }],
  ['body-too-large', 'harness', { ERR_ANSWER_TOO_LARGE: 'the answer is more than the harness reads' }],
  [
    'network-unreachable',
    'network',
    {
      EHOSTUNREACH: 'the host cannot be reached',
      ENETUNREACH: 'the network cannot be reached',
      EADDRNOTAVAIL: 'this machine has no address for that network',
    },
  ],
  ['connect-timeout', 'network', { ETIMEDOUT: 'the connection could not be opened in time' }],
  [
    'connection-reset',
    'server',
    {
      ECONNRESET: 'the connection was reset before the answer was complete',
      EPIPE: 'the connection was closed while the request was being sent',
    },
  ],
  [
    'certificate-expired',
    'server',
    { CERT_HAS_EXPIRED: 'the TLS certificate, or one in its chain, has expired' },
  ],
  [
    'certificate-not-yet-valid',
    'server',
    { CERT_NOT_YET_VALID: 'the TLS certificate, or one in its chain, is not valid yet' },
  ],
  [
    'certificate-wrong-host',
    'server',
    { ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host name' },
  ],
  [
    'certificate-untrusted',
    'server',
    {
      DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed: no authority issued it',
      SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate comes from an authority that is not trusted here',
      UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        'the TLS certificate cannot be verified: its issuer is not trusted here, or the server does not send the intermediate certificates',
      UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the TLS certificate comes from an authority that is not known here',
      UNABLE_TO_GET_ISSUER_CERT: 'the chain of the TLS certificate is not complete',
    },
  ],
  [
    'tls-failure',
    'server',
    {
      ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
      ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
      EPROTO: 'TLS could not be negotiated',
      ERR_TLS_HANDSHAKE_CLOSED: 'the server closed the connection during the TLS handshake',
    },
  ],
];

const BY_ERROR_CODE: ReadonlyMap<string, Classified> = new Map(
  ERRORS.flatMap(([code, fault, wordsByErrorCode]) =>
    Object.entries(wordsByErrorCode).map(([error, words]) => [error, { code, fault, words }] as const),
  ),
);

/** OpenSSL's errors for a peer that offers only TLS versions below 1.2. */
const TOO_OLD = /^ERR_SSL_(UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW|LEGACY_)/;

const CERTIFICATE_CODE = /^(CERT_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE)/;

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_)/;

/** Classifies a socket error: what failed, and who caused it. */
export function transportFailure(error: unknown): TransportFailure {
  const { code, message } = innermost(error);
  const refusedAt = loopbackRefusals(error);
  const known = BY_ERROR_CODE.get(code) ?? classifyFamily(code);
  return {
    code: known.code,
    fault: known.fault,
    message: `${refusedAt.length < 2 ? known.words : `the connection was refused: nothing listens on ${refusedAt.join(' or ')}`} (${code === '' ? message : code})`,
  };
}

function classifyFamily(code: string): Classified {
  if (TOO_OLD.test(code))
    return {
      code: 'tls-too-old',
      fault: 'server',
      words: 'the server offers no version of TLS that is still accepted (1.2 or later)',
    };
  if (CERTIFICATE_CODE.test(code))
    return { code: 'certificate-untrusted', fault: 'server', words: 'the TLS certificate is not acceptable' };
  if (TLS_CODE.test(code)) return { code: 'tls-failure', fault: 'server', words: 'the TLS handshake failed' };
  // An unknown error is not blamed on the server.
  return { code: 'invalid-http', fault: 'harness', words: 'the answer could not be read' };
}

/** The addresses of this machine that were tried, as a URL writes them. */
function loopbackRefusals(error: unknown): readonly string[] {
  if (!(error instanceof AggregateError)) return [];
  return error.errors.flatMap(({ code, address, port }: Error & Partial<Record<string, unknown>>) => {
    const host = typeof address === 'string' && address.includes(':') ? `[${address}]` : String(address);
    return code === 'ECONNREFUSED' && isLoopback(host) ? [`${host}:${port}`] : [];
  });
}

/** Trying several addresses fails with an AggregateError; its first member has the details. */
function innermost(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const { code } = error as Error & { code?: unknown };
  if (typeof code === 'string') return { code, message: error.message };
  return error.cause === undefined ? { code: '', message: error.message } : innermost(error.cause);
}
