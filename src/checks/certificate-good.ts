import type { TransportFailureCode } from '../model/exchange.ts';
import { blocked, failed, inapplicable, passed } from '../model/judgement.ts';
import { defineCheck } from './define-check.ts';

const LEAST_DAYS = 14;
const DAY_MS = 86_400_000;

/** What each failure of TLS asks of the author. */
const REMEDIES: Readonly<Partial<Record<TransportFailureCode, string>>> = {
  'certificate-expired': 'Renew the certificate, and let a client of ACME such as certbot do it from now on.',
  'certificate-not-yet-valid': 'Set the clock of the server, or wait until the certificate is valid.',
  'certificate-untrusted':
    'Use a certificate of an authority that clients trust, such as Let’s Encrypt, and serve the whole chain (fullchain.pem). Where the authority is your own, name it to the check with NODE_EXTRA_CA_CERTS.',
  'certificate-wrong-host':
    'Get a certificate whose subject alternative names hold the host name of the address, or correct the address.',
  'tls-too-old': 'Allow TLS 1.2 and 1.3 in the server or in the proxy before it.',
  'tls-failure':
    'Try `openssl s_client -connect HOST:PORT`; the address may say https where the server speaks http.',
};

export const certificateGood = defineCheck(
  'step',
  'certificate-good',
  `the certificate is trusted, for the host of the address, and has more than ${LEAST_DAYS} days left`,
  ({ targetUrl, asked }) => {
    if (!targetUrl.startsWith('https:')) return inapplicable('the address is plain http');
    const exchanges = asked.map(({ exchange }) => exchange);
    for (const exchange of exchanges) {
      if (exchange.kind !== 'unanswered') continue;
      const { code, message } = exchange.reason;
      const advice = REMEDIES[code];
      if (advice === undefined) continue;
      return failed({
        message,
        expected: 'a certificate that clients accept, over TLS 1.2 or later',
        received: code,
        exchangeKey: exchange.request.key,
        advice,
      });
    }
    const [exchange] = exchanges.filter((one) => one.kind === 'answered' && one.connection.tls !== null);
    if (exchange?.kind !== 'answered' || exchange.connection.tls === null) return blocked('health/reachable');
    const { validToMs } = exchange.connection.tls;
    const daysLeft = (validToMs - exchange.timing.startedAtMs) / DAY_MS;
    if (daysLeft > LEAST_DAYS) return passed;
    return failed({
      message: 'the certificate, or one that it rests on, expires soon',
      expected: `more than ${LEAST_DAYS} days left`,
      received: `${daysLeft.toFixed(1)} days left: valid to ${new Date(validToMs).toISOString()}`,
      exchangeKey: exchange.request.key,
    });
  },
);
