import { isBailedOut, type TransportFailure, type TransportFailureCode } from '../model/exchange.ts';
import { type Evidence, failed, type UndecidedCause, undecided } from '../model/judgement.ts';

/** What the author can do about each failure of TLS. */
export const TLS_REMEDIES: Readonly<Partial<Record<TransportFailureCode, string>>> = {
  'certificate-expired':
    'Renew the certificate, and automate the renewal with an ACME client such as certbot.',
  'certificate-not-yet-valid': 'Set the clock of the server, or wait until the certificate is valid.',
  'certificate-untrusted':
    'Use a certificate of an authority that clients trust, such as Let’s Encrypt, and serve the whole chain (fullchain.pem). If you run the authority yourself, pass its certificate with --ca or NODE_EXTRA_CA_CERTS.',
  'certificate-wrong-host':
    'Get a certificate whose subject alternative names hold the host name of the address, or correct the address.',
  'tls-too-old': 'Allow TLS 1.2 and 1.3 in the server or in the proxy before it.',
  'tls-failure':
    'Try `openssl s_client -connect HOST:PORT`; the address may say https where the server speaks http.',
  'tls-timeout':
    'Find out what delays the handshake: a server whose only worker is busy, a proxy that waits for a server that is down, or a port without TLS.',
};

/** Codes that say nothing about the server: this run could not send the request. */
export const UNASKED_CODES: ReadonlySet<string> = new Set([
  'client-suspended',
  'deadline',
  'ended-beside',
  'interrupted',
  'run-bytes-spent',
  'not-running',
  'share-used-up',
  'no-valid-input',
  'not-recorded',
  'name-lookup-failed',
]);

const GATED_ADVICE =
  'Give the check a key: a token with --bearer-env NAME, or another header with --header. The server is alive, and nothing else is decided.';

export const BAILED_ADVICE =
  'Fix the failure with which the check ended, or check without --bail; this says nothing about the server.';

/** Advice for failures that the fix of the requirement does not cover. */
export const TRANSPORT_ADVICE: Readonly<Partial<Record<TransportFailureCode, string>>> = {
  deadline: 'Give the check more time with --deadline; this says nothing about the server.',
  'client-suspended':
    'Run the check again on a machine that is not suspended and is less busy; this says nothing about the server.',
  'ended-beside': 'Fix what ended the server, and check again; this says nothing about this request.',
  'not-running':
    'Fix what ended the server, and check again: a server that ends again and again is not started for every request.',
  'no-valid-input':
    'Add an example to the descriptor, or an input under samples in probity.config.yaml; this says nothing about the server.',
  'share-used-up':
    'Give the check more time with --deadline, or an input that is answered sooner under samples in probity.config.yaml.',
  interrupted: 'Run the check again; this says nothing about the server.',
  'slow-upload': 'Give requests more time with --timeout, or check from a place with a faster line.',
  'run-bytes-spent':
    'Call fewer functions with --max-functions, or send smaller answers; this says nothing about the server.',
  'body-too-large':
    'Send a smaller answer, such as shorter descriptors or fewer functions: a check reads a body only up to the size in the message. This says nothing about the rules of the contract.',
  'bare-lf-in-chunks':
    'End every line of the chunked framing in CRLF: sizes, chunks, trailers and the empty line at the end. Better, let the framework write the chunks, or send a Content-Length. Node.js refuses such an answer, and Python’s http.client loses the body where a chunk ends in LF alone.',
  'unasked-coding':
    'Compress answers only as the request’s Accept-Encoding allows, which here was identity; look at the middleware or the proxy that compresses. Send no Transfer-Encoding but chunked.',
  'connection-refused':
    'Start the server, or correct the host and port. A server that listens on 127.0.0.1 can only be reached from its own machine; with the host localhost, 127.0.0.1 and [::1] are both tried.',
  'no-session':
    'Check that the command starts a server that speaks the Model Context Protocol over its standard streams, or that the address is that of its endpoint, such as https://example.com/mcp. Give what it needs to start with --env, and a token with --bearer-env or --header.',
  gated: GATED_ADVICE,
  'old-transport':
    'Serve streamable HTTP: one address that answers POST, as the SDKs do since revision 2025-03-26.',
  'name-not-found': 'Correct the host name, or publish it in DNS.',
  'name-lookup-failed': 'Try again when DNS works; this says nothing about the server.',
  'network-unreachable': 'Check the address and the route to it; try again from a machine that reaches it.',
  'connect-timeout': 'Check the address, the port and the firewalls on the way.',
  ...TLS_REMEDIES,
};

/** Whether this run alone is the reason why a request has no answer. */
export function saysNothingOfServer({ code, fault }: TransportFailure): boolean {
  return UNASKED_CODES.has(code) || fault === 'harness';
}

const BECAUSE: Readonly<Partial<Record<TransportFailureCode, UndecidedCause>>> = {
  'no-valid-input': 'not-exercised',
  'share-used-up': 'not-exercised',
  gated: 'turned-away',
};

export function noAnswerFinding(reason: TransportFailure, more: Partial<Evidence> = {}) {
  const { code, message, fault } = reason;
  const evidence = { message, expected: 'an answer', received: `none: ${code}`, fault };
  const advice = isBailedOut(reason) ? BAILED_ADVICE : TRANSPORT_ADVICE[code];
  const shown = { ...evidence, ...(advice !== undefined && { advice }), ...more };
  if (!saysNothingOfServer(reason)) return failed(shown);
  return undecided({ ...shown, because: BECAUSE[code] ?? 'cut-short' });
}
