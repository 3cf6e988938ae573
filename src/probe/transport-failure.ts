import type { Fault, TransportFailure, TransportFailureCode } from '../model/exchange.ts';
import { isLoopback } from '../text/loopback.ts';

type Known = readonly [TransportFailureCode, Fault, words: string];

const NO_TLS: Known = ['tls-failure', 'server', 'the server does not speak TLS on this port'];

function untrusted(words: string): Known {
  return ['certificate-untrusted', 'server', `the TLS certificate ${words}`];
}

const KNOWN_ERRORS: ReadonlyMap<string, Known> = new Map<string, Known>([
  ['ENOTFOUND', ['name-not-found', 'network', 'the host name does not exist']],
  ['EAI_AGAIN', ['name-lookup-failed', 'network', 'the host name could not be looked up']],
  ['ECONNREFUSED', ['connection-refused', 'network', 'the connection was refused: nothing listens there']],
  ['ERR_ADDRESS_REFUSED', ['address-refused', 'harness', 'the harness may only connect to public addresses']],
  ['ERR_ANSWER_TOO_LARGE', ['body-too-large', 'harness', 'the answer is more than the harness reads']],
  ['EHOSTUNREACH', ['network-unreachable', 'network', 'the host cannot be reached']],
  ['ENETUNREACH', ['network-unreachable', 'network', 'the network cannot be reached']],
  ['EADDRNOTAVAIL', ['network-unreachable', 'network', 'this machine has no address for that network']],
  ['ETIMEDOUT', ['connect-timeout', 'network', 'the connection could not be opened in time']],
  ['ECONNRESET', ['connection-reset', 'server', 'the connection was reset before the answer was complete']],
  ['EPIPE', ['connection-reset', 'server', 'the connection was closed while the request was being sent']],
  [
    'CERT_HAS_EXPIRED',
    ['certificate-expired', 'server', 'the TLS certificate, or one in its chain, has expired'],
  ],
  [
    'CERT_NOT_YET_VALID',
    ['certificate-not-yet-valid', 'server', 'the TLS certificate, or one in its chain, is not valid yet'],
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    ['certificate-wrong-host', 'server', 'the TLS certificate is for another host name'],
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted('is self-signed: no authority issued it')],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted('comes from an authority that is not trusted here')],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    untrusted(
      'cannot be verified: its issuer is not trusted here, or the server does not send the intermediate certificates',
    ),
  ],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted('comes from an authority that is not known here')],
  [
    'UNABLE_TO_GET_ISSUER_CERT',
    ['certificate-untrusted', 'server', 'the chain of the TLS certificate is not complete'],
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
  ['EPROTO', ['tls-failure', 'server', 'TLS could not be negotiated']],
  [
    'ERR_TLS_HANDSHAKE_CLOSED',
    ['tls-failure', 'server', 'the server closed the connection during the TLS handshake'],
  ],
]);

/** OpenSSL's errors for a peer that offers only TLS versions below 1.2. */
const TOO_OLD = /^ERR_SSL_(UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW|LEGACY_)/;

const CERTIFICATE_CODE = /^(CERT_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH|INVALID_PURPOSE)/;

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_)/;

/** Classifies a socket error: what failed, and who caused it. */
export function transportFailure(error: unknown): TransportFailure {
  const { code, message } = innermost(error);
  const refusedAt = loopbackRefusals(error);
  const [known, fault, words] = KNOWN_ERRORS.get(code) ?? familyOf(code);
  return {
    code: known,
    fault,
    message: `${refusedAt.length < 2 ? words : `the connection was refused: nothing listens on ${refusedAt.join(' or ')}`} (${code === '' ? message : code})`,
  };
}

function familyOf(code: string): Known {
  if (TOO_OLD.test(code))
    return [
      'tls-too-old',
      'server',
      'the server offers no version of TLS that is still accepted (1.2 or later)',
    ];
  if (CERTIFICATE_CODE.test(code)) return untrusted('is not acceptable');
  if (TLS_CODE.test(code)) return ['tls-failure', 'server', 'the TLS handshake failed'];
  // An unknown error is not blamed on the server.
  return ['invalid-http', 'harness', 'the answer could not be read'];
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
