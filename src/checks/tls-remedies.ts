import type { TransportFailureCode } from '../model/exchange.ts';

/** What each failure of TLS asks of the author. */
export const TLS_REMEDIES: Readonly<Partial<Record<TransportFailureCode, string>>> = {
  'certificate-expired': 'Renew the certificate, and let a client of ACME such as certbot do it from now on.',
  'certificate-not-yet-valid': 'Set the clock of the server, or wait until the certificate is valid.',
  'certificate-untrusted':
    'Use a certificate of an authority that clients trust, such as Let’s Encrypt, and serve the whole chain (fullchain.pem). Where the authority is your own, name it to the check with --ca, or with NODE_EXTRA_CA_CERTS.',
  'certificate-wrong-host':
    'Get a certificate whose subject alternative names hold the host name of the address, or correct the address.',
  'tls-too-old': 'Allow TLS 1.2 and 1.3 in the server or in the proxy before it.',
  'tls-failure':
    'Try `openssl s_client -connect HOST:PORT`; the address may say https where the server speaks http.',
  'tls-timeout':
    'Look for what holds the handshake up: a server whose only worker is busy, a proxy that waits for one that is down, or a port that speaks no TLS.',
};
