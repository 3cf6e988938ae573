import type { Exchange } from '../../model/exchange.ts';
import { failed, inapplicable, inconclusive, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { saysNothingOfServer, TRANSPORT_ADVICE } from '../transport-advice.ts';

const PERHAPS_TLS =
  'If the server speaks TLS on this port, the address must begin with https. Else look into its log: it took the connection and gave it up.';

function isSilentClose({ reason, request, timing }: Extract<Exchange, { kind: 'unanswered' }>): boolean {
  return reason.code === 'closed-early' && timing.firstByteMs === null && request.url.startsWith('http:');
}

export const answered = defineCheck('exchange', 'answered', 'the request gets an answer', ({ exchange }) => {
  if (exchange.kind === 'answered') return passed;
  const { code, message, fault } = exchange.reason;
  if (code === 'not-sent') return inapplicable(message);
  const advice = isSilentClose(exchange) ? PERHAPS_TLS : TRANSPORT_ADVICE[code];
  const evidence = {
    message,
    expected: 'an answer',
    received: `none: ${code}`,
    fault,
    exchangeKey: exchange.request.key,
    ...(advice === undefined ? {} : { advice }),
  };
  return saysNothingOfServer(exchange.reason) ? inconclusive(evidence) : failed(evidence);
});
