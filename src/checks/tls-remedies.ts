import type { TransportFailureCode } from '../model/exchange.ts';

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
