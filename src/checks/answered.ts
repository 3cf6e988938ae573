import type { TransportFailureCode } from '../model/exchange.ts';
import { failed, inapplicable, inconclusive, passed } from '../model/judgement.ts';
import { defineCheck } from './define-check.ts';

/** Codes that say nothing about the server, only that this run could not ask it. */
const UNASKED = new Set(['deadline', 'interrupted', 'run-bytes-spent', 'not-recorded', 'name-lookup-failed']);

/** What to do where the requirement's own remedy would miss the point. */
export const TRANSPORT_ADVICE: Readonly<Partial<Record<TransportFailureCode, string>>> = {
  deadline: 'Give the check more time with --deadline; this says nothing about the server.',
  interrupted: 'Run the check again; this says nothing about the server.',
  'run-bytes-spent': 'Let fewer functions be called with --max-functions, or send smaller answers.',
  'certificate-expired': 'Renew the certificate, and let a client of ACME such as certbot do it from now on.',
  'certificate-not-yet-valid': 'Set the clock of the server, or wait until the certificate is valid.',
  'certificate-untrusted':
    'Use a certificate of an authority that clients trust, and serve the whole chain (fullchain.pem). An authority of your own is named to the check with NODE_EXTRA_CA_CERTS.',
  'certificate-wrong-host': 'Get a certificate that names the host of the address, or correct the address.',
  'tls-too-old': 'Allow TLS 1.2 and 1.3 in the server or in the proxy before it.',
  'connection-refused':
    'Start the server, or correct the host and port. A server that listens on 127.0.0.1 can only be reached from its own machine.',
  'name-not-found': 'Correct the host name, or publish it in DNS.',
  'name-lookup-failed': 'Try again when DNS works; this says nothing about the server.',
  'network-unreachable': 'Check the address and the route to it; try again from a machine that reaches it.',
  'connect-timeout': 'Check the address, the port and the firewalls between here and there.',
  'tls-failure':
    'Try `openssl s_client -connect HOST:PORT`; the address may say https where the server speaks http.',
};

export const answered = defineCheck('exchange', 'answered', 'the request gets an answer', ({ exchange }) => {
  if (exchange.kind === 'answered') return passed;
  const { code, message, fault } = exchange.reason;
  if (code === 'not-sent') return inapplicable(message);
  const advice = TRANSPORT_ADVICE[code];
  const evidence = {
    message,
    expected: 'an answer',
    received: `none: ${code}`,
    fault,
    exchangeKey: exchange.request.key,
    ...(advice === undefined ? {} : { advice }),
  };
  if (UNASKED.has(code) || fault === 'harness') return inconclusive(evidence);
  return failed(evidence);
});
