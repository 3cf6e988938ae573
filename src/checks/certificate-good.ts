import { blocked, failed, inapplicable, passed } from '../model/judgement.ts';
import { TRANSPORT_ADVICE } from './answered.ts';
import { defineCheck } from './define-check.ts';

const LEAST_DAYS = 14;
const DAY_MS = 86_400_000;

const TLS_FAILURE = /^(certificate-|tls-)/;

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
      if (!TLS_FAILURE.test(code)) continue;
      const advice = TRANSPORT_ADVICE[code];
      return failed({
        message,
        expected: 'a certificate that clients accept, over TLS 1.2 or later',
        received: code,
        exchangeKey: exchange.request.key,
        ...(advice === undefined ? {} : { advice }),
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
