import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { isLoopback } from '../../text/loopback.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { TLS_REMEDIES } from '../transport-advice.ts';

export const httpsEndpoint = defineCheck(
  'step',
  'https-endpoint',
  'the address of the server is https, or a loopback address',
  ({ targetUrl, asked }) => {
    const { protocol, hostname } = new URL(targetUrl);
    if (protocol === 'https:' || isLoopback(hostname)) return passed;
    const [first] = asked;
    return failed({
      message: 'the address is plain http: keys, inputs and results can be read and changed on the way',
      expected: 'https://…',
      received: targetUrl,
      exchangeKey: first?.exchange.request.key,
    });
  },
);

const MIN_DAYS = 14;
const DAY_MS = 86_400_000;

export const certificateGood = defineCheck(
  'step',
  'certificate-good',
  `the certificate is trusted, is valid for the host of the address, and has more than ${MIN_DAYS} days left`,
  ({ targetUrl, asked }) => {
    if (!targetUrl.startsWith('https:')) return inapplicable('the address is plain http');
    const exchanges = asked.map(({ exchange }) => exchange);
    for (const exchange of exchanges) {
      const advice = exchange.kind === 'unanswered' ? TLS_REMEDIES[exchange.reason.code] : undefined;
      if (exchange.kind !== 'unanswered' || advice === undefined) continue;
      return failed({
        message: exchange.reason.message,
        expected: 'a certificate that clients accept, over TLS 1.2 or later',
        received: exchange.reason.code,
        exchangeKey: exchange.request.key,
        advice,
      });
    }
    const [exchange] = exchanges.filter((one) => one.kind === 'answered' && one.connection.tls !== null);
    if (exchange?.kind !== 'answered' || exchange.connection.tls === null) return cannotJudge('no-answer');
    const { validToMs } = exchange.connection.tls;
    const daysLeft = (validToMs - exchange.timing.startedAtMs) / DAY_MS;
    if (daysLeft > MIN_DAYS) return passed;
    // Rounded down, so that a value below the minimum does not look like the minimum.
    const days = (Math.floor(daysLeft * 10) / 10).toFixed(1);
    return failed({
      message: 'the certificate, or another of its chain, expires soon',
      expected: `more than ${MIN_DAYS} days left`,
      received: `${days} days left: valid to ${new Date(validToMs).toISOString()}`,
      exchangeKey: exchange.request.key,
    });
  },
  { reasons: { 'no-answer': 'no request over TLS was answered' } },
);
